"""Every quick fix that is offered for a cause mends it: applied, and the probe run again."""

import importlib.util
from pathlib import Path

import pytest

from gradflow_lsp.check import plan

REPO = Path(__file__).parent.parent
FOLDERS = {
    REPO / "tests" / "cases": 8,
    REPO / "tests" / "census" / "faulty": 130,
    REPO / "sample_projects": 4,
    REPO.parent / "shared" / "cases": 10,
}
"""Where faults are, and how many of them have a fix at least."""


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
async def test_every_fix_mends_its_cause_and_spoils_nothing(folder, bench):
    pytest.importorskip("torch")
    if not folder.exists():
        pytest.skip(f"{folder} is not here")
    found = await bench.score(plan([folder], {}).jobs)
    assert [one for tried in found for one in tried if one.trouble] == []
    assert sum(1 for tried in found if tried[0].title) >= FOLDERS[folder]


@pytest.fixture
def bench(monkeypatch):
    path = REPO / "tests" / "bench" / "fix_score.py"
    monkeypatch.syspath_prepend(path.parent)
    spec = importlib.util.spec_from_file_location("fix_score", path)
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(__import__("sys").modules, "fix_score", module)
    spec.loader.exec_module(module)
    return module
