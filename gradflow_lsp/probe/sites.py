"""Sites: the user's expressions that are running at a moment, caught cheaply and turned into source ranges later.

Catching one costs a short walk over frames; the exact columns (Python 3.11 and newer) are only worked out for the few
sites that end up in a report.
"""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from types import CodeType, FrameType

from .report import Location
from .syntax import code_points, whole_line


class Site:
    """One running first-party expression, and the first-party expressions that called it, from inside out.

    `in_package` says that what ran at the moment was the code of an installed package (torch itself aside), which this
    expression had called.
    """

    __slots__ = ("code", "in_package", "lasti", "outer")

    def __init__(self, code: CodeType, lasti: int, outer: Site | None, in_package: bool = False) -> None:
        self.code = code
        self.lasti = lasti
        self.outer = outer
        self.in_package = in_package

    @property
    def expression(self) -> tuple[int, int]:
        """What tells one source expression from another, whoever called it (alive as long as the site is)."""
        return (id(self.code), self.lasti)

    def location(self) -> Location:
        """The expression's range; below Python 3.11 its whole line."""
        known = _locations.get(self.expression)
        if known is None:
            known = _locations[self.expression] = (self.code, _range_of(self.code, self.lasti))
        return known[1]

    def chain(self) -> Iterator[Site]:
        """The site itself and all outer ones, innermost first."""
        site: Site | None = self
        while site is not None:
            yield site
            site = site.outer


LIBRARY, PACKAGE, FIRST_PARTY = 0, 1, 2
"""Whose code is: torch's or the standard library's, an installed package's, or the user's own."""


class SiteRecorder:
    """Finds the sites of running code. One instance serves one run, on one thread.

    `is_first_party` says of an absolute file name whether it is the user's own.
    """

    def __init__(self, is_first_party: Callable[[str], bool]) -> None:
        self._is_first_party = is_first_party
        self._owners: dict[int, tuple[CodeType, int]] = {}
        self._sites: dict[tuple[int, int, int, bool], Site] = {}
        self._last: tuple[FrameType, FrameType | None, int, Site | None] | None = None

    def here(self, frame: FrameType | None) -> Site | None:
        """The innermost first-party expression at or above `frame`, or `None` if there is none."""
        in_package = False
        owners = self._owners
        while frame is not None:
            code = frame.f_code
            known = owners.get(id(code))
            owner = self.owner(code) if known is None else known[1]
            if owner == FIRST_PARTY:
                return self.site_of(frame, in_package)
            if owner == PACKAGE:
                in_package = True
            frame = frame.f_back
        return None

    def owns(self, code: CodeType) -> bool:
        """Say whether `code` is first-party."""
        return self.owner(code) == FIRST_PARTY

    def owner(self, code: CodeType) -> int:
        """Say whose `code` is: one of the three constants above."""
        known = self._owners.get(id(code))  # by identity: hashing a code object reads all of it
        if known is None:
            path = code.co_filename
            owner = FIRST_PARTY if self._is_first_party(path) else LIBRARY if _is_library(path) else PACKAGE
            known = self._owners[id(code)] = (code, owner)
        return known[1]

    def site_of(self, frame: FrameType, in_package: bool = False) -> Site:
        """The site at which the first-party `frame` is now."""
        back = frame.f_back
        back_lasti = -1 if back is None else back.f_lasti
        last = self._last
        if last is not None and last[0] is frame and last[1] is back and last[2] == back_lasti:
            outer = last[3]
        else:
            outer = self._outer(back)
            self._last = (frame, back, back_lasti, outer)
        return self._intern(frame, outer, in_package)

    def forget_frames(self) -> None:
        """Let go of the last frame seen, and with it of the user's local variables."""
        self._last = None

    def _outer(self, frame: FrameType | None) -> Site | None:
        while frame is not None and not self.owns(frame.f_code):
            frame = frame.f_back
        return None if frame is None else self._intern(frame, self._outer(frame.f_back), False)

    def _intern(self, frame: FrameType, outer: Site | None, in_package: bool) -> Site:
        code, lasti = frame.f_code, frame.f_lasti
        key = (id(code), lasti, id(outer), in_package)
        site = self._sites.get(key)
        if site is None:
            site = self._sites[key] = Site(code, lasti, outer, in_package)
        return site


_OURS = f"{Path(__file__).parent}{os.sep}"
_STANDARDLIBRARY = tuple({sysconfig.get_path("stdlib") + os.sep, f"{Path(os.__file__).parent}{os.sep}"})


@cache
def _torch_folder() -> str:
    import torch  # only here: this module is also used where torch turns out to be missing

    return f"{Path(torch.__file__).parent}{os.sep}"


def _is_library(path: str) -> bool:
    """Say whether a file is torch's, ours or the standard library's; generated code (`<string>`) counts as such."""
    if path.startswith((_torch_folder(), _OURS, "<")):
        return True
    return path.startswith(_STANDARDLIBRARY) and "-packages" + os.sep not in path


_locations: dict[tuple[int, int], tuple[CodeType, Location]] = {}


def _range_of(code: CodeType, lasti: int) -> Location:
    path = code.co_filename
    if sys.version_info >= (3, 11):
        line, end_line, column, end_column = next(islice(code.co_positions(), lasti // 2, None), (None,) * 4)
        if line is not None and end_line is not None and column is not None and end_column is not None:
            return Location(
                path, line, code_points(path, line, column), end_line, code_points(path, end_line, end_column)
            )
    line = next((at for start, end, at in code.co_lines() if start <= lasti < end and at), code.co_firstlineno)
    return whole_line(path, line)
