"""The explanations of every code, cause kind and error kind: one short page of Markdown each, in `explanations/`."""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path

from gradflow_lsp.codes import ALL

_PAGES = resources.files(__package__) / "explanations"


def explanation(name: str) -> str | None:
    """Return the page of a code or kind as Markdown; `None` if there is none."""
    return (_PAGES / f"{name}.md").read_text(encoding="utf-8") if name in ALL else None


@cache
def address(name: str) -> str | None:
    """Return the page's own address, of a file beside this one; `None` if there is no page, or none in a file."""
    return (_PAGES / f"{name}.md").as_uri() if name in ALL and isinstance(_PAGES, Path) else None


def title(name: str) -> str:
    """Return what a code or kind means in a few words: the heading of its page. Raises `KeyError` if there is none."""
    page = explanation(name)
    if page is None:
        raise KeyError(name)
    return page.partition("\n")[0].partition(": ")[2]
