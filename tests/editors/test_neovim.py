"""A real Neovim with the configuration of client-config/neovim: what its user sees before, during and after a run.

One sitting in a headless Neovim (neovim/session.lua) writes down what the editor showed; each test reads one part.
Needs Neovim 0.11 or newer: `nvim` on the PATH or beside Python, or named by the environment variable `NVIM`.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from sitting import CLASS, CONFIGS, DETACH, FIRST, LAST, PROBE, on_line, sit

pytestmark = pytest.mark.editor

STEPS = Path(__file__).parent / "neovim"
NVIM = os.environ.get("NVIM") or shutil.which("nvim") or shutil.which("nvim", path=Path(sys.executable).parent)
WARNING = 2  # vim.diagnostic.severity.WARN


def version(nvim):
    line = subprocess.run([nvim, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    return tuple(int(part) for part in line.removeprefix("NVIM v").split("-")[0].split(".")[:2])


@pytest.fixture(scope="module")
def saw(tmp_path_factory):
    """What Neovim showed, step by step."""
    if NVIM is None:
        pytest.skip("nvim is not installed")
    if version(NVIM) < (0, 11):
        pytest.skip("this configuration is for Neovim 0.11 or newer")
    clean = [NVIM, "--headless", "-n", "-i", "NONE", "-u", STEPS / "init.lua"]
    return sit(
        tmp_path_factory.mktemp("neovim"),
        [*clean, "-c", f"luafile {STEPS / 'session.lua'}"],
        GRADFLOW_NEOVIM_CONFIG=str(CONFIGS / "neovim"),
    )


def test_nothing_is_said_before_a_run(saw):
    assert saw["before"] == []


def test_a_lens_over_the_probe_offers_to_run_it(saw):
    assert saw["lens_before"]["line"] == PROBE


def test_the_layer_that_gets_no_gradient_is_marked_where_it_is_defined(saw):
    (diagnostic,) = on_line(saw["after"], FIRST)
    assert (diagnostic["code"], diagnostic["severity"]) == ("missing-gradient", WARNING)
    assert diagnostic["source"] == "gradflow"
    assert diagnostic["message"].startswith("first: no gradient reaches weight, bias.")


def test_the_message_on_the_layer_names_the_line_of_the_cause(saw):
    # This editor shows no related information, so the sentence must say it.
    (diagnostic,) = on_line(saw["after"], FIRST)
    assert f"line {DETACH}" in diagnostic["message"]


def test_the_cause_is_marked_on_its_own_line(saw):
    (diagnostic,) = on_line(saw["after"], DETACH)
    assert (diagnostic["code"], diagnostic["severity"]) == ("detach", WARNING)
    assert "first.*" in diagnostic["message"]


def test_a_layer_that_learns_is_not_marked(saw):
    assert on_line(saw["after"], LAST) == []


def test_the_hover_on_a_layer_shows_its_gradients_norms(saw):
    for parameter in ("last.weight", "last.bias"):
        (row,) = [line for line in saw["hover"].splitlines() if parameter in line]
        assert re.search(r"\b0\.\d{4,}", row) and "healthy" in row


def test_hints_stand_at_the_layers(saw):
    assert {hint["line"] for hint in saw["hints"]} == {FIRST, LAST}


def test_the_lens_tells_the_outcome_of_the_run(saw):
    titles = [lens["title"] for lens in saw["lenses_after"] if lens["line"] == PROBE]
    assert any("2 missing, 2 healthy" in title for title in titles)


def test_a_class_without_a_probe_is_offered_one_as_lens_and_as_action(saw):
    assert saw["no_probe_lens"] == {"line": CLASS, "title": "Insert gradient probe for Regressor"}
    assert "Insert gradient probe for Regressor" in saw["actions"]


def test_the_inserted_probe_is_python_that_runs_and_finds_nothing_wrong(saw):
    compile(saw["with_probe"], "no_probe.py", "exec")
    assert saw["after_insert"] == []
    assert saw["hints_after_insert"] == 2


def test_nothing_is_complained_about(saw):
    assert saw["notices"] == []


def test_no_process_is_left(saw):
    assert saw["stopped"] is True
    assert saw["left"] == []
