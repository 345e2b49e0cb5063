"""Classes as many different people write them: most get a probe that runs as it was inserted."""

import ast
import asyncio
import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from bench.stub_score import Score, scores

from gradflow_lsp.annotate.edits import applied, edits_between
from gradflow_lsp.source.stub import write_probe

OWN = Path(__file__).parents[1] / "stub_classes"
SHARED = Path(__file__).parents[3] / "shared" / "stub_classes"
ENOUGH = 0.9
NAMES = sorted(path.stem for path in OWN.glob("*.json"))


def failed(found: Sequence[Score]) -> str:
    return json.dumps({one.name: str(one) for one in found if not one.counts}, indent=2)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("folder", [OWN, SHARED], ids=["own", "shared"])
def test_most_classes_get_a_probe_that_runs(folder: Path, tmp_path: Path):
    if not folder.is_dir():
        pytest.skip("the classes are not here")
    names = sorted(path.stem for path in folder.glob("*.json"))
    found = asyncio.run(scores(folder, names, tmp_path, verify=True))
    assert sum(one.counts for one in found) >= ENOUGH * len(found), failed(found)


@pytest.mark.parametrize("name", NAMES)
def test_a_probe_leaves_the_file_whole_and_can_be_undone(name: str):
    about = json.loads((OWN / f"{name}.json").read_text("utf-8"))
    text = (OWN / f"{name}.py").read_bytes().decode("utf-8")
    result = write_probe(text, about["class"], path=OWN / f"{name}.py").apply(text)
    ast.parse(result)
    undo = edits_between(result, text)
    assert undo and not any(edit.text for edit in undo)
    assert applied(result, undo) == text
