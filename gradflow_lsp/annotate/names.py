"""Many names of parameters in few words: what modules they share, and which of them are neighbours in a list."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from gradflow_lsp.probe.report import ParameterReport

_NUMBER = re.compile(r"(?:^|(?<=\.))\d+(?=\.)")
"""The first index in a path of modules that is no range yet."""
_DEPTH = 2
"""How many indices in one name are written as ranges: lists within lists."""


def whole_modules(names: Sequence[str], among: Sequence[str]) -> list[str]:
    """Return the names, with a module of which none is left out as `first.*`; `among` are all that there are."""
    totals = _sizes(tuple(among))
    counts = Counter(prefix for name in names for prefix in _prefixes(name))
    whole = {prefix for prefix, count in counts.items() if 1 < count == totals[prefix]}
    return list(
        dict.fromkeys(next((f"{prefix}.*" for prefix in _prefixes(name) if prefix in whole), name) for name in names)
    )


@lru_cache(maxsize=4)
def _sizes(names: tuple[str, ...]) -> Counter[str]:
    """Return how many of the names go through each module; of one report, it is asked for once a cause."""
    return Counter(prefix for name in names for prefix in _prefixes(name))


def neighbours(names: Iterable[str]) -> dict[str, list[str]]:
    """Return the names in groups that differ by an index alone, without a gap, by what they are called: `a.0-3.b`.

    Later names join earlier ones wherever they stand, so that the blocks of a model come together.
    """
    groups = {name: [name] for name in names}
    for _ in range(_DEPTH):
        groups = _joined(groups)
    return groups


def _joined(groups: Mapping[str, list[str]]) -> dict[str, list[str]]:
    runs: dict[tuple[str, str], list[_Run]] = {}
    for name, members in groups.items():
        head, index, tail = _split(name)
        found = runs.setdefault((head, tail), [])
        if index is not None and found and found[-1].last == index - 1:
            found[-1] = _Run(found[-1].first, index, found[-1].members + members)
        else:
            found.append(_Run(index, index, members))
    return {f"{head}{run.numbers}{tail}": run.members for (head, tail), found in runs.items() for run in found}


class _Run(NamedTuple):
    """Names with neighbouring indices, or one that has none."""

    first: int | None
    last: int | None
    members: list[str]

    @property
    def numbers(self) -> str:
        if self.first is None:
            return ""
        return str(self.first) if self.first == self.last else f"{self.first}-{self.last}"


def _split(name: str) -> tuple[str, int | None, str]:
    """Split a name around its first index that is no range yet."""
    index = _NUMBER.search(name)
    return (name[: index.start()], int(index[0]), name[index.end() :]) if index else (name, None, "")


def common_module(parameters: Sequence[ParameterReport]) -> str:
    """Return the path of the innermost module that holds all of the parameters; empty for the model itself."""
    modules = [_parts(p.module) for p in parameters]
    depth = 0
    while all(len(m) > depth and m[: depth + 1] == modules[0][: depth + 1] for m in modules):
        depth += 1
    module = ".".join(modules[0][:depth])
    return module if all(p.name.startswith(f"{module}.") for p in parameters) else ""


def _prefixes(name: str) -> list[str]:
    """Return the modules that a parameter's name goes through, from the outermost inwards."""
    parts = _parts(name)
    return [".".join(parts[:depth]) for depth in range(1, len(parts))]


def _parts(name: str) -> list[str]:
    """Split a path of attributes at its dots, but not inside brackets."""
    if "[" not in name:
        return [part for part in name.split(".") if part]
    return re.findall(r"(?:\[[^\]]*\]|[^.\[])+", name)
