"""Every code and kind has a page that says what it means, why it matters and how to mend it."""

import ast
import re
import textwrap

import pytest
import tomllib

from gradflow_lsp.codes import ALL, CAUSE_KINDS, ERROR_KINDS, FINDING_CODES, VERDICT_CODES
from gradflow_lsp.output.explanations import explanation, title


def test_the_names_are_those_of_the_contract():
    assert (len(VERDICT_CODES), len(FINDING_CODES), len(CAUSE_KINDS), len(ERROR_KINDS)) == (7, 7, 27, 14)
    assert len(set(ALL)) == len(ALL)


@pytest.mark.parametrize("name", ALL)
def test_a_page_answers_the_three_questions_in_order(name):
    page = explanation(name)
    assert page.startswith(f"# {name}: ")
    questions = re.findall(r"^\*\*(.+?)\.\*\*", page, re.MULTILINE)
    assert questions == ["What it means", "Why it matters", "How to mend it"]


@pytest.mark.parametrize("name", ALL)
def test_a_page_has_one_short_example_that_parses(name):
    [(language, example)] = re.findall(r"```(\w+)\n(.*?)```", explanation(name), re.DOTALL)
    assert 1 <= len([line for line in example.splitlines() if line.strip()]) <= 5
    if language == "python":
        ast.parse("def example():\n" + textwrap.indent(example, "    "))
    elif language == "toml":
        tomllib.loads(example)
    else:
        assert language == "sh"


def test_an_unknown_name_has_no_page():
    assert explanation("../output/text") is None
    with pytest.raises(KeyError):
        title("nothing")
