"""How the gradient is led past steps that are no function of rounding alone, and how draws get one."""

import pytest

from ..fixing import fixed, model, offered


@pytest.mark.parametrize(
    ("written", "instead"),
    [
        ("torch.sign(x)", "x - x.detach() + torch.sign(x).detach()"),  # x may be far larger than its sign
        ("torch.poisson(x)", "x + (torch.poisson(x) - x).detach()"),
        (
            'x.div(n, rounding_mode="floor")',
            'x / n + (x.div(n, rounding_mode="floor") - x / n).detach()',
        ),
        (
            'torch.div(x, 2, rounding_mode="trunc")',
            'x / 2 + (torch.div(x, 2, rounding_mode="trunc") - x / 2).detach()',
        ),
        ("torch.normal(x, 1.0)", "torch.distributions.Normal(x, 1.0).rsample()"),
        ("torch.normal(x, std=n)", "torch.distributions.Normal(x, n).rsample()"),
    ],
)
def test_a_step_gets_a_slope(written, instead):
    text = model("pass", f"y = {written}\nreturn y")
    assert fixed(text, "zero-derivative", written) == text.replace(written, instead)


def test_what_is_divided_is_reckoned_once():
    text = model("self.a = nn.Linear(2, 2)", 'y = self.a(x).div(2, rounding_mode="floor")\nreturn y')
    assert fixed(text, "zero-derivative", 'self.a(x).div(2, rounding_mode="floor")') == text.replace(
        'y = self.a(x).div(2, rounding_mode="floor")',
        'smooth = self.a(x)\n        y = smooth / 2 + (smooth.div(2, rounding_mode="floor") - smooth / 2).detach()',
    )


@pytest.mark.parametrize(
    "written",
    ["torch.div(x, 2)", "torch.normal(x, 1.0, generator=n)", "torch.div(x, self.a(x), rounding_mode='floor')"],
)
def test_what_cannot_be_written_so_is_left(written):
    assert offered(model("pass", f"y = {written}\nreturn y"), "zero-derivative", written) == []


def test_what_is_named_on_the_way_is_not_read_before():
    text = model("self.a = nn.Linear(2, 2)", "return (h := x * 2) + torch.round(self.a(h))")
    assert offered(text, "zero-derivative", "torch.round(self.a(h))") == []


@pytest.mark.parametrize("step", ["ops.round(x)", "self.round()"])
def test_what_is_called_on_no_tensor_is_left(step):
    text = model("pass", f"y = {step}\nreturn y", head="import ops\nimport torch\nfrom torch import nn\n\n\n")
    assert offered(text, "zero-derivative", step) == []
