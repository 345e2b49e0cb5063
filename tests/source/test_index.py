"""The probes of a workspace: found by a scan, and kept current file by file."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradflow_lsp.source import index as index_module
from gradflow_lsp.source.index import WorkspaceIndex, discover

from .trees import PROBE, grow

NAMED = PROBE.replace("gradflow_probe", "gradflow_probe_small")


def scanned(*roots: Path, exclude: tuple[str, ...] = ()) -> WorkspaceIndex:
    index = WorkspaceIndex(roots, exclude)
    index.scan()
    return index


def names(index: WorkspaceIndex, root: Path) -> dict[str, list[str]]:
    """Return the probes' names by the path below `root`."""
    return {
        path.relative_to(root).as_posix(): [site.function for site in sites] for path, sites in index.probes().items()
    }


def test_a_scan_finds_every_file_with_probes(tmp_path):
    grow(tmp_path, {"a.py": PROBE + NAMED, "b/c.py": PROBE, "d.py": "x = 1\n", "e.txt": PROBE})
    expected = {"a.py": ["gradflow_probe", "gradflow_probe_small"], "b/c.py": ["gradflow_probe"]}
    assert names(scanned(tmp_path), tmp_path) == expected


def test_a_file_that_only_mentions_a_probe_has_none(tmp_path):
    grow(tmp_path, {"a.py": "from model import gradflow_probe\n", "b.py": "# gradflow_probe\n"})
    assert scanned(tmp_path).probes() == {}


def test_a_file_without_the_word_is_not_parsed(tmp_path, monkeypatch):
    monkeypatch.setattr(index_module, "probes_in", lambda text: pytest.fail(f"parsed {text!r}"))
    grow(tmp_path, {"a.py": "def probe(): ...\n"})
    assert scanned(tmp_path).probes() == {}


def test_what_an_editor_holds_is_parsed_when_it_is_asked_for(tmp_path, monkeypatch):
    index = WorkspaceIndex([tmp_path])
    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(index_module, "probes_in", lambda text: pytest.fail(f"parsed {text!r}"))
        index.update(tmp_path / "a.py", "# one key\n" + PROBE)
        index.update(tmp_path / "a.py", "# another key\n" + PROBE)
    assert [site.function for site in index.probes_in(tmp_path / "a.py")] == ["gradflow_probe"]


def test_ignored_files_are_not_scanned(tmp_path):
    grow(tmp_path, {".gitignore": "old/", "old/a.py": PROBE, "env/pyvenv.cfg": "", "env/a.py": PROBE, "b.py": PROBE})
    grow(tmp_path, {"generated/c.py": PROBE})
    assert list(names(scanned(tmp_path, exclude=("generated",)), tmp_path)) == ["b.py"]


def test_a_probe_behind_bytes_that_are_no_text_is_found(tmp_path):
    grow(tmp_path, {"a.py": b"name = '\xff\xfe'\n" + PROBE.encode(), "b.py": b"\xef\xbb\xbf" + PROBE.encode()})
    assert list(names(scanned(tmp_path), tmp_path)) == ["a.py", "b.py"]


def test_a_column_is_counted_in_the_characters_of_the_files_own_encoding(tmp_path):
    text = "# coding: latin-1\ndef gradflow_probe(seed='éé'): return 1\n"
    grow(tmp_path, {"a.py": text.encode("latin-1")})
    [site] = scanned(tmp_path).probes_in(tmp_path / "a.py")
    assert site.span.end_column == len(text.splitlines()[1])


def test_probes_are_asked_for_by_any_path_to_the_file(tmp_path):
    grow(tmp_path, {"a/b.py": PROBE})
    index = scanned(tmp_path)
    assert index.probes_in(tmp_path / "a" / ".." / "a" / "b.py") == index.probes_in(tmp_path / "a" / "b.py") != ()
    assert index.probes_in(tmp_path / "none.py") == ()


# What an editor holds


def test_the_text_of_an_editor_goes_before_the_disk(tmp_path):
    grow(tmp_path, {"a.py": PROBE})
    index = scanned(tmp_path)
    index.update(tmp_path / "a.py", NAMED)
    assert names(index, tmp_path) == {"a.py": ["gradflow_probe_small"]}
    index.update(tmp_path / "a.py", "")
    assert names(index, tmp_path) == {}


def test_a_file_that_an_editor_gives_back_is_as_on_disk(tmp_path):
    grow(tmp_path, {"a.py": PROBE})
    index = scanned(tmp_path)
    index.update(tmp_path / "a.py", NAMED)
    index.update(tmp_path / "a.py")
    assert names(index, tmp_path) == {"a.py": ["gradflow_probe"]}


def test_a_scan_keeps_what_an_editor_holds(tmp_path):
    index = scanned(tmp_path)
    index.update(tmp_path / "unsaved.py", PROBE)
    index.scan()
    assert names(index, tmp_path) == {"unsaved.py": ["gradflow_probe"]}


def test_an_open_file_has_probes_wherever_it_lies(tmp_path):
    grow(tmp_path, {"elsewhere/a.py": PROBE, "project/b.py": ""})
    index = scanned(tmp_path / "project")
    index.update(tmp_path / "elsewhere" / "a.py", PROBE)
    assert names(index, tmp_path) == {"elsewhere/a.py": ["gradflow_probe"]}
    index.update(tmp_path / "elsewhere" / "a.py")
    assert index.probes() == {}


# Changes on disk


def test_a_new_file_is_taken_in(tmp_path):
    index = scanned(tmp_path)
    grow(tmp_path, {"a.py": PROBE})
    index.update(tmp_path / "a.py")
    assert names(index, tmp_path) == {"a.py": ["gradflow_probe"]}


def test_a_new_file_that_is_ignored_is_not_taken_in(tmp_path):
    grow(tmp_path, {".gitignore": "old/"})
    index = scanned(tmp_path)
    grow(tmp_path, {"old/a.py": PROBE})
    index.update(tmp_path / "old" / "a.py")
    assert index.probes() == {}


def test_a_removed_folder_takes_its_files_along(tmp_path):
    grow(tmp_path, {"a/b.py": PROBE, "a/c/d.py": PROBE, "ab.py": PROBE})
    index = scanned(tmp_path)
    index.update(tmp_path / "a" / "e.py", PROBE)
    index.remove(tmp_path / "a")
    assert list(names(index, tmp_path)) == ["ab.py"]


NAMES = st.sampled_from(
    ["a.py", "b.py", "sub/a.py", "sub/deep/c.py", "old/d.py", ".venv/e.py", "env/f.py", "notes.txt"]
)
TEXTS = st.sampled_from([None, "", "x = 1\n", PROBE, NAMED, PROBE + NAMED, "x = (\n" + PROBE, "# gradflow_probe\n"])
CHANGES = st.lists(st.tuples(NAMES, TEXTS), min_size=1, max_size=12)


@given(before=CHANGES, after=CHANGES)
@settings(deadline=None, max_examples=40)
def test_changes_one_by_one_lead_where_a_fresh_scan_leads(before, after):
    with tempfile.TemporaryDirectory() as scratch:
        root = grow(Path(scratch), {".gitignore": "old/", "env/pyvenv.cfg": "", **{n: t for n, t in before if t}})
        index = scanned(root)
        for name, text in after:
            if text is None:
                (root / name).unlink(missing_ok=True)
                index.remove(root / name)
            else:
                grow(root, {name: text})
                index.update(root / name)
        assert index.probes() == scanned(root).probes()


# Folders that come and go


def test_a_folder_that_is_added_is_scanned(tmp_path):
    grow(tmp_path, {"one/a.py": PROBE, "two/b.py": PROBE})
    index = scanned(tmp_path / "one")
    index.add_root(tmp_path / "two")
    assert list(names(index, tmp_path)) == ["one/a.py", "two/b.py"]


def test_a_folder_that_is_removed_takes_its_files_along(tmp_path):
    grow(tmp_path, {"one/a.py": PROBE, "two/b.py": PROBE})
    index = scanned(tmp_path / "one", tmp_path / "two")
    index.remove_root(tmp_path / "one")
    assert list(names(index, tmp_path)) == ["two/b.py"]


def test_a_file_in_two_folders_stays_while_one_of_them_does(tmp_path):
    grow(tmp_path, {"a.py": PROBE, "inner/b.py": PROBE})
    index = scanned(tmp_path, tmp_path / "inner")
    index.remove_root(tmp_path)
    assert list(names(index, tmp_path)) == ["inner/b.py"]
    index.remove_root(tmp_path / "inner")
    assert index.probes() == {}


# The command line


def discovered(root: Path, *paths: str) -> list[str]:
    return [path.relative_to(root).as_posix() for path, _ in discover([root / path for path in paths])]


def test_folders_and_files_are_answered_in_the_order_asked_for_and_once(tmp_path):
    grow(tmp_path, {"z.py": PROBE, "a/b.py": PROBE, "a/c.py": PROBE})
    assert discovered(tmp_path, "z.py", "a/c.py", "a", ".") == ["z.py", "a/c.py", "a/b.py"]


def test_a_named_file_is_answered_for_also_without_probes(tmp_path):
    grow(tmp_path, {"a.py": "x = 1\n", ".gitignore": "b.py", "b.py": PROBE})
    assert [len(sites) for _, sites in discover([tmp_path / "a.py", tmp_path / "b.py"])] == [0, 1]


def test_a_folder_without_probes_has_no_answer(tmp_path):
    grow(tmp_path, {"a.py": "x = 1\n"})
    assert discover([tmp_path]) == []


def test_a_named_file_that_is_not_there_raises(tmp_path):
    with pytest.raises(FileNotFoundError):
        discover([tmp_path / "gone.py"])


def test_a_path_may_be_relative(tmp_path, monkeypatch):
    grow(tmp_path, {"a.py": PROBE})
    monkeypatch.chdir(tmp_path)
    assert [path for path, _ in discover([Path()])] == [tmp_path / "a.py"]
