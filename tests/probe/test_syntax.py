"""Ranges of source text and the syntax around them."""

import linecache
import textwrap

import pytest

from gradflow_lsp.probe.report import Location
from gradflow_lsp.probe.syntax import (
    code_points,
    function_at,
    function_named,
    member_range,
    return_of,
    statement_at,
    syntax_tree,
    whole_line,
)

from .reading import text_at


@pytest.fixture
def source(tmp_path):
    """Write a text to a file and return its path."""

    def source(text):
        path = tmp_path / "model.py"
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        linecache.checkcache(str(path))
        syntax_tree.cache_clear()
        return str(path)

    return source


def test_a_whole_line_leaves_out_its_indentation(source):
    path = source("if x:\n    y = 1  \n")
    assert whole_line(path, 2) == Location(path, 2, 4, 2, 9)


def test_columns_are_turned_from_bytes_into_characters(source):
    path = source('π = "häß"; y = 1\n')
    line = 'π = "häß"; y = 1'
    assert code_points(path, 1, len(line[: line.index("y")].encode())) == line.index("y")


@pytest.mark.parametrize(
    ("expression", "names", "narrowed"),
    [
        ("h.relu().detach()", ["detach", "detach_"], ".detach()"),
        ("h.data", ["data"], ".data"),
        ("self.h.data", ["data"], ".data"),
        ("h.relu()", ["detach"], "h.relu()"),
        ("detach(h)", ["detach"], "detach(h)"),
        ("häß.detach()", ["detach"], ".detach()"),
    ],
)
def test_a_call_is_narrowed_to_its_last_member(source, expression, names, narrowed):
    path = source(f"y = {expression}\n")
    assert text_at(member_range(Location(path, 1, 4, 1, 4 + len(expression)), *names)) == narrowed


def test_a_member_on_a_line_of_its_own_is_found_there(source):
    path = source("y = (h\n    .relu()\n    .detach()\n)\n")
    found = member_range(Location(path, 1, 5, 3, 13), "detach")
    assert (found.line, found.column, text_at(found)) == (3, 4, ".detach()")


FUNCTIONS = """
def probe():
    return 0

def probe():
    def inner():
        return 1
    if inner():
        return 2
    value = [
        inner() for _ in range(2)
    ]
    return value
"""


def test_the_return_of_a_function_is_its_last_own_one(source):
    found = return_of(source(FUNCTIONS), "probe")
    assert text_at(found) == "return value"


def test_a_function_without_return_has_none(source):
    assert return_of(source("def probe():\n    pass\n"), "probe") is None


def test_of_functions_of_one_name_the_last_counts(source):
    assert function_named(source(FUNCTIONS), "probe").lineno == 5


def test_the_statement_and_the_function_around_a_range(source):
    path = source(FUNCTIONS)
    at = Location(path, 11, 8, 11, 15)
    assert statement_at(at).lineno == 10
    assert function_at(at).name == "probe"
    assert function_at(Location(path, 7, 15, 7, 16)).name == "inner"


def test_broken_text_has_no_tree(source):
    path = source("def probe(:\n")
    assert syntax_tree(path) is None
    assert return_of(path, "probe") is None


def test_unsaved_text_counts_not_the_disk(source):
    path = source("x = 1\n")
    linecache.cache[path] = (6, None, ["    yy = 2\n"], path)
    assert whole_line(path, 1) == Location(path, 1, 4, 1, 10)
