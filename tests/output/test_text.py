"""The report in the terminal, compared with golden files at a width of 80.

After a change that is meant, `GRADFLOW_WRITE_GOLDEN=1 pytest tests/output` writes them anew: look at the difference.
"""

import io
import os
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from gradflow_lsp.annotate.hidden import UNUSED, By, Hidden
from gradflow_lsp.annotate.view import View
from gradflow_lsp.output.table import shorten, table_lines
from gradflow_lsp.output.text import print_reports
from gradflow_lsp.probe.report import Finding, ProbeReport

from . import examples

GOLDEN = Path(__file__).parent / "golden"


def hidden(report: ProbeReport) -> View:
    """Return a view in which comments hide the first layer, and the cause of what is left; one is in vain."""
    ignored, intended = By(examples.at(7), intended=False), By(examples.at(14), intended=True)
    unused = Finding(UNUSED, "information", "`intended` hides nothing on this line.", examples.at(9, 30, 52))
    by_name = {"first.weight": ignored, "first.bias": intended}
    return View.of(report, Hidden(parameters=by_name, causes={0: ignored}, unused=(unused,)))


SCREENS = {
    "cut": [examples.CUT],
    "healthy": [examples.HEALTHY],
    "freeze": [examples.FREEZE],
    "planned": [examples.PLANNED],
    "everything": [examples.EVERYTHING],
    "raised": [examples.RAISED],
    "timeout": [examples.TIMEOUT],
    "commented": [hidden(examples.CUT)],
    "several": [examples.HEALTHY, examples.CUT, examples.TIMEOUT],
}


def printed(reports, width=80, **console):
    file = io.StringIO()
    views = [report if isinstance(report, View) else View.of(report) for report in reports]
    print_reports(views, Console(file=file, width=width, **console), examples.FOLDER)
    return file.getvalue()


@pytest.mark.parametrize("name", SCREENS)
def test_the_text_is_as_in_its_golden_file(name):
    golden = GOLDEN / f"{name}.txt"
    text = printed(SCREENS[name])
    if os.environ.get("GRADFLOW_WRITE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_only_locations_may_be_wider_than_the_terminal(width):
    lines = printed([examples.CUT, examples.EVERYTHING], width).splitlines()
    too_wide = [line for line in lines if cell_len(line) > width]
    assert all("model.py:" in line for line in too_wide)


def test_nothing_is_left_at_the_end_of_a_line():
    assert all(line == line.rstrip() for line in printed([examples.EVERYTHING]).splitlines())


def test_a_wide_terminal_shows_whole_names_and_the_path_of_each_layer():
    text = printed([examples.EVERYTHING], width=200)
    assert "generator.encoder.blocks.11.attention.heads[3].query_projection.weight" in text
    assert "soil/deep/down/attention_blocks.py:120" in text


def test_columns_give_way_so_that_shortened_names_stay_apart():
    names = [f"encoder.layers.{number}.self_attention.in_proj_weight" for number in range(2)]
    lines = list(table_lines([examples.parameter(name, [8, 4]) for name in names], 78, lambda p: p.verdict))
    assert names == [line.plain.split()[1] for line in lines[1:]]
    assert "weight" not in lines[0].plain


def test_a_location_is_a_path_from_the_current_folder_with_a_line_and_a_column_from_one():
    assert "detach  soil/model.py:14:13\n" in printed([examples.CUT])


def test_colours_are_for_terminals_alone():
    assert "\x1b[" not in printed([examples.CUT])
    assert "\x1b[33mmissing" in printed([examples.CUT], force_terminal=True, color_system="standard")


def test_what_the_program_printed_is_shown_without_its_colours_and_markup_is_left_as_it_is():
    assert "| loading [bold]all[/bold]\n" in printed([examples.RAISED])


@pytest.mark.parametrize("width", [1, 5, 12, 30])
def test_a_name_is_shortened_in_its_middle_to_the_cells_it_may_take(width):
    short = shorten("encoder.層.weight[0]", width)
    assert cell_len(short) <= width
    assert ("…" in short) == (width < 30)


def test_a_cause_that_a_setting_turned_off_is_not_printed():
    assert "detach" not in printed([View.of(examples.CUT, severities={"detach": "off"})])
    assert "hint: detach" in printed([View.of(examples.CUT, severities={"detach": "hint"})])
