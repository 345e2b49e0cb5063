"""Layers that a lambda holds: where the function that made it returns a module instead."""

import pytest

from ..fixing import HEAD, fixed, model, offered

FACTORY = "def make(dim):\n    readout = nn.Linear(dim, 1)\n    {}\n\n\n"
AFTER = """class Head(nn.Module):
        def __init__(self):
            super().__init__()
            self.readout = readout

        def forward(self, h, k=1):
            return self.readout(torch.relu(h)) * k

    return Head()"""
NET = model("self.head = make(n)", "return self.head(x)", head="")


def test_a_function_returns_a_module_for_its_lambda():
    before = FACTORY.format("return lambda h, k=1: readout(torch.relu(h)) * k")
    assert fixed(HEAD + before + NET, "unregistered", "nn.Linear(dim, 1)", "head.readout.weight") == (
        HEAD + FACTORY.format(AFTER) + NET
    )


@pytest.mark.parametrize(
    ("last", "net", "parameter"),
    [
        (
            "return lambda h: readout(h)",
            NET.replace("self.head = make", "self.head = [make(n), make][0]"),
            "head.readout.w",
        ),
        ("return lambda h: readout(h)", NET.replace("self.head = make(n)", "self.head = f(make(n))"), "head.readout.w"),
        ('return {"a": lambda h: readout(h)}', NET, 'head["a"].readout.w'),
        ("return lambda h: readout(h)", NET + "\n\nclass Head: ...\n", "head.readout.w"),
        ("return lambda h: h", NET, "head.readout.w"),
        ("return lambda h: (lambda readout: readout)(h) + readout(h)", NET, "head.readout.w"),
        ("return lambda h: [readout(r) for readout, r in h] + [readout]", NET, "head.readout.w"),
    ],
)
def test_what_is_returned_in_another_way_is_left(last, net, parameter):
    text = HEAD + FACTORY.format(last) + net
    assert offered(text, "unregistered", "nn.Linear(dim, 1)", parameter) == []


def test_a_name_that_every_module_has_is_left():
    text = HEAD + FACTORY.replace("readout", "half").format("return lambda h: half(h)") + NET
    assert offered(text, "unregistered", "nn.Linear(dim, 1)", "head.half.weight") == []
