"""Reentrant checkpoints: the other kind asks nothing of its inputs."""

from __future__ import annotations

from collections.abc import Iterator

from . import titles
from .code import Code
from .edits import Fix
from .syntax import arguments, called, keyword


def _is_of_torch(name: str) -> bool:
    """Tell whether a function takes `use_reentrant`, by its full name, or by its own where a star import brought it."""
    return name.startswith("torch.utils.checkpoint.") or name in ("checkpoint", "checkpoint_sequential")


def reentrant_checkpoint(code: Code) -> Iterator[Fix]:
    """Set `use_reentrant=False`."""
    call = next((call for call in code.within("call") if _is_of_torch(called(code.names, call))), None)
    given = arguments(call) if call is not None else []
    if call is None or not given:
        return
    title = titles.not_reentrant(called(code.names, call).rpartition(".")[2])
    written = keyword(call, "use_reentrant")
    value = written.child_by_field_name("value") if written is not None else None
    if value is not None and value.type != "false":
        yield Fix(title, (code.swap(value, "False"),), preferred=True)
    elif value is None and not any(one.type == "dictionary_splat" for one in given):
        end = given[-1].end_byte
        yield Fix(title, (code.replace(end, end, ", use_reentrant=False"),), preferred=True)
