"""Probes, model classes, their layers, and what a position in the text speaks of."""

import itertools
import textwrap
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradflow_lsp.source.outline import Outline, outline
from gradflow_lsp.source.spans import Span

MODELS = Path(__file__).parent / "models"
MLP = (MODELS / "mlp.py").read_text(encoding="utf-8")
TRANSFORMER = (MODELS / "transformer.py").read_text(encoding="utf-8")

MODEL = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(), Block()])
        self.heads = nn.ModuleDict({"map": nn.Linear(4, 2)})
        self.size = 3

    def forward(self, x):
        x = self.blocks[0].fc(x)
        x = self.blocks[self.size](x)
        return self.heads["map"](x)
"""


def read(text: str) -> Outline:
    return outline(textwrap.dedent(text))


def probe_names(text: str) -> list[str]:
    return [site.function for site in read(text).probes]


def source_at(text: str, span: Span) -> str:
    """Return what a span of one line covers."""
    assert span.line == span.end_line
    return text.splitlines()[span.line - 1][span.column : span.end_column]


def mention(wanted: str, text: str = MODEL):
    """Return what is mentioned where `|` stands in `wanted`, a piece of the text."""
    before, _, after = wanted.partition("|")
    offset = text.index(before + after) + len(before)
    line = text.count("\n", 0, offset) + 1
    return outline(text).mention_at(line, offset - (text.rfind("\n", 0, offset) + 1))


# Probes


def test_a_probe_has_the_place_of_its_name_and_of_all_of_it():
    [site] = read("import torch\n\n\ndef gradflow_probe():\n    return 1\n").probes
    assert site.function == "gradflow_probe"
    assert site.name_span == Span(4, 4, 4, 18)
    assert site.span == Span(4, 0, 5, 12)


def test_a_file_may_have_several_probes_with_names_of_their_own():
    text = "def gradflow_probe_b(): ...\ndef gradflow_probe(): ...\ndef gradflow_probe_müll2(): ...\n"
    assert probe_names(text) == ["gradflow_probe_b", "gradflow_probe", "gradflow_probe_müll2"]


@pytest.mark.parametrize(
    "name", ["gradflow", "gradflow_prob", "gradflow_probes", "my_gradflow_probe", "gradflow_probe_"]
)
def test_another_name_makes_no_probe(name):
    assert probe_names(f"def {name}(): ...\n") == []


@pytest.mark.parametrize(
    "parameters",
    [
        "",
        "seed",
        "device",
        "seed: int = 0, device: str = 'cpu'",
        "seed: int",
        "size=3",
        "*, size=3",
        "*args, **kwargs",
        "*args: int, **kwargs: str",
        "size: int = 3, /",
    ],
)
def test_a_probe_needs_no_argument_but_seed_and_device(parameters):
    assert probe_names(f"def gradflow_probe({parameters}): ...\n") == ["gradflow_probe"]


@pytest.mark.parametrize("parameters", ["size", "size: int", "seed, size", "*, size", "self", "size, /"])
def test_a_function_with_required_arguments_is_no_probe(parameters):
    assert probe_names(f"def gradflow_probe({parameters}): ...\n") == []


@pytest.mark.parametrize(
    "text",
    [
        "def outer():\n    def gradflow_probe(): ...\n",
        "class Model:\n    def gradflow_probe(): ...\n",
        "if True:\n    def gradflow_probe(): ...\n",
    ],
)
def test_a_function_within_something_else_is_no_probe(text):
    assert probe_names(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "async def gradflow_probe(): ...\n",
        "class gradflow_probe: ...\n",
        "gradflow_probe = build\n",
        "from models import gradflow_probe\n",
        "# def gradflow_probe(): ...\n",
        '"""\ndef gradflow_probe(): ...\n"""\n',
    ],
)
def test_only_a_plain_function_is_a_probe(text):
    assert probe_names(text) == []


def test_a_probe_may_be_decorated():
    [site] = read("@torch.enable_grad()\n@cached\ndef gradflow_probe():\n    ...\n").probes
    assert (site.name_span.line, site.span.line) == (3, 1)


def test_of_two_probes_with_one_name_the_last_one_counts():
    [site] = read("def gradflow_probe(): ...\n\ndef gradflow_probe(): ...\n").probes
    assert site.span.line == 3


def test_a_probe_in_a_file_with_windows_line_ends():
    [site] = read("import torch\r\n\r\ndef gradflow_probe():\r\n    ...\r\n").probes
    assert site.span == Span(3, 0, 4, 7)


# Classes


def module_names(text: str) -> list[str]:
    return [one.name for one in read(text).classes if one.is_module]


@pytest.mark.parametrize(
    "head",
    [
        "from torch import nn\nclass Net(nn.Module)",
        "import torch\nclass Net(torch.nn.Module)",
        "import torch.nn as N\nclass Net(N.Module)",
        "from torch.nn import Module\nclass Net(Module)",
        "from torch.nn import Module as M\nclass Net(M)",
        "class Net(nn.Sequential)",
        "class Net(nn.Linear)",
        "class Net(Mixin, nn.Module)",
        "class Net(nn.Module, Generic[T])",
        "import lightning as L\nclass Net(L.LightningModule)",
        "class Net(pl.LightningModule)",
    ],
)
def test_a_class_is_a_module_by_its_bases(head):
    assert module_names(f"{head}:\n    pass\n") == ["Net"]


@pytest.mark.parametrize("head", ["class Net", "class Net()", "class Net(Dataset)", "class Net(nn.Parameter)"])
def test_other_classes_are_no_modules(head):
    assert module_names(f"{head}:\n    pass\n") == []


def test_a_child_of_a_module_of_the_file_is_a_module():
    assert module_names("class A(nn.Module): ...\nclass B(A): ...\nclass C(B): ...\nclass D(E): ...\n") == [
        "A",
        "B",
        "C",
    ]


def test_the_bases_are_as_they_are_written():
    [net] = read("class Net(Base[int], nn.Module, metaclass=Meta): ...\n").classes
    assert net.bases == ("Base", "nn.Module")


def test_a_class_has_the_place_of_its_name_and_of_all_of_it():
    [net] = outline(MODEL).classes
    assert source_at(MODEL, net.name_span) == "Net"
    assert (net.span.line, net.span.end_line) == (5, 15)


def test_layers_are_the_calls_that_the_constructor_assigns():
    [net] = outline(MODEL).classes
    assert {name: source_at(MODEL, span) for name, span in net.layers.items()} == {
        "blocks": "nn.ModuleList([Block(), Block()])",
        "heads": 'nn.ModuleDict({"map": nn.Linear(4, 2)})',
    }


def layers(statement: str) -> dict[str, str]:
    text = f"class Net(nn.Module):\n    def __init__(self, deep):\n        {statement}\n"
    [net] = outline(text).classes
    return {name: source_at(text, span) for name, span in net.layers.items()}


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("self.a = self.b = nn.ReLU()", {"a": "nn.ReLU()", "b": "nn.ReLU()"}),
        ("self.a, self.b = nn.ReLU(), nn.GELU()", {"a": "nn.ReLU()", "b": "nn.GELU()"}),
        ("self.a: nn.Module = nn.ReLU()", {"a": "nn.ReLU()"}),
        ("if deep: self.a = nn.ReLU()", {"a": "nn.ReLU()"}),
        ("self.a = 3", {}),
        ("self.a.b = nn.ReLU()", {}),
        ("other.a = nn.ReLU()", {}),
        ("def later(): self.a = nn.ReLU()", {}),
    ],
)
def test_layers_in_unusual_assignments(statement, expected):
    assert layers(statement) == expected


@pytest.mark.timeout(2)
def test_a_long_chain_of_targets_is_read_at_once():
    names = [f"a{number}" for number in range(30)]
    assert list(layers(" = ".join(f"self.{name}" for name in names) + " = nn.ReLU()")) == names


def test_the_first_parameter_may_have_any_name():
    text = "class Net(nn.Module):\n    def __init__(this):\n        this.a = nn.ReLU()\n"
    assert list(outline(text).classes[0].layers) == ["a"]


def test_of_two_definitions_the_first_one_counts():
    assert layers("self.a = nn.ReLU(); self.a = nn.GELU()") == {"a": "nn.ReLU()"}


def test_the_range_of_a_layer_counts_characters():
    assert layers('print("🔥🔥"); self.a = nn.ReLU()') == {"a": "nn.ReLU()"}


# Mentions


@pytest.mark.parametrize(
    ("wanted", "path"),
    [
        ("self.|blocks[0].fc", ("blocks",)),
        ("self.blo|cks[0].fc", ("blocks",)),
        ("self.blocks|[0].fc", ("blocks",)),
        ("self.blocks[|0].fc", ("blocks", "0")),
        ("self.blocks[0].f|c", ("blocks", "0", "fc")),
        ("self.blocks[0].fc|(x)", ("blocks", "0", "fc")),
        ('self.heads["m|ap"]', ("heads", "map")),
        ("self.si|ze](x)", ("size",)),
    ],
)
def test_a_mention_is_the_chain_up_to_the_cursor(wanted, path):
    found = mention(wanted)
    assert (found.class_name, found.attribute, found.path) == ("Net", path[0], path)


def test_a_key_that_only_a_run_knows_is_a_star():
    text = MODEL.replace("self.size](x)", "self.size].fc(x)")
    assert mention("[self.size].f|c", text).path == ("blocks", "*", "fc")


def test_the_range_of_a_mention_is_its_chain():
    assert source_at(MODEL, mention("self.blocks[0].f|c").span) == "self.blocks[0].fc"


@pytest.mark.parametrize("wanted", ["impo|rt torch", "class N|et", "return| self", "fc(|x)", "super|()"])
def test_elsewhere_nothing_is_mentioned(wanted):
    assert mention(wanted) is None


def test_a_position_outside_the_text_mentions_nothing():
    assert outline(MODEL).mention_at(999, 999) is None


def test_mentions_behind_wide_characters():
    text = MODEL.replace("x = self.blocks[0]", 'x = "🔥" and self.blocks[0]')
    assert mention("self.blo|cks[0].fc", text).path == ("blocks",)


# While the file is being typed


def test_a_probe_below_an_open_bracket_is_found():
    assert probe_names("x = torch.cat([a, b\n\n\ndef gradflow_probe():\n    return 1\n") == ["gradflow_probe"]


def test_a_probe_with_a_half_typed_body_is_found():
    assert probe_names("import torch\n\n\ndef gradflow_probe():\n    model = Net(\n") == ["gradflow_probe"]


def test_a_class_keeps_the_layers_above_the_line_that_is_being_typed():
    text = MODEL.replace("self.size = 3", "self.next = nn.Linear(4,")
    assert {"blocks", "heads"} <= outline(text).classes[0].layers.keys()


def test_a_mention_above_the_line_that_is_being_typed_is_found():
    text = MODEL.replace('return self.heads["map"](x)', "return self.heads[")
    assert mention("self.blocks[0].f|c", text).path == ("blocks", "0", "fc")


def test_no_prefix_of_a_file_is_too_short_to_read():
    for end in range(len(MLP) + 1):
        outline(MLP[:end]).mention_at(MLP.count("\n", 0, end) + 1, 12)


def test_a_class_once_typed_stays_while_the_next_one_is_typed():
    whole = TRANSFORMER.index("class NotesTransformer")
    for end in range(whole, len(TRANSFORMER), 9):
        assert {"NotesConfig", "Block"} <= {one.name for one in outline(TRANSFORMER[:end]).classes}


PIECES = st.sampled_from(
    [
        *"()[]{}:,.=@'\"#\\\n\r\t\f \0é🔥\ud800\ufeff",
        *("class A(nn.Module):\n", "    def __init__(self):\n", "        self.a = ", "nn.Linear(1, 2)", "self.a[0].b"),
        *("def gradflow_probe():\n", "async ", "lambda ", '"""', "f'{"),
    ]
)


@given(st.one_of(st.text(), st.lists(PIECES, max_size=30).map("".join)), st.integers(0, 9), st.integers(0, 40))
@settings(deadline=None)
def test_no_text_is_too_broken_for_an_outline(text, line, column):
    found = outline(text)
    found.mention_at(line, column)
    assert (found.probes, found.classes) == (outline(text).probes, outline(text).classes)


@given(st.lists(PIECES, max_size=30).map("".join))
@settings(deadline=None)
def test_every_place_lies_in_the_text(text):
    last = text.count("\n") + text.count("\r") + 1
    found = outline(text)
    for one in itertools.chain(found.probes, found.classes):
        assert one.span.line <= one.name_span.line <= one.span.end_line <= last
