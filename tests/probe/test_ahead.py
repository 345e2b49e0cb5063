"""What was imported is told without touching it, and what is imported ahead leaves the process as it was."""

import importlib.util
import sys
import threading
from types import ModuleType

import pytest

if importlib.util.find_spec("torch") is None:
    pytest.skip("torch is not installed", allow_module_level=True)

import torch

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
    names = [name for name in ("json", "torch.nn", "json.decoder") if name in sys.modules]
    assert ahead.installed_since(set(sys.modules) - set(names)) == [name for name in sys.modules if name in names]


def test_a_module_of_the_users_own_is_not_told(monkeypatch, tmp_path):
    own = ModuleType("own")
    own.__file__ = str(tmp_path / "own.py")
    monkeypatch.setitem(sys.modules, "own", own)
    assert ahead.installed_since(set(sys.modules) - {"own"}) == []


@pytest.fixture
def package(monkeypatch, tmp_path):
    """Make a package by its text, to be imported by name."""
    monkeypatch.syspath_prepend(tmp_path)

    def make(name, text):
        (tmp_path / f"{name}.py").write_text(text)
        monkeypatch.delitem(sys.modules, name, raising=False)
        return name

    yield make
    for thread in threading.enumerate():
        if thread.name == "of a package":
            thread.ended.set()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("x = 1", None),
        ("import nothing_of_that_name", None),
        ("raise SystemExit", "it raises SystemExit"),
        ("handle = open(__file__)", "it keeps files open"),
        ("import torch; torch.set_default_dtype(torch.float64)", "it changes torch"),
        ("import torch; torch.nn.functional.relu = print", "it changes torch"),
        ("import torch; torch.nn.functional.of_mine = print", None),
        (
            "import threading\nended = threading.Event()\n"
            "thread = threading.Thread(target=ended.wait, name='of a package', daemon=True)\n"
            "thread.ended = ended\nthread.start()",
            "it starts threads",
        ),
    ],
)
def test_a_package_that_does_more_than_define_things_is_in_doubt(package, monkeypatch, text, why):
    monkeypatch.setattr(torch.nn.functional, "relu", torch.nn.functional.relu)
    try:
        doubts = ahead.import_ahead([package("some_package", text)])
    finally:
        torch.set_default_dtype(torch.float32)
        vars(torch.nn.functional).pop("of_mine", None)
    assert doubts == ([("some_package", why)] if why else [])
