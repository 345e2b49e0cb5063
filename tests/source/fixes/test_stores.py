"""Values that are stored in a buffer and read back: what reads on is given the value itself."""

import pytest

from ..fixing import fixed, model, offered


@pytest.mark.parametrize(
    ("kind", "at", "store", "value", "left"),
    [
        (
            "data-access",
            ".data",
            "self.state.data.copy_(f(x))",
            "f(x).expand_as(self.state)",
            "self.state.data.copy_(state)",
        ),
        (
            "detach",
            ".detach()",
            "self.state[:] = f(x).detach()",
            "f(x).expand_as(self.state)",
            "self.state[:] = state.detach()",
        ),
        (
            "no-grad",
            "with torch.no_grad():\n            torch.mul(x, 2, out=self.state)",
            "with torch.no_grad():\n    torch.mul(x, 2, out=self.state)",
            "torch.mul(x, 2)",
            "with torch.no_grad():\n    self.state.copy_(state)",
        ),
    ],
)
def test_the_value_goes_on_beside_the_store(kind, at, store, value, left):
    text = model("pass", f"{store}\nh = self.state + 1\nreturn h @ self.state")
    assert fixed(text, kind, at) == model("pass", f"state = {value}\n{left}\nh = state + 1\nreturn h @ state")


@pytest.mark.parametrize(
    "forward",
    [
        "self.state.data.copy_(f(x))\nreturn x",  # read elsewhere, in another call
        "self.state.data.copy_(f(x))\nself.state.add_(1)\nreturn self.state",
        "self.state.data.copy_(f(x))\nself.state[0] = 1\nreturn self.state",
        "state = 1\nself.state.data.copy_(f(x))\nreturn self.state",
        "for y in x:\n    self.state.data.copy_(f(y))\nreturn self.state",
        "self.layer.weight.data.copy_(f(x))\nreturn self.layer(x)",
    ],
)
def test_what_is_kept_for_more_than_that_is_left(forward):
    assert offered(model("pass", forward), "data-access", ".data") == []


def test_a_comment_within_a_store_is_not_lost():
    text = model(
        "pass", "with torch.no_grad():\n    torch.add(x,  # in\n              1, out=self.buf)\nreturn self.buf"
    )
    assert offered(text, "no-grad", "with torch.no_grad():\n            torch.add(x,  # in") == []
