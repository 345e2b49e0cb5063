"""Top-level statements, of whole texts and of texts that somebody is typing in."""

import textwrap

from hypothesis import given, settings
from hypothesis import strategies as st

from gradflow_lsp.source.parsing import comments, descendants, statements, text_of

PYTHON = ["def f():\n", "class A:\n", "    x = (1,\n", '"""', "'", "(", "@wraps\n", "    return 🔥\n", "\r"]


def first_lines(text: str) -> list[str]:
    return [text_of(statement.node).partition("\n")[0] for statement in statements(textwrap.dedent(text))]


def test_statements_come_in_order_without_comments():
    assert first_lines("import torch\n# why\nx = 1\ndef f(): pass\n") == ["import torch", "x = 1", "def f(): pass"]


def test_a_decorated_statement_knows_its_definition():
    [statement] = statements("@torch.no_grad()\ndef f():\n    pass\n")
    assert statement.node.type == "decorated_definition"
    assert statement.definition.type == "function_definition"
    assert (statement.span().line, statement.span(statement.definition).line) == (1, 2)


def test_an_open_bracket_costs_only_the_statement_that_holds_it():
    text = """\
    import torch
    def broken():
        return torch.cat([a, b
    def whole():
        return 1
    class Model:
        pass
    """
    assert first_lines(text)[-2:] == ["def whole():", "class Model:"]


def test_statements_behind_a_fault_keep_their_lines():
    found = statements("def broken(:\n    return (\n\nclass Model:\n    pass\n")
    assert found[-1].span().line == 4


def test_a_decorator_stays_with_its_function_behind_a_fault():
    found = statements("x = (\n\n@cached\ndef whole():\n    return 1\n")
    assert found[-1].node.type == "decorated_definition"
    assert found[-1].span().line == 3


def test_text_in_a_string_never_begins_a_statement():
    text = 'TEMPLATE = """\ndef inside():\n    pass\n"""\ndef whole():\n    pass\nx = (\n'
    assert "def inside():" not in first_lines(text)


def test_a_carriage_return_alone_ends_a_line():
    first, second = statements("x = 1\ry = 2\r")
    assert (first.span().line, second.span().line) == (1, 2)


def test_columns_behind_wide_characters_are_counted_in_characters():
    _, second = statements("a = '🔥🔥'; b = 1\n")
    assert (second.span().column, second.span().end_column) == (10, 15)


def test_comments_say_whether_they_stand_alone():
    assert comments("#: shape (B, T)\nx = 1  # seconds\n") == [(1, "shape (B, T)", True), (2, "seconds", False)]


def test_a_hash_in_a_string_is_no_comment():
    assert comments("x = '# no'\n") == []


def test_descendants_come_in_source_order():
    [statement] = statements("f(a, b)[c]\n")
    assert [text_of(node) for node in descendants(statement.node) if node.type == "identifier"] == ["f", "a", "b", "c"]


def test_thousands_of_nested_brackets_are_read():
    deep = "x = " + "(" * 3000 + ")" * 3000 + "\n"
    [statement] = statements(deep)
    assert sum(1 for _ in descendants(statement.node)) > 1000


@given(st.one_of(st.text(), st.lists(st.sampled_from(PYTHON)).map("".join)))
@settings(deadline=None)
def test_no_text_is_too_broken_to_read(text):
    spans = [statement.span() for statement in statements(text)]
    assert spans == sorted(spans)
