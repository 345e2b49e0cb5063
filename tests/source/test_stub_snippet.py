import re

from hypothesis import given
from hypothesis import strategies as st

from gradflow_lsp.source.stub_snippet import snippet_of


def expanded(snippet: str) -> str:
    """Return what an editor inserts for a snippet of placeholders and escapes."""
    return re.sub(r"\\(.)|\$\{\d+:([^}]*)\}", lambda m: m[1] or m[2], snippet)


def test_the_shape_of_each_input_is_a_tab_stop():
    text = "x = torch.randn(4, 3)\ny = torch.randint(0, 10, (4, 16))\nz = torch.ones(4, dtype=torch.bool)\n"
    assert snippet_of(text) == (
        "x = torch.randn(${1:4, 3})\ny = torch.randint(0, 10, (${2:4, 16}))\nz = torch.ones(${3:4}, dtype=torch.bool)\n"
    )


@given(st.lists(st.sampled_from(["${x}", "\\", "}", "$1", "torch.randn(4, 3)", "{'a': 1}", "\n", "é"])).map("".join))
def test_a_snippet_inserts_the_text_itself(text):
    assert expanded(snippet_of(text)) == text
