"""What takes the place of a dead activation, however it is written, and where nothing does."""

import pytest

from ..fixing import HEAD, fixed, model, offered


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        ("torch.relu(x)", "F.leaky_relu(x)"),
        ("F.relu_(x)", "F.leaky_relu_(x)"),
        ("x.relu_()", "F.leaky_relu_(x)"),
        ("F.relu6(x, True)", "F.leaky_relu(x, inplace=True)"),
        ("F.threshold(x, 0, 0)", "F.leaky_relu(x)"),
        ("F.hardsigmoid(x)", "torch.sigmoid(x)"),
        ("F.hardswish(x)", "F.silu(x)"),
        ("x.clamp(0, 1)", "x - x.detach() + x.clamp(0, 1).detach()"),
        ("torch.clamp(x, min=0)", "x - x.detach() + torch.clamp(x, min=0).detach()"),
        ("F.hardtanh(x, -2, 2)", "x - x.detach() + F.hardtanh(x, -2, 2).detach()"),
    ],
)
def test_a_function_gets_its_counterpart(written, instead):
    text = model("pass", f"y = {written}\nreturn y")
    assert fixed(text, "dead-activation", written) == text.replace(written, instead)


@pytest.mark.parametrize(
    "written",
    [
        "x.clamp_(0, 1)",
        "F.threshold(x, 1, 0)",
        "torch.tanh(x)",
        "F.hardsigmoid(x, True)",
        "F.hardshrink(x)",
        "F.relu()",
    ],
)
def test_a_function_without_one_is_left(written):
    assert offered(model("pass", f"y = {written}\nreturn y"), "dead-activation", written) == []


@pytest.mark.parametrize(
    "forward",
    [
        "return torch.clamp(x - 1, min=0).mean()",
        "far = x.clamp(max=1)\nreturn -(far + 1).sum()",
        "return torch.min(x, x.clamp(0.8, 1.2)).mean()",
        "return torch.clamp(x - 1 + n, min=0)",
        "y = (x - n)\nreturn (y - x.clamp(0)).mean()",
    ],
)
def test_a_margin_of_a_loss_is_left(forward):
    start = forward.index("torch.clamp" if "torch.clamp" in forward else "x.clamp")
    written = forward[start : forward.index(")", start) + 1]
    assert offered(model("pass", forward), "dead-activation", written) == []


@pytest.mark.parametrize(
    ("init", "forward", "at"),
    [
        ("self.act = nn.ReLU6()", "return self.act(x)", "self.act(x)"),
        ("self.act = nn.Threshold(0, 0)", "return self.act(x)", "self.act(x)"),
        ("self.a, self.b = nn.Linear(2, 2), nn.ReLU()", "return self.b(self.a(x))", "self.b(self.a(x))"),
        ("self.acts = nn.ModuleList([nn.Tanh(), nn.ReLU()])", "return self.acts[1](x)", "self.acts[1](x)"),
        (
            "self.layers = nn.ModuleList([nn.Linear(2, 2), nn.ReLU()])",
            "for n, layer in enumerate(self.layers):\n    x = layer(x)\nreturn x",
            "layer(x)",
        ),
        (
            "layers = [nn.Linear(2, 2)]\nlayers += [nn.ReLU()]\nlayers.append(nn.Linear(2, 2))\n"
            "self.net = nn.Sequential(*layers)",
            "return self.net(x)",
            "self.net(x)",
        ),
    ],
)
def test_a_layer_is_found_where_it_is_made(init, forward, at):
    text = model(init, forward)
    new = fixed(text, "dead-activation", at)
    assert new is not None
    assert new == text.replace("nn.ReLU6", "nn.LeakyReLU").replace("nn.ReLU", "nn.LeakyReLU").replace(
        "nn.Threshold(0, 0)", "nn.LeakyReLU()"
    )


def test_only_the_activation_behind_what_is_starved_is_changed():
    text = model(
        "self.net = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 2), nn.ReLU())", "return self.net(x)"
    )
    assert fixed(text, "dead-activation", "self.net(x)", "net.0.weight", "net.2.weight") == text.replace(
        "nn.ReLU", "nn.LeakyReLU"
    )
    assert offered(text, "dead-activation", "self.net(x)", "net.0.weight") == []


@pytest.mark.parametrize("made", ["torch.sigmoid(x)", "x.sigmoid()", "F.sigmoid(x)"])
def test_a_loss_of_probabilities_takes_logits(made):
    text = model("pass", f"return F.binary_cross_entropy({made}, n, reduction='sum')")
    assert fixed(text, "dead-activation", made) == model(
        "pass", "return F.binary_cross_entropy_with_logits(x, n, reduction='sum')"
    )
    assert offered(text.replace("binary_cross_entropy", "mse_loss"), "dead-activation", made) == []


BLOCK = """class Block(nn.Module):
    def __init__(self, n, activation=nn.ReLU):
        super().__init__()
        self.act = activation()

    def forward(self, x):
        return self.act(x)
"""


@pytest.mark.parametrize(
    ("call", "changed"),
    [
        ("Block(2)", "activation=nn.ReLU"),
        ("Block(2, activation=nn.ReLU6)", "nn.ReLU6"),
        ("Block(2, nn.ReLU6)", "nn.ReLU6"),
    ],
)
def test_an_activation_is_changed_where_it_is_given(call, changed):
    text = f"{HEAD}{BLOCK}\n\nblock = {call}\n"
    class_name = changed.rpartition("=")[2]
    new = fixed(text, "dead-activation", "self.act(x)")
    assert new == text.replace(changed, changed.replace(class_name, "nn.LeakyReLU"))


def test_an_activation_may_be_told_to_work_in_place():
    text = f"{HEAD}{BLOCK}".replace("activation()", "activation(inplace=True)")
    assert fixed(text, "dead-activation", "self.act(x)") == text.replace("=nn.ReLU", "=nn.LeakyReLU")
    assert offered(text.replace("inplace=", ""), "dead-activation", "self.act(x)") == []  # it would be the slope


def test_what_a_loop_puts_into_a_stack_is_not_counted():
    init = "layers = []\nfor _ in range(n):\n    layers += [nn.Linear(2, 2), nn.ReLU()]\n"
    init += "layers += [nn.Linear(2, 2), nn.Tanh()]\nself.net = nn.Sequential(*layers)"
    assert offered(model(init, "return self.net(x)"), "dead-activation", "self.net(x)", "net.0.weight") == []


def test_an_activation_that_others_choose_is_left():
    text = f"{HEAD}{BLOCK}\n\nblock = Block(2, *rest)\n"
    assert offered(text, "dead-activation", "self.act(x)") == []


def test_the_layers_of_a_sequential_class_are_found():
    text = (
        f"{HEAD}class Block(nn.Sequential):\n    def __init__(self, n):\n"
        "        super().__init__(nn.Linear(n, n), nn.ReLU(inplace=True))\n\n\n"
        "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.block = Block(3)\n\n"
        "    def forward(self, x):\n        return self.block(x)\n"
    )
    assert fixed(text, "dead-activation", "self.block(x)") == text.replace("nn.ReLU", "nn.LeakyReLU")


@pytest.mark.parametrize(
    "call",
    [
        "F.hardtanh(x, inplace=True)",  # x is another by the time that it is added
        "F.hardtanh(x, -1.0, 1.0, True)",
        "torch.clamp(x, 0, 1, out=y)",
        "self.clamp(x)",
        "ops.clamp(x, 0, 1)",
        "ops.fast.clamp(x, 0, 1)",
        "ops.relu()",
        "self.relu()",
    ],
)
def test_a_call_that_is_no_plain_one_of_a_tensor_is_left(call):
    text = model("pass", f"return {call}", head=f"import ops\n{HEAD}")
    assert offered(text, "dead-activation", call) == []


@pytest.mark.parametrize(
    "more",
    [
        "\n\nclass Sub(Net):\n    def __init__(self):\n        super().__init__(2)\n        self.act = nn.Hardtanh()\n",
        "\n\nnet = Net(2)\nnet.act = nn.Hardtanh()\n",
    ],
)
def test_a_layer_that_others_may_replace_is_left(more):
    text = model("self.act = nn.ReLU()", "return self.act(x)") + more
    assert offered(text, "dead-activation", "self.act(x)") == []


@pytest.mark.parametrize(
    "init",
    [
        "self.net = nn.Sequential(nn.Linear(n, n), nn.ReLU())\nself.net[1] = nn.Hardtanh()",
        "self.net = nn.Sequential(nn.Linear(n, n), nn.ReLU())\nself.net.append(nn.Hardtanh())",
        "self.net = nn.Sequential(nn.Linear(n, n), nn.ReLU())\nself.net.add_module('c', nn.Hardtanh())",
        "rows = [nn.Linear(n, n), nn.ReLU()]\nrows[1] = nn.Hardtanh()\nself.net = nn.Sequential(*rows)",
    ],
)
def test_a_stack_that_is_changed_after_it_was_made_is_left(init):
    assert offered(model(init, "return self.net(x)"), "dead-activation", "self.net(x)") == []


def test_an_item_may_be_counted_from_the_end():
    text = model("self.a = nn.ModuleList([nn.ReLU(), nn.Linear(n, n), nn.ReLU6()])", "return self.a[-1](x)")
    assert fixed(text, "dead-activation", "self.a[-1](x)") == text.replace("nn.ReLU6", "nn.LeakyReLU")


@pytest.mark.parametrize(
    "use",
    [
        "make = partial(Block, activation=nn.Hardtanh)\n",
        "class Sub(Block):\n    def __init__(self, n):\n        super().__init__(n, nn.Hardtanh)\n",
    ],
)
def test_a_default_that_others_may_pass_over_is_left(use):
    text = f"{HEAD}{BLOCK}\n\nblock = Block(2)\n\n\n{use}"
    assert offered(text, "dead-activation", "self.act(x)") == []
