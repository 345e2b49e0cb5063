from gradflow_lsp.annotate.hidden import By, Hidden
from gradflow_lsp.annotate.lenses import lenses
from gradflow_lsp.source.outline import outline

from .reports import LAST, PATH, TEXT, cut_report, shown

WITHOUT_PROBE = TEXT.partition("def gradflow_probe")[0]


def titles(text: str, stage=None, pinned=None):
    return [(lens.action, lens.title) for lens in lenses(outline(text), lambda _: stage, lambda _: pinned)]


def test_a_probe_can_be_run():
    assert titles(TEXT) == [("run", "Run gradient probe")]


def test_a_probe_tells_how_the_last_run_went():
    assert titles(TEXT, pinned=shown(cut_report()))[1] == ("showReport", "2 missing, 2 healthy, 0.214 s")


def test_the_outcome_tells_what_comments_hide():
    pinned, by = shown(cut_report()), By(LAST, intended=True)
    pinned.hidden = Hidden(parameters={"first.weight": by, "first.bias": by})
    assert titles(TEXT, pinned=pinned)[1][1] == "2 missing (intended), 2 healthy, 0.214 s"


def test_the_outcome_is_marked_stale_after_an_edit():
    pinned = shown(cut_report())
    pinned.differing.add(PATH)
    assert titles(TEXT, pinned=pinned)[1][1] == "2 missing, 2 healthy, 0.214 s (stale: edited since the run)"


def test_a_running_probe_can_be_cancelled():
    assert titles(TEXT, stage="backward") == [
        ("showReport", "Gradient probe: running backward…"),
        ("cancel", "Cancel"),
    ]


def test_a_cancelled_run_is_told_with_the_outcome_that_is_still_shown():
    assert titles(TEXT, stage="cancelled") == [("run", "Run gradient probe"), ("showReport", "cancelled")]
    _, (_, title) = titles(TEXT, stage="cancelled", pinned=shown(cut_report()))
    assert title == "cancelled; before: 2 missing, 2 healthy, 0.214 s"


def test_a_model_class_without_a_probe_offers_to_write_one():
    assert titles(WITHOUT_PROBE) == [("insertProbe", "Insert gradient probe for Net")]


def test_other_classes_offer_nothing():
    assert titles("class Config:\n    pass\n") == []
