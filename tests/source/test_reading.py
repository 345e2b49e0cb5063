"""What a class says, and what its probe makes of it: arguments, inputs, checks in the code, the loss.

Each class here says one thing; the lines below it are what that leads to.
"""

from textwrap import dedent, indent

import pytest

from gradflow_lsp.source.stub import write_probe

HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n\n\n"


def probe_of(code: str, class_name: str = "Net") -> str:
    """Return the probe for a class of a file that begins with the usual imports."""
    return write_probe(HEAD + dedent(code), class_name).text


def net(arguments: str = "", init: str = "pass", forward: str = "return x", inputs: str = "x", above: str = "") -> str:
    """Return the code of a module with these arguments, constructor and forward."""
    init, forward = (indent(dedent(part).strip(), " " * 8) for part in (init, forward))
    return (
        f"{above}\nclass Net(nn.Module):\n    def __init__(self{arguments and ', ' + arguments}):\n"
        f"        super().__init__()\n{init}\n\n    def forward(self, {inputs}):\n{forward}\n"
    )


def lines_of(probe: str) -> list[str]:
    return [line.strip() for line in probe.splitlines()]


# Inputs


@pytest.mark.parametrize(
    ("layer", "made"),
    [
        ("nn.Linear(7, 2)", "torch.randn(4, 7)"),
        ("nn.Conv1d(5, 8, 3)", "torch.randn(4, 5, 64)"),
        ("nn.Conv2d(1, 8, 3)", "torch.randn(4, 1, 32, 32)"),
        ("nn.Conv3d(2, 8, 3)", "torch.randn(4, 2, 8, 32, 32)"),
        ("nn.ConvTranspose2d(6, 3, 4)", "torch.randn(4, 6, 32, 32)"),
        ("nn.Embedding(50, 8)", "torch.randint(0, 50, (4, 16))"),
        ("nn.LSTM(9, 8)", "torch.randn(16, 4, 9)"),
        ("nn.GRU(9, 8, batch_first=True)", "torch.randn(4, 16, 9)"),
        ("nn.GRUCell(9, 8)", "torch.randn(4, 9)"),
        ("nn.TransformerEncoderLayer(16, 2, batch_first=True)", "torch.randn(4, 16, 16)"),
        ("nn.BatchNorm1d(6)", "torch.randn(4, 6)"),
        ("nn.BatchNorm2d(6)", "torch.randn(4, 6, 32, 32)"),
        ("nn.LayerNorm(12)", "torch.randn(4, 12)"),
        ("nn.LayerNorm([5, 12])", "torch.randn(4, 5, 12)"),
        ("nn.Sequential(nn.Flatten(), nn.Linear(28 * 28, 2))", "torch.randn(4, 784)"),
        ("nn.Linear(7, 2).double()", "torch.randn(4, 7, dtype=torch.float64)"),
    ],
)
def test_the_first_layer_gives_the_input(layer, made):
    assert f"x = {made}" in lines_of(probe_of(net(init=f"self.layer = {layer}", forward="return self.layer(x)")))


@pytest.mark.parametrize(
    ("forward", "made"),
    [
        ("b, t, c = x.shape\nreturn self.fc(x)", "torch.randn(4, 16, 7)"),
        ("b, t, c = x.size()\nreturn self.fc(x.view(b * t, c))", "torch.randn(4, 16, 7)"),
        ("return self.fc(x[:, -1, :])", "torch.randn(4, 16, 7)"),
        ("return self.fc(x.transpose(1, 2))", "torch.randn(4, 7, 16)"),
        ("return self.fc(x.mean((2, 3)))", "torch.randn(4, 7, 32, 32)"),
        ("return self.fc(torch.cat([x, x * 2, x[:, :1]], dim=1))", "torch.randn(4, 3)"),
        ("return self.fc(x.float() / 255)", "torch.randn(4, 7)"),
        ("return self.fc(torch.log(x))", "torch.rand(4, 7)"),
        ("return self.fc(F.one_hot(x, 7).float())", "torch.randint(0, 7, (4, 16))"),
    ],
)
def test_the_way_to_the_layer_is_followed_back(forward, made):
    assert f"x = {made}" in lines_of(probe_of(net(init="self.fc = nn.Linear(7, 2)", forward=forward)))


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ('"""x: (B, T, 7)"""', "torch.randn(4, 16, 7)"),
        ('"""x has the shape [batch, time, width]."""', "torch.randn(4, 16, 7)"),
        ("# x is N x 5 x 7", "torch.randn(4, 5, 7)"),
        ('"""(batch, time, features) -> (batch, 2)"""', "torch.randn(4, 16, 7)"),
        ('"""Returns (B, T, 2)."""', "torch.randn(4, 7)"),
        ('"""x lies in [-1, 1]."""', "torch.randn(4, 7)"),
    ],
)
def test_shapes_in_docstrings_and_comments_are_believed(text, made):
    code = net("width=7", "self.fc = nn.Linear(width, 2)", f"{text}\nreturn self.fc(x)")
    assert f"x = {made}" in lines_of(probe_of(code))


def test_what_is_said_gives_way_to_what_the_code_needs():
    code = net(init="self.fc = nn.Linear(7, 2)", forward='"""x: (B, 9)"""\nreturn self.fc(x)')
    assert "x = torch.randn(4, 7)" in lines_of(probe_of(code))


def test_the_size_of_pictures_is_found_by_trying():
    init = "self.conv = nn.Conv2d(3, 4, 5, stride=2)\nself.fc = nn.Linear(4 * 110 * 110, 2)"
    code = net(init=init, forward="return self.fc(self.conv(x).flatten(1))")
    assert "x = torch.randn(2, 3, 224, 224)" in lines_of(probe_of(code))


def test_several_inputs_agree_with_each_other():
    init = "self.words = nn.Embedding(40, 8)\nself.chars = nn.Embedding(30, 8)\nself.fc = nn.Linear(16, 2)"
    forward = "return self.fc(torch.cat([self.words(words), self.chars(chars).mean(2)], dim=-1))"
    found = lines_of(probe_of(net(init=init, forward=forward, inputs="words, chars")))
    assert "words = torch.randint(0, 40, (4, 16))" in found
    assert "chars = torch.randint(0, 30, (4, 16, 16))" in found


def test_a_batch_that_is_a_dict_has_the_keys_that_are_read():
    forward = 'return self.fc(batch["a"]) + self.emb(batch["ids"])'
    code = net(init="self.fc, self.emb = nn.Linear(7, 8), nn.Embedding(9, 8)", forward=forward, inputs="batch")
    made = 'batch = {"a": torch.randn(4, 16, 7), "ids": torch.randint(0, 9, (4, 16))}'
    assert made in lines_of(probe_of(code))


def test_lengths_are_those_of_the_sequences():
    forward = "packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)\nreturn self.rnn(packed)[1]"
    code = net(init="self.rnn = nn.GRU(5, 8, batch_first=True)", forward=forward, inputs="x, lengths")
    assert "lengths = torch.full((4,), 16)" in lines_of(probe_of(code))


def test_a_mask_hides_nothing():
    init = "self.layer = nn.TransformerEncoderLayer(8, 2, batch_first=True)"
    code = net(init=init, forward="return self.layer(x, src_key_padding_mask=padding_mask)", inputs="x, padding_mask")
    assert "padding_mask = torch.zeros(4, 16, dtype=torch.bool)" in lines_of(probe_of(code))


def test_inputs_that_are_derived_by_require_a_gradient():
    forward = "u = self.fc(x)\nreturn torch.autograd.grad(u.sum(), x, create_graph=True)[0]"
    code = net(init="self.fc = nn.Linear(2, 1)", forward=forward)
    assert "x = torch.randn(4, 2, requires_grad=True)" in lines_of(probe_of(code))


# Arguments


@pytest.mark.parametrize(
    ("argument", "given"),
    [
        ("num_classes", "num_classes=10"),
        ("vocab_size: int", "vocab_size=100"),
        ("dropout", "dropout=0.1"),
        ("use_gate: bool", "use_gate=False"),
        ("hidden_sizes", "hidden_sizes=[32, 64]"),
        ("kernel: tuple[int, int]", "kernel=(3, 3)"),
        ("mode: Literal['fast', 'slow']", "mode='fast'"),
        ("size: int | None", "size=32"),
        ("size, /", "Net(32)"),
        ("*, size", "size=32"),
    ],
)
def test_names_and_annotations_give_the_arguments(argument, given):
    assert given in probe_of(net(argument, "self.fc = nn.Linear(3, 2)", "return self.fc(x)"))


@pytest.mark.parametrize(
    ("argument", "init", "given"),
    [
        ("layers", "for width in layers:\n    self.fc = nn.Linear(3, width)", "layers=[2, 2]"),
        ("mode", "if mode not in ('gru', 'lstm'):\n    raise ValueError(mode)", "mode='gru'"),
        ("act", "self.act = {'tanh': nn.Tanh, 'relu6': nn.ReLU6}[act]()", "act='tanh'"),
        ("act", "self.act = act()", "act=nn.ReLU"),
        ("k", "assert k % 2 == 0 and k > 8", "k=64"),
        ("dim, parts", "assert dim % parts == 0", "dim=32, parts=8"),
        ("config", "self.fc = nn.Linear(config.hidden_dim, 2)", "SimpleNamespace(hidden_dim=32)"),
        ("config", "self.fc = nn.Linear(config['hidden_dim'], 2)", "{'hidden_dim': 32}"),
        ("vocab", "self.emb = nn.Embedding(len(vocab), 8, padding_idx=vocab['<pad>'])", "enumerate(['<pad>', 'a'"),
        ("use_cuda", "self.fc = nn.Linear(3, 2)", "use_cuda=False"),
    ],
)
def test_what_the_constructor_does_with_an_argument_gives_it(argument, init, given):
    code = net(argument, f"{init}\nself.out = nn.Linear(3, 2)", "return self.out(x)")
    assert given in probe_of(code).replace("\n    ", " ")


def test_arguments_of_the_same_file_are_built():
    encoder = "class Encoder(nn.Module):\n    def __init__(self, width):\n        super().__init__()\n"
    encoder += "        self.fc = nn.Linear(3, width)\n\n    def forward(self, x):\n        return self.fc(x)\n\n"
    code = net(
        "encoder, width", "self.encoder = encoder\nself.fc = nn.Linear(width, 2)", "return self.fc(self.encoder(x))"
    )
    assert "Net(encoder=Encoder(width=32), width=32)" in probe_of(encoder + code)


def test_an_enumeration_gives_one_of_its_members():
    above = "import enum\n\n\nclass Kind(enum.Enum):\n    FLAT = 1\n    DEEP = 2\n\n"
    assert "kind=Kind.FLAT" in probe_of(
        net("kind: Kind", "self.fc = nn.Linear(3, 2)", "return self.fc(x)", above=above)
    )


def test_defaults_of_the_files_own_parser_are_taken():
    above = 'import argparse\n\nparser = argparse.ArgumentParser()\nparser.add_argument("--hidden-dim", default=24)\n\n'
    code = net("args", "self.fc = nn.Linear(args.hidden_dim, 2)", "return self.fc(x)", above=above)
    assert "argparse.Namespace(hidden_dim=24)" in probe_of(code)


def test_defaults_are_left_alone():
    assert "model = Net()" in lines_of(probe_of(net("width=7", "self.fc = nn.Linear(width, 2)", "return self.fc(x)")))


def test_an_optional_argument_is_given_where_the_code_cannot_do_without():
    code = net("width=None", "self.fc = nn.Linear(width, 2)", "return self.fc(x)")
    assert "Net(width=32)" in probe_of(code)


def test_the_files_own_use_of_a_class_is_followed():
    code = net("width, depth", "self.fc = nn.Linear(width, depth)", "return self.fc(x)")
    code += "\n\nif __name__ == '__main__':\n    net = Net(11, depth=5)\n    print(net(torch.randn(1, 6, 11)))\n"
    found = lines_of(probe_of(code))
    assert "model = Net(width=11, depth=5)" in found and "x = torch.randn(4, 6, 11)" in found


def test_a_factory_function_of_the_file_is_followed():
    code = net("width, depth", "self.fc = nn.Linear(width, depth)", "return self.fc(x)")
    assert "Net(width=11, depth=5)" in probe_of(code + "\n\ndef small_net(**more):\n    return Net(11, depth=5)\n")


def test_saved_hyperparameters_are_the_arguments():
    init = "self.save_hyperparameters()\nself.fc = nn.Linear(self.hparams.width, 2)"
    code = net("width", init, "return self.fc(x)").replace("nn.Module", "pl.LightningModule")
    found = lines_of(probe_of("import lightning as pl\n" + code))
    assert "model = Net(width=32)" in found and "x = torch.randn(4, 32)" in found


def test_patterns_of_einops_are_read():
    forward = "return self.fc(rearrange(x, 'b c (h p) (w q) -> b (h w) (p q c)', p=4, q=4))"
    code = "from einops import rearrange\n" + net(init="self.fc = nn.Linear(32, 2)", forward=forward)
    assert "x = torch.randn(4, 2, 32, 32)" in lines_of(probe_of(code))


def test_an_input_that_is_unpacked_has_the_parts_that_their_names_say():
    code = net(
        init="self.emb = nn.Embedding(9, 8)", forward="tokens, lengths = batch\nreturn self.emb(tokens)", inputs="batch"
    )
    made = "batch = (torch.randint(0, 9, (4, 16)), torch.full((4,), 16))"
    assert made in lines_of(probe_of(code))


def test_ids_are_found_behind_arithmetic():
    code = net(init="self.emb = nn.Embedding(90, 8)", forward="return self.emb(x + torch.tensor([0, 10, 20]))")
    assert "x = torch.randint(0, 10, (4, 3))" in lines_of(probe_of(code))


def test_each_node_of_a_graph_belongs_to_one_group():
    forward = "h = self.fc(x)\nreturn h.new_zeros(10, 2).index_add(0, batch, h)"
    code = net(init="self.fc = nn.Linear(7, 2)", forward=forward, inputs="x, batch")
    assert "batch = torch.randint(0, 10, (4,))" in lines_of(probe_of(code))


def test_an_object_whose_class_is_asked_for_gets_one():
    init = 'assert space.__class__.__name__ == "Box"\nself.fc = nn.Linear(space.width, 2)'
    assert 'type("Box", (), {"width": 32})()' in probe_of(net("space", init, "return self.fc(x)"))


def test_what_the_file_holds_under_a_name_is_given_by_that_name():
    code = net("make", "self.fc = make()", "return self.fc(x)")
    code += "\n\nmaker = lambda: nn.Linear(11, 2)\nmodel = Net(maker)\n"
    found = lines_of(probe_of(code))
    assert "model = Net(make=maker)" in found and "x = torch.randn(4, 11)" in found


def test_classes_that_register_themselves_are_found():
    above = "TABLE = {}\n\n\ndef register(name):\n    def keep(cls):\n        TABLE[name] = cls\n        return cls\n"
    above += '    return keep\n\n\n@register("wide")\nclass Wide(nn.Linear):\n    pass\n\n'
    init = "if kind not in TABLE:\n    raise ValueError(kind)\nself.fc = TABLE[kind](7, 2)"
    assert 'Net(kind="wide")' in probe_of(net("kind", init, "return self.fc(x)", above=above)).replace("'", '"')


def test_arguments_of_the_command_line_are_read_at_the_top_of_the_file():
    above = 'import argparse\n\nparser = argparse.ArgumentParser()\nparser.add_argument("--width", default=24)\n'
    above += "opt, _ = parser.parse_known_args()\n\n"
    code = net(init="self.fc = nn.Linear(opt.width, 2)", forward="return self.fc(x)", above=above)
    assert "x = torch.randn(4, 24)" in lines_of(probe_of(code))


@pytest.mark.parametrize(
    ("forward", "made"),
    [
        ("return self.fc(x.view(1, x.size(0), -1))", "torch.randn(4, 7)"),
        ("b, c, n = x.shape\nreturn self.fc(x.view(b, -1, n).transpose(1, 2))", "torch.randn(4, 7, 16)"),
        ("b, n, c = x.shape\nreturn self.fc(x.view(b * n, -1))", "torch.randn(4, 16, 7)"),
        ("b, n, c = x.shape\nreturn self.fc(x.view(b * n, 7))", "torch.randn(4, 16, 7)"),
    ],
)
def test_views_are_followed_back_to_the_axes_they_keep(forward, made):
    assert f"x = {made}" in lines_of(probe_of(net(init="self.fc = nn.Linear(7, 2)", forward=forward)))


def test_an_entry_of_a_dict_is_reached_through_its_items():
    forward = 'h = self.fc(x)\nout = {}\nfor name, part in {"a": h}.items():\n    out[name] = part.relu()\nreturn out'
    found = lines_of(probe_of(net(init="self.fc = nn.Linear(7, 2)", forward=forward)))
    assert "loss = F.mse_loss(out['a'], torch.randn_like(out['a']))" in [line.replace('"', "'") for line in found]


# Output and loss


@pytest.mark.parametrize(
    ("forward", "loss"),
    [
        ("return self.a(x)", ["out = model(x)", "loss = F.mse_loss(out, torch.randn_like(out))"]),
        ("return self.a(x).softmax(-1)", ["out = model(x)", "loss = F.mse_loss(out, torch.randn_like(out))"]),
        ("return self.a(x).pow(2).mean()", ["loss = model(x)"]),
        ("h = self.a(x)\nloss = h.pow(2).mean()\nreturn h, loss", ["_, loss = model(x)"]),
        ('return {"loss": self.a(x).mean(), "y": x}', ['loss = model(x)["loss"]']),
        ("h = self.a(x)\nreturn self.b(h), h", ["b, _ = model(x)", "loss = F.mse_loss(b, torch.randn_like(b))"]),
        ("return self.a(x), x.argmax(1)", ["a, _ = model(x)", "loss = F.mse_loss(a, torch.randn_like(a))"]),
        (
            "return [self.a(x), self.b(x), self.c(x)]",
            ["out = model(x)", "loss = sum(F.mse_loss(part, torch.randn_like(part)) for part in out)"],
        ),
        (
            "return torch.distributions.Normal(self.a(x), 1.0)",
            ["out = model(x)", "loss = -out.log_prob(out.sample()).mean()"],
        ),
    ],
)
def test_the_loss_fits_what_comes_back(forward, loss):
    code = net(init="self.a, self.b, self.c = (nn.Linear(7, 7) for _ in range(3))", forward=forward)
    found = lines_of(probe_of(code))
    assert [line for line in loss if line not in found] == []


def test_targets_are_given_where_forward_makes_the_loss_of_them():
    forward = "y = self.fc(x)\nif labels is None:\n    return y, None\nreturn y, F.cross_entropy(y, labels)"
    code = net(init="self.fc = nn.Linear(7, 3)", forward=forward, inputs="x, labels=None")
    found = lines_of(probe_of(code))
    assert "labels = torch.randint(0, 3, (4,))" in found and "_, loss = model(x, labels)" in found


def test_a_class_without_a_forward_is_called_by_its_likeliest_method():
    code = net(init="self.fc = nn.Linear(7, 3)", forward="return self.fc(x).pow(2).mean()").replace(
        "forward", "compute_loss"
    )
    assert "loss = model.compute_loss(x)" in lines_of(probe_of(code))


# What reading cannot settle


def test_what_does_not_fit_is_said_with_its_line():
    code = net(init="self.a, self.b = nn.Linear(7, 5), nn.Linear(4, 2)", forward="return self.b(self.a(x))")
    assert "# TODO: check the arguments and inputs; Linear needs 4 and gets 5 (line 13)" in lines_of(probe_of(code))


@pytest.mark.parametrize(
    "init",
    [
        "while True:\n    pass",
        "x = 9 ** 9 ** 9",
        "x = 'a' * 10 ** 12",
        "x = [0]\nfor _ in range(10 ** 9):\n    x = x + x",
        "def f(n):\n    return f(n + 1)\nf(0)",
        "x = 1\nfor _ in range(10 ** 6):\n    x = x * x + 7",
    ],
)
def test_no_code_keeps_the_writer_busy(init):
    assert "return model, loss" in probe_of(net(init=init))


def test_nothing_of_the_users_is_run(tmp_path):
    touched = tmp_path / "touched"
    code = f"open({str(touched)!r}, 'w').close()\n" + net(init=f"open({str(touched)!r}, 'w').close()")
    probe_of(code)
    assert not touched.exists()
