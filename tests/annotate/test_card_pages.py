"""Whole cards, compared with golden files: Markdown as editors get it, and text for those that take nothing else.

After a change that is meant, `GRADFLOW_WRITE_GOLDEN=1 pytest tests/annotate` writes them anew: look at the difference.
"""

import os
from pathlib import Path

import pytest

from gradflow_lsp.annotate.board import Board
from gradflow_lsp.annotate.card import card_at
from gradflow_lsp.annotate.positions import Point
from gradflow_lsp.annotate.render import Link, markdown, plain
from gradflow_lsp.annotate.words import place
from gradflow_lsp.probe.report import Cause, ProbeReport
from gradflow_lsp.source.outline import outline

from .reports import DETACH, FIRST, LAST, NOON, PATH, TEXT, cut_report, location, parameter, report

GOLDEN = Path(__file__).parent / "golden"

MEANT = TEXT.replace(".detach()\n", ".detach()  # gradflow: intended\n")
HEALTHY = report(
    parameters=[
        parameter("first.weight", grad_norm=0.0412, zero_fraction=0.125),
        parameter("first.bias", grad_norm=0.0102, zero_fraction=0.0),
        parameter("last.weight", grad_norm=0.0791, zero_fraction=0.0),
        parameter("last.bias", grad_norm=7.07, zero_fraction=0.0),
    ],
    losses={"loss": -0.31},
)


def blocks_report() -> ProbeReport:
    """Return the report of 24 blocks built in one place, 12 of them before a cut."""
    numbers = range(24)
    names = [f"blocks.{i}.{leaf}" for i in numbers for leaf in ("weight", "bias")]
    parameters = [
        parameter(name, "missing" if i // 2 < 12 else "healthy", location=FIRST, causes=[0] if i // 2 < 12 else [])
        for i, name in enumerate(names)
    ]
    cut = Cause("detach", "`.detach()` cuts the graph here.", names[:24], DETACH)
    return report(parameters=[*parameters, parameter("last.weight", location=LAST)], causes=[cut])


def board(*reports: ProbeReport, text: str = TEXT) -> Board:
    """Return a board on which the reports were pinned one after the other."""
    pinned = Board()
    for each in reports:
        pinned.show(each, {PATH: text}, NOON)
    return pinned


CARDS = {
    "layer": (board(cut_report()), "nn.Linear(4, 8)"),
    "mention": (board(cut_report()), "self.last(h)"),
    "cause": (board(cut_report()), ".detach()"),
    "probe": (board(cut_report()), "gradflow_probe"),
    "intended_layer": (board(cut_report(), text=MEANT), "nn.Linear(4, 8)"),
    "intended_cause": (board(cut_report(), text=MEANT), ".detach()"),
    "mended_layer": (board(cut_report(), HEALTHY), "nn.Linear(4, 8)"),
    "mended_probe": (board(cut_report(), HEALTHY), "gradflow_probe"),
    "broken_layer": (board(HEALTHY, cut_report()), "nn.Linear(4, 8)"),
    "blocks_layer": (board(blocks_report()), "nn.Linear(4, 8)"),
    "blocks_cause": (board(blocks_report()), ".detach()"),
}


def shown(name: str):
    pinned, needle = CARDS[name]
    text = pinned.text(PATH) or ""
    at = location(needle, text)
    card = card_at(pinned.over(PATH), outline(text), PATH, Point(at.line, at.column + 1), link)
    return card.blocks


def link(to, seen_from) -> Link:
    return Link(place(to, seen_from), f"model.py#L{to.line}")


@pytest.mark.parametrize("name", CARDS)
@pytest.mark.parametrize(("write", "suffix"), [(markdown, "md"), (plain, "txt")])
def test_a_card_is_as_in_its_golden_file(name, write, suffix):
    golden = GOLDEN / f"{name}.{suffix}"
    text = write(shown(name)) + "\n"
    if os.environ.get("GRADFLOW_WRITE_GOLDEN"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")
