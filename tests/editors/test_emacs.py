"""A real Emacs with eglot and the configuration of client-config/emacs: what its user sees of a run.

One sitting in a batch Emacs (emacs/session.el) writes down what the editor showed; each test reads one part of it.
eglot is part of Emacs since 29; before that, the package is needed as well.
"""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from sitting import CONFIGS, DETACH, FIRST, LAST, on_line, sit

pytestmark = pytest.mark.editor

STEPS = Path(__file__).parent / "emacs" / "session.el"
EMACS = shutil.which("emacs")
HAS_EGLOT = """(progn (require 'package)
  (add-to-list 'package-directory-list "/usr/share/emacs/site-lisp/elpa") (package-initialize)
  (kill-emacs (if (require 'eglot nil t) 0 1)))"""


@pytest.fixture(scope="module")
def saw(tmp_path_factory):
    """What Emacs showed, step by step."""
    if EMACS is None:
        pytest.skip("emacs is not installed")
    if subprocess.run([EMACS, "-Q", "--batch", "--eval", HAS_EGLOT], capture_output=True).returncode != 0:
        pytest.skip("this Emacs has no eglot")
    return sit(
        tmp_path_factory.mktemp("emacs"),
        [EMACS, "-Q", "--batch", "-l", STEPS],
        GRADFLOW_EMACS_CONFIG=str(CONFIGS / "emacs"),
        LANG="C.UTF-8",
    )


def test_the_layer_that_gets_no_gradient_is_marked_with_the_line_of_the_cause(saw):
    (diagnostic,) = on_line(saw["diagnostics"], FIRST)
    assert "first: no gradient reaches weight, bias." in diagnostic["message"]
    assert f"line {DETACH}" in diagnostic["message"]


def test_the_cause_is_marked_on_its_own_line(saw):
    (diagnostic,) = on_line(saw["diagnostics"], DETACH)
    assert "first.*" in diagnostic["message"]


def test_a_layer_that_learns_is_not_marked(saw):
    assert on_line(saw["diagnostics"], LAST) == []


def test_the_hover_on_a_layer_shows_its_gradients_norms(saw):
    for parameter in ("last.weight", "last.bias"):
        assert re.search(rf"{re.escape(parameter)} .*healthy.*\b0\.\d{{4,}}", saw["hover"])


def test_an_action_inserts_a_probe(saw):
    assert "Insert gradient probe for Regressor" in saw["actions"]
    compile(saw["inserted_by_action"], "no_probe.py", "exec")


def test_a_command_inserts_the_same_probe(saw):
    assert saw["inserted_by_command"] == saw["inserted_by_action"]


def test_no_process_is_left(saw):
    assert saw["left"] == []
