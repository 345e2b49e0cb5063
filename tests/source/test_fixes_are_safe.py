"""Whatever is taken for a cause, in whatever file: a fix leaves Python, and can be undone to the byte."""

import ast
import re
from itertools import cycle, pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradflow_lsp.source.fixes.marks import marks
from gradflow_lsp.source.fixes.table import FIXABLE, fixes
from gradflow_lsp.source.parsing import descendants, statements
from gradflow_lsp.source.spans import Span, split_lines

from .fixing import inverse, undone

TESTS = Path(__file__).parent.parent
FILES = sorted((TESTS / "cases").glob("*.py"))
FEW = FILES[::9]
MANY = [*FILES, *sorted((TESTS / "census" / "faulty").glob("*.py"))]
PATHS = ("{name}[0].weight", '{name}["a"].weight', "{name}[0]", '{name}["a"]', "{name}")
VARIANTS = {
    "as it is": lambda text: text,
    "with tabs": lambda text: text.replace("    ", "\t"),
    "with CRLF": lambda text: text.replace("\n", "\r\n"),
    "with CR": lambda text: text.replace("\n", "\r"),
    "with another alphabet": lambda text: re.sub(r"\bx\b", "ξ", text),
}


def places(text):
    """What a cause may point at, with the kinds that it may then have."""
    for statement in statements(text):
        for node in descendants(statement.node):
            if node.type in ("call", "attribute", "with_statement", "decorator"):
                yield statement.span(node)
                if node.type != "with_statement":
                    dot = node.children[0].children if node.type == "call" else node.children
                    starts = [child.start_byte for child in dot if child.type == "."]
                    if starts:
                        yield statement.lines.span(starts[-1], node.end_byte)


def all_fixes(text):
    lines = split_lines(text)
    for span in dict.fromkeys(places(text)):
        for kind in FIXABLE - {"unregistered"}:
            yield from ((kind, span, fix) for fix in fixes(text, kind, span))
        for name in set(re.findall(r"self\.(\w+)", lines[span.line - 1])):
            for path in PATHS:
                for fix in fixes(text, "unregistered", span, [path.format(name=name)]):
                    yield "unregistered", span, fix


def check(text):
    found = 0
    for kind, span, fix in all_fixes(text):
        new = fix.apply(text)
        try:
            ast.parse(new)
        except SyntaxError as error:
            pytest.fail(f"{kind} at {span} ({fix.title}): {error}\n{new}")
        assert new != text, (kind, span, fix)
        assert undone(new, inverse(text, fix.replacements)) == text
        spans = sorted(one.span for one in fix.replacements)
        assert all((a.end_line, a.end_column) <= (b.line, b.column) for a, b in pairwise(spans))
        found += 1
    return found


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_fix_leaves_python_and_can_be_undone(variant):
    found = sum(check(VARIANTS[variant](path.read_text(encoding="utf-8"))) for path in FEW)
    assert found > 20


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_so_does_every_fix_in_hundreds_of_files():
    variants = cycle(VARIANTS.values())
    found = sum(check(variant(path.read_text(encoding="utf-8"))) for path, variant in zip(MANY, variants, strict=False))
    assert found > 1000


@pytest.mark.parametrize("variant", VARIANTS)
def test_so_does_every_mark(variant):
    for path in FEW:
        text = VARIANTS[variant](path.read_text(encoding="utf-8"))
        for span in dict.fromkeys(Span(span.line, 0, span.line, 1) for span in places(text)):
            for fix in marks(text, span, "detach", "detach"):
                assert ast.dump(ast.parse(fix.apply(text))) == ast.dump(ast.parse(text))
                assert undone(fix.apply(text), inverse(text, fix.replacements)) == text


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_nothing_is_raised_on_text_that_is_being_typed(data):
    text = data.draw(st.sampled_from([path.read_text(encoding="utf-8") for path in FILES]))
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 80)))
    text = text[:start] + data.draw(st.sampled_from(["", "(", ")", '"""', "\n", "x = "])) + text[end:]
    span = data.draw(st.sampled_from([*places(text), Span(1, 0, 1, 5)]))
    for kind in FIXABLE:
        for fix in fixes(text, kind, span, ["a.b[0].weight"]):
            assert fix.apply(text) != text
    for fix in marks(text, span, "detach", "detach"):
        assert fix.apply(text) != text
