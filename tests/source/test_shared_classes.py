"""Classes as many different people write them: most get a probe that runs as it was written."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from bench.stub_score import score

FOLDER = Path(__file__).parents[3] / "shared" / "stub_classes"
ENOUGH = 24


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.skipif(not FOLDER.is_dir(), reason="the classes are not here")
def test_most_classes_get_a_probe_that_runs():
    names = sorted(path.stem for path in FOLDER.glob("*.json"))
    with ThreadPoolExecutor(2) as pool:
        scores = list(pool.map(lambda name: score(FOLDER, name, sys.executable, 120.0, None), names))
    failed = {one.name: one.trouble or f"{one.reached} of {one.parameters} reached" for one in scores if not one.counts}
    assert len(scores) - len(failed) >= ENOUGH, json.dumps(failed, indent=2)
