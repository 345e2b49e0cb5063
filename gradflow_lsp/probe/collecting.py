"""When Python searches for cyclic garbage in a run: while the user's code runs, and not while only ours does.

What ours makes stays until the report is there, so that searching it through finds nothing, again and again: up to a
sixth of the time of a run on a model of many parts.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collecting(wanted: bool) -> Iterator[None]:
    """Search or not meanwhile, and then as before. What nothing refers to any more is let go of all the same."""
    before = gc.isenabled()
    _switch(wanted)
    try:
        yield
    finally:
        _switch(before)


def _switch(on: bool) -> None:
    if on:
        gc.enable()
    else:
        gc.disable()
