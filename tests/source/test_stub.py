"""The probe that is written for a class: what is in it, how it is written, where it goes, and that it runs.

`models/` has the classes and `golden/` what each file gains. After a change that is meant,
`GRADFLOW_WRITE_GOLDEN=1 pytest tests/source` writes them anew: look at the difference.
"""

import ast
import difflib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gradflow_lsp.source.outline import outline
from gradflow_lsp.source.stub import ProbeStub, write_probe

HERE = Path(__file__).parent
MODELS = sorted(path.stem for path in (HERE / "models").glob("*.py"))

NET = """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3, 2)

    def forward(self, x):
        return self.fc(x)
"""
FILE = f"import torch\nfrom torch import nn\n\n\n{NET}"

PROBE = """\
def gradflow_probe():
    model = Net()
    x = torch.randn(4, 3)
    out = model(x)
    loss = nn.functional.mse_loss(out, torch.randn_like(out))
    return model, loss
"""


def model_text(name: str) -> str:
    return (HERE / "models" / f"{name}.py").read_text(encoding="utf-8")


def stub_of(name: str) -> ProbeStub:
    """Write a probe for the last class of a model file."""
    text = model_text(name)
    return write_probe(text, outline(text).classes[-1].name)


def applied(text: str, class_name: str = "Net") -> str:
    return write_probe(text, class_name).apply(text)


def gained(before: str, after: str) -> str:
    """Return the lines that a text gained, below the places where they went in."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    return "".join(f"{line}\n" for line in list(lines)[2:])


# What is written


@pytest.mark.parametrize("name", MODELS)
def test_the_probe_is_as_in_its_golden_file(name):
    golden = HERE / "golden" / f"{name}.diff"
    text = model_text(name)
    difference = gained(text, stub_of(name).apply(text))
    if os.environ.get("GRADFLOW_WRITE_GOLDEN"):
        golden.write_text(difference, encoding="utf-8")
    assert difference == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", MODELS)
def test_the_usual_kinds_of_models_leave_no_question_open(name):
    assert stub_of(name).todo == []


@pytest.mark.parametrize("name", MODELS)
def test_a_probe_never_loses_a_line_of_the_file(name):
    text = model_text(name)
    assert not [line for line in gained(text, stub_of(name).apply(text)).splitlines() if line.startswith("-")]


def test_a_probe_written_for_the_same_text_is_the_same():
    assert write_probe(FILE, "Net") == write_probe(FILE, "Net")


def test_a_class_that_is_not_there_raises():
    with pytest.raises(KeyError):
        write_probe(FILE, "Other")


def test_the_probe_is_found_in_the_text_that_it_was_written_into():
    [site] = outline(applied(FILE)).probes
    assert site.function == "gradflow_probe"


# Where it goes


def test_a_probe_goes_to_the_end_with_two_blank_lines_above():
    assert applied(FILE) == f"{FILE}\n\n{PROBE}"


@pytest.mark.parametrize("blank", ["\n", "\n\n", "\n\n\n\n"])
def test_blank_lines_that_are_there_count(blank):
    assert applied(FILE + blank) == FILE + max("\n\n", blank, key=len) + PROBE


def test_a_last_line_without_an_end_is_ended():
    assert applied(FILE.rstrip("\n")) == f"{FILE}\n\n{PROBE}"


@pytest.mark.parametrize(
    "guard",
    [
        'if __name__ == "__main__":\n    print(Net())\n',
        "if __name__=='__main__': print(Net())\n",
        'if "__main__" == __name__:\n    print(Net())\n',
        '# Try it out.\nif __name__ == "__main__":\n    print(Net())',
    ],
)
def test_the_main_block_stays_last(guard):
    assert applied(f"{FILE}\n\n{guard}") == f"{FILE}\n\n{PROBE}\n\n{guard}"


def test_a_main_block_in_a_string_is_none():
    text = f'{FILE}\nUSAGE = """\nif __name__ == "__main__":\n    ...\n"""\n'
    assert applied(text) == f"{text}\n\n{PROBE}"


def test_a_probe_goes_behind_a_class_that_stands_below_the_main_block():
    text = f'import torch\nfrom torch import nn\n\nif __name__ == "__main__":\n    pass\n\n\n{NET}'
    assert applied(text) == f"{text}\n\n{PROBE}"


@pytest.mark.parametrize(
    "half",
    [
        "def train(model):\n    return model.\n",
        "class Other(nn.Module):\n    def forward(self, x):\n        return self.\n",
        "def train(model):\n    for batch in (\n",
        'TEXT = """\n',
    ],
)
def test_beside_half_typed_text_a_probe_goes_right_behind_its_class(half):
    assert applied(f"{FILE}\n\n{half}") == f"{FILE}\n\n{PROBE}\n\n{half}"


# How it is written


def test_tabs_are_used_where_the_file_has_tabs():
    assert applied(FILE.replace("    ", "\t")).endswith(PROBE.replace("    ", "\t"))


def test_two_spaces_are_used_where_the_file_has_two():
    assert applied(FILE.replace("    ", "  ")).endswith(PROBE.replace("    ", "  "))


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
@pytest.mark.parametrize("text", [FILE, FILE.rstrip("\n")])
def test_line_ends_are_those_of_the_file(text, newline):
    assert applied(text.replace("\n", newline)) == f"{FILE}\n\n{PROBE}".replace("\n", newline)


CHOOSING = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, mode):
        super().__init__()
        if mode not in ("small", "large"):
            raise ValueError("small or large")
        self.fc = nn.Linear(3, 2 if mode == "small" else 20)

    def forward(self, x):
        return {"out": self.fc(x)}
"""


@pytest.mark.parametrize("quote", ['"', "'"])
def test_quotes_are_those_of_the_file(quote):
    text = CHOOSING.replace('"', quote)
    written = write_probe(text, "Net").text
    assert f"mode={quote}small{quote}" in written and f"out[{quote}out{quote}]" in written


def test_long_lines_are_broken_as_in_the_file():
    lines = stub_of("lstm").text.splitlines()
    assert max(map(len, lines)) <= 88
    assert any(line.rstrip().endswith("(") for line in lines)


def written_for(constructor: str, *body: str, forward: str = "return self.fc(x)") -> str:
    """Return the text of a probe for a class whose constructor and forward are these."""
    lines = "".join(f"        {line}\n" for line in ("super().__init__()", *body))
    head = f"class Net(nn.Module):\n    def __init__(self, {constructor}):\n"
    text = f"import torch\nfrom torch import nn\n\n\n{head}{lines}"
    return write_probe(f"{text}\n    def forward(self, x):\n        {forward}\n", "Net").text


def test_what_is_called_with_keywords_alone_is_a_function_that_makes_a_layer():
    text = written_for("encoder, dim=8", "self.fc = encoder(num_classes=dim)")
    assert "encoder=lambda num_classes: nn.Linear(16, num_classes)" in text


def test_an_array_is_made_by_numpy():
    text = written_for(
        "table: np.ndarray", "self.emb = nn.Embedding(*table.shape)", forward="return self.emb(x).sum(1)"
    )
    assert "torch.randn(100, 32).numpy()" in text


@pytest.mark.parametrize(
    ("attribute", "layer"),
    [("d_model", "nn.Transformer(32, 4, 1, 1)"), ("in_features", "nn.Linear(16, 16)")],
)
def test_a_layer_that_is_handed_in_has_the_attributes_that_are_read_of_it(attribute, layer):
    call = "self.inner(h, h)" if attribute == "d_model" else "self.inner(h)"
    text = written_for(
        "inner",
        "self.inner = inner",
        f"self.fc = nn.Linear(3, inner.{attribute})",
        forward=f"h = self.fc(x); return {call}",
    )
    assert layer in text


def test_sizes_are_searched_for_where_all_that_is_asked_for_is_settled():
    text = written_for(
        "shape",
        "c, h, w = shape",
        "assert h == 84 and w == 84",
        "self.net = nn.Sequential(nn.Conv2d(c, 8, 8, 4), nn.Conv2d(8, 8, 4, 2), nn.Conv2d(8, 8, 3, 1), nn.Flatten())",
        "self.fc = nn.Linear(self.net(torch.zeros(1, *shape)).shape[1], 4)",
        forward="return self.fc(self.net(x))",
    )
    assert "torch.randn(4, 3, 84, 84)" in text and "TODO" not in text


# Names and imports


def test_a_second_probe_has_the_name_of_its_class():
    once = applied(FILE.replace("Net", "SoilNet"), "SoilNet")
    twice = applied(once, "SoilNet")
    assert [site.function for site in outline(twice).probes] == ["gradflow_probe", "gradflow_probe_soil_net"]


def test_a_third_probe_for_a_class_has_a_number():
    text = FILE
    for _ in range(4):
        text = applied(text)
    assert [site.function for site in outline(text).probes] == [
        *("gradflow_probe", "gradflow_probe_net", "gradflow_probe_net_2", "gradflow_probe_net_3")
    ]


def test_nothing_is_imported_that_is_there():
    assert write_probe(FILE, "Net").imports == []


def test_torch_is_imported_beside_the_other_imports_of_torch():
    text = f"import os\n\nfrom torch import nn\n\n\n{NET}"
    assert applied(text) == f"import os\n\nimport torch\nfrom torch import nn\n\n\n{NET}\n\n{PROBE}"


def test_names_are_those_that_the_file_imports():
    text = FILE.replace("import torch\nfrom torch import nn", "import torch as T\nimport torch.nn as N").replace(
        "nn.", "N."
    )
    written = write_probe(text, "Net").text
    assert "T.randn(4, 3)" in written and "N.functional.mse_loss" in written


def test_functional_is_called_by_the_files_own_name():
    text = FILE.replace("import nn", "import nn\nimport torch.nn.functional as F")
    assert "loss = F.mse_loss(out, torch.randn_like(out))" in write_probe(text, "Net").text


@pytest.mark.parametrize(
    "head",
    [
        "",
        '"""Doc."""\n',
        "# -*- coding: utf-8 -*-\n",
        '"""Doc."""\nfrom __future__ import annotations\n',
        "from mylib import nn\n",
        "from mylib import (\n    nn,\n    other,\n)\n",
        "\ufefffrom torch import nn\n",
    ],
)
def test_an_import_goes_where_python_allows_it(head):
    text = applied(head + NET)
    assert "import torch\n" in text
    compile(text.encode(), "model.py", "exec")  # bytes may begin with a BOM, for Python a string may not


def test_an_import_goes_below_a_last_line_without_an_end():
    text = applied(f'{NET}\nif __name__ == "__main__":\n    pass\n\nimport os')
    assert text.endswith("import os\nimport torch\n")


# Whatever the file


def test_a_class_that_needs_another_of_its_kind_gets_a_probe():
    text = "class Node:\n    def __init__(self, child: 'Node'):\n        self.child = child\n\n\n"
    text += FILE.replace("self)", "self, root: Node)")
    assert write_probe(text, "Net").text.startswith("\n\ndef gradflow_probe")


IMPORTS = {"import torch\n", "from torch import nn\n", "import torch.nn as nn\n", "import os, sys\n"}
STATEMENTS = st.sampled_from(
    [
        *sorted(IMPORTS),
        *('"""Doc."""\n', "# comment\n", "\n", "\n\n\n", "x = 1; y = 2\n", "MODE = 'é🔥'\n", "\f\n", "   # indented\n"),
        *("def helper(a, *b, c=1):\n    return a\n", "@cached\ndef other(): pass\n", "async def later(): ...\n"),
        *('TEXT = """\nif __name__ == "__main__":\n"""\n', "if True:\n\tz = 1\n", "def gradflow_probe(): ...\n"),
        *('if __name__ == "__main__":\n    pass\n', "try:\n    import torch\nexcept ImportError:\n    torch = None\n"),
        *(
            "torch = nn = None\n",
            "class Other(nn.Module):\n    pass\n",
            "from torch import (\n    nn,\n    optim,\n)\n",
        ),
    ]
)
CLASSES = st.sampled_from(
    [
        NET,
        "class Net(nn.Module): pass\n",
        "class Net(nn.Module):\n    def forward(self, *args, **kwargs):\n        return args\n",
        "class Net(nn.Sequential):\n  def __init__(self, n):\n    super().__init__(*[nn.Linear(m, m) for m in n])\n",
        "class Net:\n\tdef __init__(self, a, /, *, b): self.a = nn.GRU(a, b)\n\tdef forward(self, x): return x\n",
        "@dataclass\nclass Net(nn.Module):\n    size: int\n    def forward(self, x): raise NotImplementedError\n",
    ]
)


def parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


@given(
    before=st.lists(STATEMENTS, max_size=6),
    net=CLASSES,
    after=st.lists(STATEMENTS, max_size=6),
    newline=st.sampled_from(["\n", "\n", "\r\n"]),
    ended=st.booleans(),
)
@settings(deadline=None, max_examples=40)
def test_a_file_that_parses_still_parses_with_its_probe(before, net, after, newline, ended):
    text = "".join([*before, net, *after]).replace("\n", newline)
    text = text if ended else text.rstrip()
    assert parses(text)
    stub = write_probe(text, "Net")
    result = stub.apply(text)
    assert parses(result)
    assert stub.function in {site.function for site in outline(result).probes}


@given(cut=st.integers(0, len(model_text("dict_output"))), length=st.integers(1, 60))
@example(cut=127, length=6)  # the end of the bases
@settings(deadline=None, max_examples=30)
def test_a_file_with_a_hole_gets_a_probe_all_the_same(cut, length):
    text = model_text("dict_output")
    text = text[:cut] + text[cut + length :]
    names = [one.name for one in outline(text).classes if one.is_module]
    for name in names[-1:]:
        stub = write_probe(text, name)
        assert parses(stub.text)
        assert len(stub.apply(text)) >= len(text) + len(stub.text)


# That it runs

RUNNER = """
import importlib.util, json, sys, torch
torch.set_num_threads(1)
torch.manual_seed(0)
shares = {}
for path in sys.argv[1:]:
    spec = importlib.util.spec_from_file_location(path.rpartition("/")[2][:-3], path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    model, loss = module.gradflow_probe()
    loss.backward()
    parameters = [p for p in model.parameters() if p.requires_grad]
    shares[spec.name] = sum(p.grad is not None for p in parameters) / len(parameters)
print(json.dumps(shares))
"""


@pytest.mark.slow
def test_the_golden_probes_run_and_reach_the_parameters(tmp_path):
    for name in MODELS:
        text = model_text(name)
        (tmp_path / f"{name}.py").write_text(stub_of(name).apply(text), encoding="utf-8")
    paths = [(tmp_path / f"{name}.py").as_posix() for name in MODELS]
    run = subprocess.run([sys.executable, "-c", RUNNER, *paths], capture_output=True, text=True, timeout=100)
    assert run.returncode == 0, run.stderr
    shares = json.loads(run.stdout)
    assert shares.keys() == set(MODELS)
    assert min(shares.values()) > 0.9, shares
