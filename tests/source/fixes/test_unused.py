"""Layers that nothing calls: what is taken out of the text, what is called after all, and what stays."""

import pytest

from ..fixing import fixed, model, offered

LINEAR = "nn.Linear(2, 3)"
"""The layer that is not called."""


def test_a_local_of_the_same_name_is_no_mention():
    text = model(f"self.norm = {LINEAR}", "norm = x.norm()\nreturn x / norm")
    assert offered(text, "not-called", LINEAR) == []  # x.norm is an attribute
    text = text.replace("x.norm()", "f(x)")
    assert fixed(text, "not-called", LINEAR) == text.replace(f"        self.norm = {LINEAR}\n", "")


@pytest.mark.parametrize(
    ("init", "left", "forward"),
    [
        (f"self.a = nn.ModuleList([nn.Tanh(), {LINEAR}])", "self.a = nn.ModuleList([nn.Tanh()])", "self.a[0](x)"),
        (
            f"self.a = nn.ModuleList([\n    nn.Tanh(),\n    {LINEAR},\n])",
            "self.a = nn.ModuleList([\n    nn.Tanh(),\n])",
            "self.a[0](x)",
        ),
        (f"self.a = nn.Sequential(nn.Tanh(), {LINEAR})", "self.a = nn.Sequential(nn.Tanh())", "self.a[0](x)"),
        (
            f'self.a = nn.ModuleDict({{"in": {LINEAR}, "out": nn.Tanh()}})',
            'self.a = nn.ModuleDict({"out": nn.Tanh()})',
            'self.a["out"](x)',
        ),
    ],
)
def test_an_item_that_is_never_asked_for_goes(init, left, forward):
    text = model(init, f"return {forward}")
    assert fixed(text, "not-called", LINEAR) == model(left, f"return {forward}")


@pytest.mark.parametrize(
    ("init", "forward"),
    [
        (f"self.a = nn.ModuleList([{LINEAR}, nn.Tanh()])", "self.a[1](x)"),  # the other would move up
        (f"self.a = nn.ModuleList([nn.Tanh(), {LINEAR}])", "self.a[n](x)"),
        (f"self.a = nn.ModuleList([nn.Tanh(), {LINEAR}])", "self.a[-1](x)"),
        (f"self.a = nn.ModuleList([nn.Tanh(), {LINEAR}])", "self.a[0](x) + len(self.a)"),
        (f"self.a = nn.Sequential(nn.Tanh(), {LINEAR})", "self.a[:1](x)"),
        (f'self.a = nn.ModuleDict({{"in": {LINEAR}}})', 'self.a["in"](x)'),
        (f"self.a = nn.ModuleDict({{name: {LINEAR}}})", 'self.a["in"](x)'),
    ],
)
def test_an_item_that_may_be_asked_for_stays(init, forward):
    assert offered(model(init, f"return {forward}"), "not-called", LINEAR) == []


@pytest.mark.parametrize("line", [f'self.add_module("old", {LINEAR})', f'setattr(self, "old", {LINEAR})'])
def test_what_is_named_in_a_string_goes(line):
    assert fixed(model(line), "not-called", LINEAR) == model("")
    assert offered(model(line, "return self.old(x)"), "not-called", LINEAR) == []


@pytest.mark.parametrize("over", ["self.a", "enumerate(self.a)", "zip(self.a, x)"])
@pytest.mark.parametrize("build", ["self.a = nn.ModuleList([{} for _ in range(n)])", "self.a = nn.ModuleList()\n{}"])
def test_a_return_in_the_first_round_moves_behind_the_loop(over, build):
    build = build.format(LINEAR) if "range" in build else build.format(f"self.a.append({LINEAR})")
    text = model(build, f"for layer in {over}:\n    x = f(layer, x)\n    return (\n        x\n    )")
    moved = model(build, f"for layer in {over}:\n    x = f(layer, x)\nreturn (\n    x\n)")
    assert fixed(text, "not-called", LINEAR) == moved


@pytest.mark.parametrize(
    "loop",
    [
        "for layer in self.a:\n    return layer(x)",
        "for layer in self.a:\n    if n:\n        continue\n    x = layer(x)\n    return x",
        "for layer in self.b:\n    x = layer(x)\n    return x + len(self.a)",
    ],
)
def test_a_return_that_may_be_meant_stays(loop):
    text = model(f"self.a = nn.ModuleList([{LINEAR} for _ in range(n)])", loop)
    assert offered(text, "not-called", LINEAR) == []


BY_NAME = "self.n = n\nfor k in range({}):\n    setattr(self, f'l{{k}}', " + LINEAR + ")"
ASKED = "for j in range({}):\n    x = getattr(self, f'l{{k}}')(x)\nreturn x"
IN_A_LIST = "self.n = n\nself.a = nn.ModuleList([" + LINEAR + " for _ in range({})])"
COUNTED = "for j in range({}):\n    x = self.a[j](x)\nreturn x"


@pytest.mark.parametrize(
    ("init", "forward", "built", "called", "instead"),
    [
        (BY_NAME, ASKED.replace("j", "k"), "n", "n - 1", "n - 1"),
        (BY_NAME, ASKED.replace("j", "k"), "n", "self.n - 2", "n - 2"),
        (BY_NAME, ASKED.replace("j", "k"), "n", "1, n", "1, n"),
        (BY_NAME, ASKED.replace("j", "k"), "2, n", "2, n - 1", "2, n - 1"),
        (IN_A_LIST, COUNTED, "n", "self.n - 1", "n - 1"),
    ],
)
def test_no_more_are_built_than_a_loop_calls(init, forward, built, called, instead):
    text = model(init.format(built), forward.format(called))
    assert fixed(text, "not-called", LINEAR) == model(init.format(instead), forward.format(called))


@pytest.mark.parametrize(
    ("init", "forward", "called"),
    [
        (BY_NAME, ASKED, "n - 1"),  # the name is another loop's
        (BY_NAME, ASKED.replace("j", "k"), "m - 1"),
        (BY_NAME, ASKED.replace("j", "k") + " + getattr(self, 'l0')(x)", "n - 1"),
        (IN_A_LIST, COUNTED, "1, n"),  # the first would go, and all others move up
        (IN_A_LIST, COUNTED + " + self.a[-1](x)", "n - 1"),
        (IN_A_LIST, COUNTED.replace("[j]", "[j + 1]"), "n - 1"),  # the first is left out
    ],
)
def test_no_fewer_are_built_where_others_may_be_called(init, forward, called):
    assert offered(model(init.format("n"), forward.format(called)), "not-called", LINEAR) == []


@pytest.mark.parametrize("ask", ["getattr(self, f'fc{n}')", "getattr(self, name)", "vars(self)[name]"])
def test_a_layer_whose_name_may_be_put_together_stays(ask):
    text = model("self.fc4 = nn.Linear(n, n)\nself.n = n", f"return {ask}(x)")
    assert offered(text, "not-called", "nn.Linear(n, n)") == []


def test_a_layer_that_names_something_on_the_way_stays():
    text = model("self.fc = nn.Linear((m := n * 2), n)\nself.m = m")
    assert offered(text, "not-called", "nn.Linear((m := n * 2), n)") == []


@pytest.mark.parametrize(
    "loop",
    [
        "for layer in self.a:\n    x = layer(x)\n    return x\nreturn x.sum()",  # another result where there is none
        "for layer in self.a:\n    y = layer.weight\n    return layer(x)",
        "for layer in self.a:\n    y = layer(x)\n    return y",  # behind the loop, that would be the last layer's
    ],
)
def test_a_return_of_what_is_not_carried_on_stays(loop):
    text = model("self.a = nn.ModuleList(nn.Linear(n, n) for _ in range(3))", loop)
    assert offered(text, "not-called", "nn.Linear(n, n)") == []
