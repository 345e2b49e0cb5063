"""Sets of layers, and layers that each forward builds anew: how they are registered."""

import pytest

from ..fixing import fixed, model, offered

SET = "self.a = set()\nfor _ in range(n):\n    self.a.add(nn.Linear(2, 2))"


def test_a_set_becomes_a_list():
    text = model(SET, "return sum(layer(x) for layer in self.a)")
    assert fixed(text, "unregistered", "nn.Linear(2, 2)", "a[1].weight", "a[0].weight") == text.replace(
        "set()", "nn.ModuleList()"
    ).replace(".add(", ".append(")


@pytest.mark.parametrize("line", ["self.a.discard(x)", "self.a |= {x}", "x = self.a.union(x)"])
def test_a_set_that_is_used_as_one_stays(line):
    assert offered(model(SET, f"{line}\nreturn x"), "unregistered", "nn.Linear(2, 2)", "a[1].weight") == []


def test_a_layer_that_forward_builds_is_built_once():
    text = model("self.n = n", "proj = nn.Linear(self.n, 2)\nx = proj(x)\nreturn proj(x)")
    assert fixed(text, "unregistered", "nn.Linear(self.n, 2)", "Linear.weight") == model(
        "self.n = n\nself.proj = nn.Linear(self.n, 2)", "x = self.proj(x)\nreturn self.proj(x)"
    )


@pytest.mark.parametrize(
    ("made", "once"),
    [
        ("nn.Linear(x.size(-1), 4)", "nn.LazyLinear(4)"),
        ("nn.Linear(x.shape[-1], 4, bias=False)", "nn.LazyLinear(4, bias=False)"),
        ("nn.Conv2d(x.shape[1], 4, 3)", "nn.LazyConv2d(4, 3)"),
    ],
)
def test_a_width_that_forward_alone_knows_is_taken_from_the_first_input(made, once):
    text = model("pass", f"p = {made}\nreturn p(x)")
    assert fixed(text, "unregistered", made, "Linear.weight") == model(f"pass\nself.p = {once}", "return self.p(x)")


@pytest.mark.parametrize(
    ("init", "forward"),
    [
        ("pass", "p = nn.Linear(len(x), 4)\nreturn p(x)"),
        ("pass", "if x:\n    p = nn.Linear(2, 4)\nelse:\n    p = f\nreturn p(x)"),
        ("pass", "for y in x:\n    p = nn.Linear(2, 4)\n    y = p(y)\nreturn y"),
        ("pass", "p = nn.Linear(2, 4)\nreturn p"),
        ("self.p = n", "p = nn.Linear(2, 4)\nreturn p(x)"),
        ("if n:\n    self.n = n", "p = nn.Linear(self.n, 4)\nreturn p(x)"),
        ("self.n = n", "p = nn.Linear(self.n, 4)\nself.n += 1\nreturn p(x)"),
    ],
)
def test_a_layer_that_may_differ_from_call_to_call_stays(init, forward):
    start = forward.index("nn.Linear")
    needle = forward[start : forward.index("4)") + 2]
    assert offered(model(init, forward), "unregistered", needle, "Linear.weight") == []


@pytest.mark.parametrize("switch", ["self.a.requires_grad = True", "self.a.requires_grad_()"])
def test_a_tensor_whose_grad_is_switched_on_becomes_a_parameter(switch):
    text = model(f"self.a = torch.ones(3)\nself.b = n\n{switch}", "return x * self.a")
    assert fixed(text, "unregistered", switch, "a") == model(
        "self.a = nn.Parameter(torch.ones(3))\nself.b = n", "return x * self.a"
    )


def test_a_tensor_that_something_else_switches_on_is_left():
    text = model("self.a = torch.ones(3)\nself.b = self.a\nself.b.requires_grad = n", "return x * self.a")
    assert offered(text, "unregistered", "self.b.requires_grad = n", "a") == []


LAYER = "nn.Linear(n, n)"


@pytest.mark.parametrize(
    "init",
    [
        "self.a = [{}, torch.tanh] * 2",
        "self.a = [{}] + [torch.tanh]",
        "self.a = list(({}, torch.tanh))",
        "rows = [{}, torch.tanh]\nself.a = rows",
        "rows = []\nself.a = rows\nrows.append({})",  # a list of torch's is a copy
        "self.a = [{}]\nself.a += [torch.relu]",
        "self.a = [{}]\nself.a.insert(1, torch.relu)",
        "self.a = [{}]\nself.a.extend([torch.relu])",
        "self.a = [{}, None]\nself.a[1] = torch.relu",
    ],
)
def test_a_list_that_also_holds_functions_stays(init):
    assert offered(model(init.format(LAYER)), "unregistered", LAYER, "a[0].weight") == []


@pytest.mark.parametrize("key", ["type", "b.c"])
def test_a_dict_with_a_key_that_torch_refuses_stays(key):
    text = model(f'self.a = {{"x": {LAYER}, "{key}": nn.Tanh()}}')
    assert offered(text, "unregistered", LAYER, 'a["x"].weight') == []


def test_a_list_that_code_outside_turns_around_stays():
    text = model(f"self.a = [{LAYER}]") + "\n\ndef flip(net):\n    net.a.reverse()\n"
    assert offered(text, "unregistered", LAYER, "a[0].weight") == []


def test_what_is_reckoned_with_a_layer_stays():
    text = model("self.b = nn.Linear(n, n)\nself.w = nn.Parameter(torch.ones(n)) @ self.b.weight")
    assert offered(text, "unregistered", "nn.Parameter(torch.ones(n))", "w") == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("half = {}", "half"),  # every module has that
        ("scale = {}", "scale"),
    ],
)
def test_a_name_that_is_taken_is_not_given_to_a_layer(before, after):
    text = model("self.n = n", f"{before.format('nn.Linear(2, 4)')}\nreturn {after}(x)")
    text += "\n    def scale(self):\n        return 1\n"
    assert offered(text, "unregistered", "nn.Linear(2, 4)", "Linear.weight") == []


@pytest.mark.parametrize(
    "method",
    [
        "    @staticmethod\n    def f(x):\n        p = nn.Linear(2, 4)\n        return p(x)\n",
        "    def f(this, x):\n        p = nn.Linear(2, 4)\n        return p(x)\n",
        "    def f(self, x):\n        def g(y):\n            p = nn.Linear(2, 4)\n            return p(y)\n",
    ],
)
def test_where_there_is_no_module_at_hand_a_layer_stays(method):
    text = model("self.n = n") + "\n" + method
    assert offered(text, "unregistered", "nn.Linear(2, 4)", "Linear.weight") == []


def test_a_constructor_that_may_end_early_or_stands_on_one_line_is_left():
    text = model("if n:\n    return\nself.n = n", "p = nn.Linear(2, 4)\nreturn p(x)")
    assert offered(text, "unregistered", "nn.Linear(2, 4)", "Linear.weight") == []
    text = text.replace(
        text[text.index("def __init__") : text.index("    def forward")], "def __init__(self): super().__init__()\n\n"
    )
    assert offered(text, "unregistered", "nn.Linear(2, 4)", "Linear.weight") == []


def test_a_comment_stays_beside_the_last_step_of_the_constructor():
    text = model("if n:\n    self.n = n  # the width", "p = nn.Linear(2, 4)\nreturn p(x)")
    assert fixed(text, "unregistered", "nn.Linear(2, 4)", "Linear.weight") == model(
        "if n:\n    self.n = n  # the width\nself.p = nn.Linear(2, 4)", "return self.p(x)"
    )


@pytest.mark.parametrize(
    "put", ["self.a.extend(nn.Linear(2, 2) for _ in 'xy')", "rows = [nn.Linear(2, 2)]\nself.a += rows"]
)
def test_layers_may_be_added_several_at_once(put):
    text = model(f"self.a = []\n{put}")
    assert fixed(text, "unregistered", "nn.Linear(2, 2)", "a[0].weight") == text.replace("[]", "nn.ModuleList()", 1)


def test_a_constant_beside_parameters_stays_one():
    text = model("self.a = [nn.Parameter(torch.ones(n)), torch.zeros(n)]")
    assert offered(text, "unregistered", "nn.Parameter(torch.ones(n))", "a[0]") == []
