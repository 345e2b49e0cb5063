"""Numbers for tensors, so that a trace can speak of them without keeping them alive."""

from __future__ import annotations

import weakref
from collections.abc import Iterator

import torch


class _Token(weakref.ref[torch.Tensor]):
    """A tensor, held weakly, with its present number."""

    __slots__ = ("number",)
    number: int


class Tokens:
    """A number for each tensor, or rather for each value of one: a tensor changed in place gets a new one.

    Parameters, and leaves that require grad, keep theirs whatever is written into them: they are sources.
    """

    def __init__(self) -> None:
        self._known: dict[int, _Token] = {}
        self._aliases: dict[int, tuple[weakref.ref[torch.Tensor], weakref.ref[torch.Tensor], str]] = {}
        self._last = 0

    def find(self, tensor: torch.Tensor) -> int | None:
        """The present token of a tensor, or `None` if it has none."""
        found = self._known.get(id(tensor))
        return found.number if found is not None and found() is tensor else None

    def of(self, tensor: torch.Tensor) -> int:
        """The present token of a tensor, a new one if it has none."""
        found = self._known.get(id(tensor))
        return found.number if found is not None and found() is tensor else self.renew(tensor)

    def renew(self, tensor: torch.Tensor) -> int:
        """Give a tensor a new token."""
        self._last += 1
        self._known[id(tensor)] = token = _Token(tensor)
        token.number = self._last
        return self._last

    def alias(self, tensor: torch.Tensor, original: torch.Tensor, how: str) -> None:
        """Note that `tensor` shows the memory of `original` without being a view to autograd: by `data` or `detach`."""
        self._aliases[id(tensor)] = (weakref.ref(tensor), weakref.ref(original), how)

    def changed(self, tensor: torch.Tensor, how: str | None = None) -> Iterator[tuple[torch.Tensor, str | None]]:
        """Renew a tensor that was changed in place, and yield what else thereby changed: what it is a view of.

        With each comes how it was reached behind autograd's back, if it was: `data` or `detach`.
        """
        if is_source(tensor):
            return
        self.renew(tensor)
        alias = self._aliases.get(id(tensor))
        reached = [(getattr(tensor, "_base", None), how)]
        if alias is not None and alias[0]() is tensor:
            reached.append((alias[1](), alias[2]))
        for base, through in reached:
            if base is not None and self.find(base) is not None:
                yield base, through
                yield from self.changed(base, through)


def is_source(tensor: torch.Tensor) -> bool:
    """Say whether values begin at a tensor: a parameter, or a leaf that requires grad."""
    try:
        return isinstance(tensor, torch.nn.Parameter) or (tensor.requires_grad and tensor.is_leaf)
    except RuntimeError:  # torch refuses to say for a view made without grad whose base was changed since
        return False
