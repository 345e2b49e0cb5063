"""What was imported is told without touching it, and what is imported ahead leaves the process as it was."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

if importlib.util.find_spec("torch") is None:
    pytest.skip("torch is not installed", allow_module_level=True)

from gradflow_lsp.probe import ahead


class Lazy(ModuleType):
    """A module that loads what it stands for once anything is asked of it, and cannot."""

    def __getattr__(self, name):
        raise ImportError(name)


@pytest.mark.parametrize("module", [Lazy("lazy"), None, object(), 3])
def test_what_only_stands_in_for_a_module_is_not_told(monkeypatch, module):
    monkeypatch.setitem(sys.modules, "stand_in", module)
    assert ahead.installed_since(set(sys.modules) - {"stand_in"}) == []


def test_installed_modules_are_told_in_the_order_of_their_import(monkeypatch):
    names = [name for name in ("json", "json.decoder") if name in sys.modules]
    assert ahead.installed_since(set(sys.modules) - set(names)) == [name for name in sys.modules if name in names]


def test_a_module_of_the_users_own_is_not_told(monkeypatch, tmp_path):
    own = ModuleType("own")
    own.__file__ = str(tmp_path / "own.py")
    monkeypatch.setitem(sys.modules, "own", own)
    assert ahead.installed_since(set(sys.modules) - {"own"}) == []


PACKAGES = {
    "plain": ("x = 1", None),
    "lacking": ("import nothing_of_that_name", None),
    "leaving": ("raise SystemExit", "it raises SystemExit"),
    "holding": ("handle = open(__file__)", "it keeps files open"),
    "setting": ("import torch; torch.set_default_dtype(torch.float64)", "it changes torch"),
    "patching": ("import torch; torch.nn.functional.relu = print", "it changes torch"),
    "adding": ("import torch; torch.nn.functional.of_mine = print", None),
    "eager": (
        "import threading; threading.Thread(target=threading.Event().wait, daemon=True).start()",
        "it starts threads",
    ),
}
IMPORT = """
import importlib.util, json, sys
folder, names = sys.argv[1], sys.argv[2:]
spec = importlib.util.spec_from_file_location("_gradflow_probe", folder + "/__init__.py",
                                              submodule_search_locations=[folder])
sys.modules["_gradflow_probe"] = importlib.util.module_from_spec(spec)
from _gradflow_probe import ahead
print(json.dumps(ahead.import_ahead(names)))
"""


@pytest.fixture(scope="module")
def doubts(tmp_path_factory):
    """Which packages are in doubt, and why, once all were imported in a process of their own."""
    folder = tmp_path_factory.mktemp("packages")
    for name, (text, _) in PACKAGES.items():
        (folder / f"{name}.py").write_text(text)
    command = [sys.executable, "-c", IMPORT, str(Path(ahead.__file__).parent), *PACKAGES]
    done = subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": str(folder)}, capture_output=True)
    return dict(json.loads(done.stdout))


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux counts threads and files")
@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_that_does_more_than_define_things_is_in_doubt(doubts, package):
    assert doubts.get(package) == PACKAGES[package][1]
