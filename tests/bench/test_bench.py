"""The benches still run: on the smallest model, or on one case."""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

BENCH = Path(__file__).parent
CASES = BENCH.parent / "cases"
TOOLS = ["gradflow-lsp", "detect_anomaly"]


pytestmark = pytest.mark.skipif(find_spec("torch") is None, reason="the bench runs models")


def bench(script, *arguments):
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, str(BENCH / script), *map(str, arguments)]
    run = subprocess.run(command, capture_output=True, encoding="utf-8", env=environment)
    assert not run.returncode, run.stderr
    return run.stdout


def rows(text):
    """The cells of the lines of the Markdown tables in a text, by the first one; of the first such line."""
    lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"]
    found = {}
    for first, *others in lines:
        found.setdefault(first, others)
    return found


@pytest.mark.skipif(sys.platform == "win32", reason="the bench reads POSIX counters")
class TestEngineCost:
    def test_a_healthy_model_has_its_ratio_and_where_the_time_went(self):
        found = rows(bench("engine_cost.py", "--only", "smallest", "--runs", "1"))
        told = dict(zip(found["model"], found["smallest"], strict=True))
        assert float(told["x cpu"]) > 1
        assert float(told["reading"]) > 0
        assert told["size"] == "small"

    def test_a_model_with_a_fault_has_its_closer_look_and_replays(self):
        found = rows(bench("engine_cost.py", "--only", "smallest_dead", "--runs", "1"))
        told = dict(zip(found["model"], found["smallest_dead"], strict=True))
        assert int(told["calls"]) > 1 and int(told["ops"]) > 20
        assert 0 < float(told["x look"]) < float(told["x all"])
        assert "zero" in told["not healthy"]


@pytest.mark.skipif(sys.platform == "win32", reason="the bench forks")
class TestRivals:
    def test_each_tool_is_scored_on_a_case(self):
        found = rows(bench("rivals.py", CASES, "--only", "root_of_nothing", "--tools", *TOOLS, "--runs", "1"))
        told = {
            tool: dict(zip(found["tool"], cells, strict=True))
            for tool, cells in found.items()
            if len(cells) == len(found["tool"])
        }
        assert told["gradflow-lsp"]["right line"] == "1/1"
        assert told["detect_anomaly"]["faults found"] == "1/1"


@pytest.mark.skipif(sys.platform == "win32", reason="the bench forks")
class TestZeroTests:
    def test_each_test_is_asked_about_a_case(self, tmp_path):
        for suffix in (".py", ".toml"):
            shutil.copy(CASES / f"planned_controlnet{suffix}", tmp_path)
        text = bench("zero_tests.py", tmp_path)
        waiting = rows(text)["escape"][1]
        assert int(waiting) > 0
        assert rows(text)["(none)"] == ["0", "0", "0", "0"]


@pytest.mark.skipif(sys.platform != "linux", reason="the bench reads Linux's clocks")
class TestServerCost:
    @pytest.mark.slow
    def test_everything_that_a_server_does_has_its_ratio(self):
        text = bench("server_cost.py", "--files", "300", "--open", "5", "--requests", "5", "--starts", "1")
        asked = ["hover", "lens", "hints", "code action"]
        names = ["start-up", "first scan, beside grep -rl", *asked, *(f"a keystroke, then {name}" for name in asked)]
        for name in names:
            told = dict(zip(rows(text)[""], rows(text)[name], strict=True))
            assert float(told["x cpu"]) > 0 and float(told["x wall"]) > 0, name
        assert float(rows(text)["USS after the scan"][2]) > 1


class TestFixScore:
    def test_a_fix_is_applied_and_the_probe_run_again(self):
        found = rows(bench("fix_score.py", BENCH.parent.parent / "sample_projects" / "dry_soil" / "model.py"))
        assert dict(zip(found["kind"], found["detach"], strict=True))["in one step"] == "1"


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="the bench starts a server as POSIX does")
class TestRunCost:
    def test_runs_are_compared_with_scripts_and_leave_nothing_behind(self, tmp_path):
        shutil.copy(CASES / "root_of_nothing.py", tmp_path)
        found = rows(bench("run_cost.py", "--rounds", "1", "--cases", tmp_path, "--flat", "2"))
        warm = dict(zip(found["in the editor"], found["warm"], strict=True))
        assert 0 < float(warm["ratio"]) < 1
        assert float(dict(zip(found["on the command line"], found["1 files"], strict=True))["check s"]) > 0
        assert dict(zip(found["runs"], found["1"], strict=True))["processes below it"] == "1"
