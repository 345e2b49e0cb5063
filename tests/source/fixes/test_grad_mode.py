"""What runs without grad because it is handed on inside of `no_grad()`."""

import pytest

from ..fixing import fixed, model, offered

RUN = "\n\n    def run(self, x):\n        return x * 2\n"


def test_a_method_that_is_wrapped_elsewhere_is_unwrapped_there():
    text = model("self.fast = torch.no_grad()(self.run)") + RUN
    assert fixed(text, "no-grad", "def run(self, x):") == text.replace("torch.no_grad()(self.run)", "self.run")


def test_of_two_wraps_none_is_the_one():
    text = model("self.a = torch.no_grad()(self.run)\nself.b = torch.no_grad()(self.run)") + RUN
    assert offered(text, "no-grad", "def run(self, x):") == []


def test_a_wrapped_method_that_writes_in_place_keeps_it():
    text = model("self.fast = torch.no_grad()(self.run)") + RUN.replace("x * 2", "x.mul_(2)")
    assert offered(text, "no-grad", "def run(self, x):") == []


@pytest.mark.parametrize(
    "use",
    [
        "def run(f, x):\n    return torch.no_grad()(f)(x)\n",  # the f that it is given
        "class Other:\n    def g(self, x):\n        return torch.no_grad()(self.f)(x)\n",
        "def run(x):\n    return torch.no_grad()(  # quick\n        f\n    )(x)\n",
    ],
)
def test_a_switch_around_another_function_of_that_name_is_left(use):
    function = "def f(x):\n    return x * 2"
    assert offered(f"import torch\n\n\n{function}\n\n\n{use}", "no-grad", function) == []
