"""What runs without grad because it is handed on inside of `no_grad()`."""

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
