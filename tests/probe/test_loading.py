"""How the user's file is imported. `load` is meant for a process of its own: here a fixture cleans up after it."""

import hashlib
import importlib
import linecache
import os
import py_compile
import random
import sys
import traceback
from importlib.machinery import SourceFileLoader

import pytest

from gradflow_lsp.probe import loading, sources
from gradflow_lsp.probe.protocol import RunRequest


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Load `file` of the project in `tmp_path`, with `overlays` by relative path."""
    known = set(sys.modules)
    monkeypatch.setattr(sys, "path", sys.path[:])
    monkeypatch.setattr(sys, "meta_path", sys.meta_path[:])
    monkeypatch.setattr(sources, "_digests", {})
    monkeypatch.setattr(sources, "_looked_for", {})
    monkeypatch.setattr(sources, "_listeners", [])
    monkeypatch.setattr(SourceFileLoader, "get_code", SourceFileLoader.get_code)

    def load(file, overlays=(), roots=None):
        overlays = {str(tmp_path / path): text for path, text in dict(overlays).items()}
        roots = (str(tmp_path),) if roots is None else roots
        return loading.load(RunRequest(str(tmp_path / file), "gradflow_probe", roots=roots, overlays=overlays))

    yield load
    for name in set(sys.modules) - known:
        del sys.modules[name]
    linecache.clearcache()


@pytest.fixture
def write(tmp_path):
    def write(files):
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_bytes(text if isinstance(text, bytes) else text.encode())

    return write


# --- names and folders -----------------------------------------------------------------------------------------------


def test_a_script_imports_its_siblings_and_is_not_main(load, write, tmp_path):
    write({"model.py": "import layers\nmain = __name__ == '__main__'", "layers.py": "size = 3"})
    module = load("model.py")
    assert (module.__name__, module.__file__) == ("model", str(tmp_path / "model.py"))
    assert module.layers.size == 3
    assert not module.main


def test_a_file_in_a_package_has_its_dotted_name_and_relative_imports(load, write):
    write(
        {
            "net/__init__.py": "",
            "net/models/__init__.py": "",
            "net/models/mlp.py": "from ..layers import size",
            "net/layers.py": "size = 3",
        }
    )
    module = load("net/models/mlp.py")
    assert module.__name__ == "net.models.mlp"
    assert module.size == 3


def test_the_init_file_of_a_package_is_the_package(load, write):
    write({"net/__init__.py": "from .layers import size", "net/layers.py": "size = 3"})
    assert load("net/__init__.py").__name__ == "net"


def test_a_src_layout_imports_its_own_package_by_name(load, write):
    write(
        {
            "src/net/__init__.py": "",
            "src/net/layers.py": "size = 3",
            "src/net/mlp.py": "from net.layers import size",
        }
    )
    assert load("src/net/mlp.py").__name__ == "net.mlp"


def test_a_script_beside_a_src_layout_imports_the_package(load, write):
    write({"src/net/__init__.py": "", "src/net/mlp.py": "size = 3", "scripts/train.py": "from net.mlp import size"})
    assert load("scripts/train.py").size == 3


def test_a_script_below_the_workspace_imports_from_its_root(load, write):
    write({"backbones/mlp.py": "from utils.sizes import size", "utils/sizes.py": "size = 3"})
    assert load("backbones/mlp.py").size == 3


@pytest.mark.parametrize("root", ["", "project", "project/models", "elsewhere"])
def test_relative_imports_work_without_init_files(load, write, tmp_path, root):
    write({"project/models/mlp.py": "from ..layers import size\nfrom .tail import end"})
    write({"project/layers.py": "size = 3", "project/models/tail.py": "end = 4"})
    module = load("project/models/mlp.py", roots=(str(tmp_path / root),))
    assert (module.__name__, module.size, module.end) == ("project.models.mlp", 3, 4)


def test_the_workspace_folder_decides_how_long_a_dotted_name_is(load, write):
    write({"backbones/mlp.py": "from .layers import size", "backbones/layers.py": "size = 3"})
    assert load("backbones/mlp.py").__name__ == "backbones.mlp"


def test_finders_that_ask_each_other_do_not_recurse(load, write):
    class Nosy:
        def find_spec(self, *arguments):
            return next((s for f in sys.meta_path if f is not self and (s := f.find_spec(*arguments))), None)

    write({"model.py": "import layers", "layers.py": "size = 3"})
    sys.meta_path.insert(0, Nosy())
    assert load("model.py").layers.size == 3


def test_a_file_in_a_package_may_import_its_siblings_like_a_script(load, write):
    write({"net/__init__.py": "", "net/mlp.py": "import layers_beside", "net/layers_beside.py": "size = 3"})
    assert load("net/mlp.py").layers_beside.size == 3


def test_a_dash_in_the_file_name_is_no_obstacle(load, write):
    write({"my-model.py": "from dataclasses import dataclass\n@dataclass\nclass Size:\n    width: 'int' = 3"})
    module = load("my-model.py")
    assert module.Size().width == 3
    assert sys.modules[module.__name__] is module


@pytest.mark.parametrize("name", ["random.py", "v1.2.py"])
def test_a_name_that_means_something_else_is_not_taken(load, write, name):
    write({name: "size = 3"})
    assert load(name).size == 3
    assert sys.modules["random"] is random
    assert importlib.import_module("random") is random


def test_the_workspace_comes_before_an_installed_package_of_the_same_name(load, write, tmp_path, monkeypatch):
    write({"net/__init__.py": "", "net/mlp.py": "where = 'workspace'"})
    write({"installed/net/__init__.py": "", "installed/net/mlp.py": "where = 'installed'"})
    monkeypatch.syspath_prepend(tmp_path / "installed")
    assert load("net/mlp.py").where == "workspace"


def test_a_package_that_was_imported_from_elsewhere_is_named(load, write):
    write({"json/__init__.py": "", "json/decoder.py": ""})
    with pytest.raises(ImportError, match=r"json\.decoder means .*json.decoder\.py here, not this file"):
        load("json/decoder.py")


# --- text ------------------------------------------------------------------------------------------------------------


def test_the_editors_text_is_laid_over_every_file_of_the_workspace(load, write):
    write({"model.py": "from layers import size", "layers.py": "size = 3"})
    module = load("model.py", {"layers.py": "size = 4", "model.py": "from layers import size\nsize *= 10"})
    assert module.size == 40


def test_files_that_only_the_editor_has_can_be_imported(load, write):
    write({"disk.py": ""})
    assert load("model.py", {"model.py": "import fresh", "fresh.py": "size = 3"}).fresh.size == 3


def test_a_package_that_only_the_editor_has_can_be_imported(load, write):
    write({"net/readme.txt": ""})
    overlays = {"net/__init__.py": "", "net/mlp.py": "from .sizes import size", "net/sizes.py": "size = 3"}
    assert load("net/mlp.py", overlays).size == 3


@pytest.mark.parametrize("unsaved", ["layers.py", "layers/__init__.py"])
def test_an_unsaved_module_beats_an_installed_one_as_it_will_once_it_is_saved(
    load, write, tmp_path, monkeypatch, unsaved
):
    write({"model.py": "import layers", "installed/layers.py": "where = 'installed'"})
    monkeypatch.syspath_prepend(tmp_path / "installed")
    assert load("model.py").layers.where == "installed"
    del sys.modules["model"], sys.modules["layers"]
    assert load("model.py", {unsaved: "where = 'editor'"}).layers.where == "editor"


def test_an_unsaved_module_that_an_import_would_not_come_to_stays_aside(load, write):
    write({"model.py": "import layers", "layers/__init__.py": "where = 'package'"})
    assert load("model.py", {"layers.py": "where = 'module'"}).layers.where == "package"


def test_tracebacks_show_the_editors_text(load, write):
    write({"model.py": "def probe():\n    return 1 / 1"})
    module = load("model.py", {"model.py": "def probe():\n\n    return 1 / 0  # unsaved"})
    with pytest.raises(ZeroDivisionError) as caught:
        module.probe()
    assert "return 1 / 0  # unsaved" in "".join(traceback.format_tb(caught.value.__traceback__))


@pytest.mark.parametrize(
    "source",
    [
        "# coding: latin-1\nword = 'é'".encode("latin-1"),
        b"\xef\xbb\xbf" + "word = 'é'".encode(),
        "first = 1\r\nword = 'é'\r\n".encode(),
    ],
    ids=["declared encoding", "byte order mark", "carriage returns"],
)
def test_every_encoding_that_python_reads_is_read(load, write, source, tmp_path):
    write({"model.py": source})
    assert load("model.py").word == "é"
    assert "word = 'é'" in "".join(linecache.getlines(str(tmp_path / "model.py")))


def test_a_syntax_error_is_at_its_column_whatever_is_before_it(load, write):
    write({"model.py": "é = 'ü' 5 6"})
    with pytest.raises(SyntaxError) as caught:
        load("model.py")
    assert caught.value.offset == 9


def test_a_file_that_is_not_in_the_encoding_it_declares_is_a_syntax_error(load, write):
    write({"model.py": b"x = 1\nword = '\xe9'"})
    with pytest.raises(SyntaxError, match="codec can't decode byte 0xe9"):
        load("model.py")


@pytest.mark.parametrize("text", ["# coding: latin-1\nword = 'é'", "\ufeffword = 'é'", "word =\\\r\n 'é'\r\n"])
def test_the_editors_text_is_text_whatever_it_declares(load, write, text):
    write({"model.py": ""})
    assert load("model.py", {"model.py": text}).word == "é"


def test_nothing_is_written_beside_the_users_files(load, write, tmp_path):
    write({"net/__init__.py": "", "net/mlp.py": "from . import layers", "net/layers.py": ""})
    load("net/mlp.py")
    assert not list(tmp_path.rglob("__pycache__"))


def test_a_stale_pyc_is_not_believed(load, write, tmp_path):
    write({"model.py": "size = 3"})
    before = (tmp_path / "model.py").stat()
    py_compile.compile(str(tmp_path / "model.py"))
    write({"model.py": "size = 4"})
    os.utime(tmp_path / "model.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert load("model.py").size == 4


def test_the_loaded_sources_are_the_workspaces_files_with_the_text_that_ran(load, write, tmp_path):
    write({"model.py": "import json, layers", "layers.py": "size = 3"})
    write({".venv/pyvenv.cfg": "", ".venv/lib/installed.py": ""})
    request = load("model.py", {"layers.py": "size = 4"}) and RunRequest(str(tmp_path / "model.py"), "gradflow_probe")
    assert sources.loaded_sources(request) == {
        str(tmp_path / "model.py"): hashlib.sha256(b"import json, layers").hexdigest(),
        str(tmp_path / "layers.py"): hashlib.sha256(b"size = 4").hexdigest(),
    }


def loaded(tmp_path, *seen):
    """The loaded sources by their names below the folder."""
    request = RunRequest(str(tmp_path / "model.py"), "gradflow_probe", roots=(str(tmp_path),))
    return {os.path.relpath(path, tmp_path) for path in sources.loaded_sources(request, map(str, seen))}


def test_a_file_with_an_error_and_those_loaded_before_it_are_loaded_sources(load, write, tmp_path):
    write({"model.py": "import layers, broken, late", "layers.py": "", "broken.py": "x = (", "late.py": ""})
    with pytest.raises(SyntaxError):
        load("model.py")
    assert loaded(tmp_path) == {"model.py", "layers.py", "broken.py"}


def test_what_the_probe_itself_imports_is_loaded_as_well(load, write, tmp_path):
    write({"model.py": "def probe():\n    import net.layers", "net/__init__.py": "", "net/layers.py": ""})
    load("model.py").probe()
    assert loaded(tmp_path) == {"model.py", "net/__init__.py", "net/layers.py"}


BY_PATH = """\
import importlib.util
spec = importlib.util.spec_from_file_location("plugin", {path!r})
plugin = importlib.util.module_from_spec(spec)
spec.loader.exec_module(plugin)
"""


def test_a_file_loaded_by_its_path_is_read_as_the_editor_has_it(load, write, tmp_path):
    write({"model.py": BY_PATH.format(path=str(tmp_path / "odd name.py")), "odd name.py": "size = 3"})
    assert load("model.py", {"odd name.py": "size = 4"}).plugin.size == 4
    assert loaded(tmp_path) == {"model.py", "odd name.py"}


def test_a_file_whose_code_was_seen_to_run_is_loaded_whoever_compiled_it(load, write, tmp_path):
    write({"model.py": "", "script.py": "size = 3"})
    load("model.py")
    assert loaded(tmp_path, tmp_path / "script.py", "/elsewhere.py") == {"model.py", "script.py"}


def test_sources_are_told_as_they_are_read(load, write, tmp_path):
    write({"model.py": "import layers", "layers.py": ""})
    told = []
    sources.tell_of_sources(lambda path, digest: told.append(os.path.relpath(path, tmp_path)))
    load("model.py")
    assert told == ["model.py", "layers.py"]


def missed(tmp_path):
    return [os.path.relpath(path, tmp_path) for path in sources.looked_for()]


def test_where_a_missing_module_could_be_is_known(load, write, tmp_path):
    write({"scripts/model.py": "import layers"})
    with pytest.raises(ImportError):
        load("scripts/model.py")
    places = ["scripts/layers/__init__.py", "scripts/layers.py", "scripts/layers"]
    assert missed(tmp_path)[-6:] == [*places, "layers/__init__.py", "layers.py", "layers"]


def test_what_would_come_before_a_found_module_is_known(load, write, tmp_path):
    write({"scripts/model.py": "import layers", "layers.py": "", "src/layers.py": ""})
    load("scripts/model.py")
    misses = missed(tmp_path)
    assert misses[-3:] == ["scripts/layers/__init__.py", "scripts/layers.py", "layers/__init__.py"]


def test_a_submodule_is_missed_in_its_package_alone(load, write, tmp_path):
    write({"net/__init__.py": "", "net/mlp.py": "from . import gone"})
    with pytest.raises(ImportError):
        load("net/mlp.py")
    assert missed(tmp_path)[-3:] == ["net/gone/__init__.py", "net/gone.py", "net/gone"]


def test_an_init_file_would_change_how_the_file_is_imported(load, write, tmp_path):
    write({"net/mlp.py": ""})
    load("net/mlp.py")
    assert "net/__init__.py" in missed(tmp_path)


# --- texts that Python refuses ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        (b"x = 1\r\ny = '\0'\n", "there is a null byte", 2),
        ("x = 1\n".encode("utf-16"), "there is a null byte", 1),
        ("x = " + "-" * 10**5 + "1", "an expression is nested too deeply", None),
        ("# coding: base64\n", "'base64' is not a text encoding", None),
        (b"x = '\xf6'\n", "'utf-8' codec can't decode byte 0xf6", 1),
    ],
)
def test_whatever_python_refuses_is_a_syntax_error_of_that_file(load, write, tmp_path, text, message, line):
    write({"model.py": text})
    with pytest.raises(SyntaxError) as caught:
        load("model.py")
    assert message in caught.value.msg
    assert (caught.value.filename, caught.value.lineno or None) == (str(tmp_path / "model.py"), line)
