"""The class that a probe defines for a module that the file does not have."""

from __future__ import annotations

from typing import Protocol

from .guesses import STAND_IN_IDS
from .style import Style


class Spelling(Protocol):
    """How a file calls things of torch."""

    style: Style

    def spelled(self, dotted: str) -> str:
        """Return how the file calls something."""

    def torch(self, name: str) -> str:
        """Return how the file calls a function of `torch` itself."""


def stand_in_class(name: str, spelling: Spelling, *, ids: bool, with_settings: bool) -> list[str]:
    """Return the lines of a class whose objects take any arguments, and give back the first one, or scores of ids."""
    nn = spelling.spelled("torch.nn.Module").removesuffix("Module")
    part = (
        f"self.table = {nn}Embedding({STAND_IN_IDS}, {STAND_IN_IDS})"
        if ids
        else f"self.scale = {nn}Parameter({spelling.torch('ones')}(()))"
    )
    lines = [
        (0, f"class {name}({nn}Module):"),
        (1, f"def __init__(self{', **settings' if with_settings else ''}):"),
        (2, "super().__init__()"),
        (2, part),
        *([(2, "vars(self).update(settings)")] if with_settings else []),
        (0, ""),
        (1, "def forward(self, x, *args, **kwargs):"),
        (2, "return self.table(x)" if ids else "return self.scale * x"),
        (0, ""),
    ]
    return [spelling.style.indent * depth + line if line else "" for depth, line in lines]
