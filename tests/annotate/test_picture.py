import re
from base64 import b64decode
from xml.etree import ElementTree

import pytest

from gradflow_lsp.annotate.card import card_at
from gradflow_lsp.annotate.flow import flow_of
from gradflow_lsp.annotate.picture import flow_picture
from gradflow_lsp.annotate.positions import Point
from gradflow_lsp.annotate.render import markdown
from gradflow_lsp.source.outline import outline

from .reports import FIRST, PATH, TEXT, cut_report, parameter, shown

SVG = "{http://www.w3.org/2000/svg}"


def picture(parameters, marked=()) -> ElementTree.Element:
    return ElementTree.fromstring(flow_picture(flow_of(parameters, marked)))


def texts(of: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in of.iter(f"{SVG}text")]


def bars(of: ElementTree.Element) -> list[float]:
    return [float(each.get("width")) for each in of.iter(f"{SVG}rect") if each.get("class") is None]


def test_each_step_has_a_row_from_the_loss_to_the_input():
    found = picture([parameter("first.weight", "missing"), parameter("last.weight", grad_norm=7.5)])
    assert texts(found) == ["loss", "last", "7.5", "first", "no gradient", "input"]
    assert len(list(found.iter(f"{SVG}circle"))) == 4


def test_a_larger_gradient_has_a_longer_bar():
    norms = [1e-9, 1e-6, 1e-3, 1.0, 2.0, 10.0]
    found = bars(picture([parameter(f"l{i}.weight", grad_norm=norm) for i, norm in enumerate(norms)]))
    assert found == sorted(found, reverse=True) and found[0] > 20 * found[-1] > 0


def test_gradients_of_one_size_have_bars_of_one_length():
    assert set(bars(picture([parameter(f"l{i}.weight", grad_norm=0.25) for i in range(3)]))) == {110.0}


@pytest.mark.parametrize("norm", [float("nan"), float("inf"), 0.0, None])
def test_what_has_no_size_is_told_in_words(norm):
    found = picture([parameter("first.weight", "nonfinite", grad_norm=norm)])
    assert texts(found) == ["loss", "first", "NaN or infinite", "input"] and bars(found) == []


def test_names_are_text_and_long_ones_keep_their_ends():
    name = f"blocks[<{'x' * 40}>].out"
    assert f"…{name[-27:]}" in texts(picture([parameter(f"{name}.weight")]))


def test_all_that_is_drawn_lies_within_the_picture():
    of = picture([parameter(f"{'m' * 30}{i}.weight", grad_norm=1e-20 * 10.0 ** (4 * i)) for i in range(9)])
    width, height = float(of.get("width")), float(of.get("height"))
    for element in of.iter(f"{SVG}text"):
        assert float(element.get("x")) + 7.3 * len(element.text) <= width and float(element.get("y")) < height


def test_a_card_has_the_picture_only_where_images_are_drawn_and_says_the_same_in_words():
    card = card_at([shown(cut_report())], outline(TEXT), PATH, Point(FIRST.line, FIRST.column))
    words, drawn = markdown(card.blocks), markdown(card.blocks, images=True)
    assert "data:" not in words and "Flow: `loss → last ✓ · [first ✗] → input`" in words
    (alternative, data) = re.search(r"!\[(.*)\]\(data:image/svg\+xml;base64,([^)]*)\)", drawn).groups()
    assert alternative == r"Flow: loss → last ✓ · \[first ✗\] → input (✗ no gradient)"
    assert "first" in texts(ElementTree.fromstring(b64decode(data)))
    assert len(drawn) < 10_000
