"""What a probe hands to a class and calls of it, where constructor, forward and plain inputs are not enough."""

import pytest

from gradflow_lsp.source.stub import write_probe

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n\n\n"


def net(init: str, forward: str | None, *more: str, before: str = "", after: str = "") -> str:
    """Return a file with a class `Net`; `init` is "arguments: statements", `forward` too, `more` are whole methods."""
    lines = [f"{HEAD}{before}", "class Net(nn.Module):"]
    for name, method in (("__init__", init), ("forward", forward)):
        if method is not None:
            arguments, _, body = method.partition(":")
            lines += [f"    def {name}(self{', ' * bool(arguments)}{arguments}):"]
            lines += ["        super().__init__()"] if name == "__init__" else []
            lines += [f"        {statement.strip()}" for statement in body.split(";")]
    lines += [f"    {line}" for method in more for line in method.splitlines()]
    return "\n".join(lines) + f"\n{after}"


def written(text: str) -> str:
    stub = write_probe(text, "Net")
    assert stub.todo == []
    return stub.text


# What is handed in


def test_settings_that_read_a_file_are_had_without_it():
    settings = "class Config:\n    def __init__(self, folder):\n        self.words = open(folder).readlines()\n\n\n"
    text = written(net("config: self.fc = nn.Linear(3, config.width)", "x: return self.fc(x)", before=settings))
    assert "SimpleNamespace(width=32)" in text


def test_a_module_that_takes_several_arguments_is_one_of_the_probes_own():
    text = written(net("inner: self.inner = inner", "x, t: return self.inner(x, t, scale=2)"))
    assert "    class StandIn(nn.Module):\n" in text and "Net(StandIn())" in text


def test_a_module_that_is_called_with_ids_gives_scores_for_them():
    text = written(
        net("inner: self.inner = inner", "x: out = self.inner(x[:, :-1], 1); return F.cross_entropy(out.mT, x[:, 1:])")
    )
    assert "nn.Embedding(32, 32)" in text and "torch.randint(" in text


def test_modules_handed_in_twice_share_their_class():
    text = written(net("a, b: self.a = a; self.b = b", "x: return self.a(x, 1) + self.b(x, 2)"))
    assert text.count("class StandIn") == 1


def test_a_list_of_modules_registers_them():
    file = net("blocks: self.blocks = blocks", "x: return sum(block(x) for block in self.blocks)")
    assert "nn.ModuleList([" in written(file.replace("blocks):", "blocks: nn.ModuleList):"))


def test_a_mapping_that_is_unpacked_holds_what_is_required():
    part = "class Part(nn.Module):\n    def __init__(self, inside, width, kernel_size=3):\n        super().__init__()\n"
    part += "        self.fc = nn.Linear(inside, width)\n    def forward(self, x):\n        return self.fc(x)\n\n\n"
    text = written(net("settings: self.part = Part(3, **settings)", "x: return self.part(x)", before=part))
    assert 'settings={"width": 32}' in text


def test_a_function_of_the_file_is_handed_in_by_its_name():
    function = (
        "def plain_conv(inside, out, kernel_size):\n    return nn.Conv2d(inside, out, kernel_size, padding=1)\n\n\n"
    )
    text = written(net("conv: self.conv = conv(3, 8, 3)", "x: return self.conv(x)", before=function))
    assert "conv=plain_conv" in text


def test_a_matrix_is_made_where_a_number_could_not_be_used():
    text = written(net("gso: self.gso = gso; self.fc = nn.Linear(5, 2)", "x: return self.fc(self.gso @ x)"))
    assert "gso=torch.randn(" in text


def test_pretrained_weights_are_left_out():
    text = written(net("pretrained_vectors: self.fc = nn.Linear(3, 2)", "x: return self.fc(x)"))
    assert "pretrained_vectors=None" in text


def test_an_argument_that_is_only_tested_is_a_flag():
    text = written(
        net(
            "grouped: self.fc = nn.Linear(3, 2); self.grouped = grouped",
            "x: return self.fc(x) if not self.grouped else x",
        )
    )
    assert "grouped=False" in text


def test_an_input_that_sizes_are_made_of_is_a_number():
    text = written(net(": self.bias = nn.Embedding(32, 2)", "qlen: return self.bias(torch.arange(qlen))"))
    assert "qlen = 8" in text


def test_an_axis_is_as_long_as_the_loop_that_counts_through_it():
    text = written(
        net(": self.fc = nn.Linear(3, 2)", "x, steps=25: out = [self.fc(x[:, i]) for i in range(steps)]; return out[0]")
    )
    assert ", 25)" in text


def test_the_first_of_several_choices_is_taken():
    file = net(": self.fc = nn.Linear(3, 2)", "x, mode: return self.pick(x, mode)")
    text = written(
        f"""{file}
    def pick(self, x, mode):
        if mode == "one":
            return self.fc(x)
        elif mode == "two":
            return self.fc(-x)
        raise ValueError(mode)
"""
    )
    assert 'mode = "one"' in text


# What is called


def test_a_forward_that_only_raises_is_not_called():
    text = written(
        net(
            ": self.fc = nn.Linear(3, 2)",
            ": raise NotImplementedError",
            "def evaluate(self, x):\n    return self.fc(x)",
        )
    )
    assert "model.evaluate(x)" in text


def test_a_method_is_called_that_reaches_what_forward_does_not():
    text = written(
        net(
            ": self.fc = nn.Linear(3, 2); self.log_alpha = nn.Parameter(torch.zeros(()))",
            "x: return self.fc(x)",
            "def alpha_loss(self, entropy):\n    return (self.log_alpha * entropy).mean()",
        )
    )
    assert "loss = loss + model.alpha_loss(entropy)" in text


def test_a_method_that_reaches_nothing_new_is_not_called():
    method = "def compute_loss(self, x):\n    return self.fc(x).mean()"
    assert "compute_loss" not in written(net(": self.fc = nn.Linear(3, 2)", "x: return self.fc(x)", method))


def test_the_parts_are_called_of_a_model_that_only_holds_them():
    part = net(": self.fc = nn.Linear(3, 2)", "x: return self.fc(x)").removeprefix(HEAD).replace("Net", "Part")
    act = "def act(self, x):\n    with torch.no_grad():\n        return self.pi(x)"
    text = written(net(": self.pi = Part(); self.q = Part()", None, act, before=part))
    assert "model.pi(x)" in text and "model.q(x)" in text and "model.act" not in text


def test_a_method_that_sets_what_forward_needs_is_called_first():
    method = "def start(self, batch_size):\n    self.state = torch.zeros(batch_size, 2)"
    text = written(net(": self.fc = nn.Linear(3, 2)", "x: return self.fc(x) + self.state", method))
    assert "    model = Net()\n    model.start(batch_size=4)\n" in text


def test_names_that_only_the_main_block_binds_are_bound():
    main = '\n\nif __name__ == "__main__":\n    n_hidden = 5\n    model = Net()\n'
    text = written(net(": self.fc = nn.Linear(3, n_hidden)", "x: return self.fc(x)", after=main))
    assert "    global n_hidden\n    n_hidden = 5\n" in text


# What makes a better probe


def test_a_flag_is_set_where_that_reaches_more():
    text = written(
        net(
            "both=False: self.both = both; self.a = nn.Linear(3, 2); self.b = nn.Linear(3, 2)",
            "x: return self.a(x) + self.b(x) if self.both else self.a(x)",
        )
    )
    assert "both=True" in text


def test_a_probe_of_other_choices_has_a_plainer_one_to_fall_back_to():
    text = net(
        "both=False: self.both = both; self.a = nn.Linear(3, 2); self.b = nn.Linear(3, 2)",
        "x: return self.a(x) + self.b(x) if self.both else self.a(x)",
    )
    plainer = write_probe(text, "Net").plainer
    assert plainer is not None and "model = Net()" in plainer


def test_a_model_that_is_very_large_by_default_is_made_small():
    text = written(
        net(
            "dim=8192, n_layers=32: self.a = nn.ModuleList(nn.Linear(dim, dim) for _ in range(n_layers))",
            "x: return sum(layer(x) for layer in self.a)",
        )
    )
    assert "dim=32, n_layers=2" in text


def test_a_model_of_a_usual_size_keeps_its_defaults():
    text = written(net("dim=768: self.fc = nn.Linear(dim, dim)", "x: return self.fc(x)"))
    assert "Net()" in text


def test_few_examples_are_made_where_each_is_large():
    text = written(net(": self.conv = nn.Conv2d(3, 2, 3)", "x: return self.conv(x)", after="# 512x512 pictures\n"))
    assert "torch.randn(4, 3, 32, 32)" in text
    large = net(
        ": self.conv = nn.Conv2d(3, 2, 3); self.fc = nn.Linear(2 * 222 * 222, 2)",
        "x: return self.fc(self.conv(x).flatten(1))",
    )
    assert "torch.randn(2, 3, 224, 224)" in written(large)


@pytest.mark.parametrize("size", ["hidden_size", "width"])
def test_no_size_grows_without_bounds(size):
    stub = write_probe(
        net(
            f"{size}: self.emb = nn.Embedding(10, {size}); self.gru = nn.GRU({size}, {size})",
            "x: return self.gru(self.emb(x).view(3, -1))[0]",
        ),
        "Net",
    )
    assert max((len(word) for word in stub.text.split()), default=0) < 60


def test_a_huge_example_of_the_file_is_made_smaller():
    main = '\n\nif __name__ == "__main__":\n    Net()(torch.randn(2, 3, 512, 1024))\n'
    text = written(net(": self.conv = nn.Conv2d(3, 2, 3)", "x: return self.conv(x)", after=main))
    assert "torch.randn(2, 3, 128, 256)" in text
