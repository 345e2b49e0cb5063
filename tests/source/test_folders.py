"""Which files of a folder are the user's own, and how their bytes become text."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradflow_lsp.source.folders import Folder, decode, read_source

from .trees import found, grow

# The walk


def test_the_python_files_of_a_folder_come_before_those_of_its_subfolders(tmp_path):
    grow(tmp_path, {"z.py": "", "b/c.py": "", "b/a/d.py": "", "a/e.py": "", "notes.txt": "", "b/model.pyc": ""})
    assert found(tmp_path) == ["z.py", "a/e.py", "b/c.py", "b/a/d.py"]


def test_a_folder_that_is_called_like_a_file_is_a_folder(tmp_path):
    grow(tmp_path, {"models.py/net.py": ""})
    assert found(tmp_path) == ["models.py/net.py"]


def test_a_folder_that_is_not_there_has_no_files(tmp_path):
    assert list(Folder(tmp_path / "gone").python_files()) == []


def test_a_file_outside_is_not_held(tmp_path):
    assert not Folder(tmp_path / "a").holds(tmp_path / "b" / "model.py")


def test_a_file_that_does_not_exist_yet_is_held(tmp_path):
    assert Folder(tmp_path).holds(tmp_path / "new" / "model.py")


def test_a_path_with_dots_is_the_path_it_leads_to(tmp_path):
    grow(tmp_path, {"a/model.py": ""})
    assert list(Folder(tmp_path / "b" / ".." / "a").python_files()) == [str(tmp_path / "a" / "model.py")]


# Environments and caches


@pytest.mark.parametrize("mark", ["pyvenv.cfg", "conda-meta/history"])
def test_an_environment_is_known_by_what_is_in_it(tmp_path, mark):
    grow(tmp_path, {"model.py": "", f"my_env/{mark}": "", "my_env/lib/python3.12/torch.py": ""})
    assert found(tmp_path) == ["model.py"]


@pytest.mark.parametrize(
    "name", ["site-packages", "dist-packages", "node_modules", ".venv", ".git", ".tox", "__pycache__"]
)
def test_folders_of_other_peoples_files_are_known_by_name(tmp_path, name):
    grow(tmp_path, {"model.py": "", f"{name}/model.py": "", f"deep/{name}/lib/model.py": ""})
    assert found(tmp_path) == ["model.py"]


def test_a_file_called_like_an_environment_counts(tmp_path):
    grow(tmp_path, {"venv.py": "", "env/model.py": ""})
    assert found(tmp_path) == ["venv.py", "env/model.py"]


# .gitignore


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        ("a.py", ["b.py", "sub/b.py"]),
        ("/a.py", ["b.py", "sub/a.py", "sub/b.py"]),
        ("sub/", ["a.py", "b.py"]),
        ("sub/a.py", ["a.py", "b.py", "sub/b.py"]),
        ("**/b.py", ["a.py", "sub/a.py"]),
        ("[ab].py", []),
        ("# a.py", ["a.py", "b.py", "sub/a.py", "sub/b.py"]),
        ("*.py\n!b.py", ["b.py", "sub/b.py"]),
        ("a.py   ", ["b.py", "sub/b.py"]),
    ],
)
def test_what_git_ignores_is_left_out(tmp_path, pattern, left):
    grow(tmp_path, {".gitignore": pattern, "a.py": "", "b.py": "", "sub/a.py": "", "sub/b.py": ""})
    assert found(tmp_path) == left


def test_a_nested_file_of_rules_holds_for_its_own_folder(tmp_path):
    grow(tmp_path, {"a.py": "", "sub/.gitignore": "/a.py", "sub/a.py": "", "sub/deep/a.py": ""})
    assert found(tmp_path) == ["a.py", "sub/deep/a.py"]


def test_a_nested_file_of_rules_can_bring_a_file_back(tmp_path):
    grow(tmp_path, {".gitignore": "draft*.py", "draft1.py": "", "sub/.gitignore": "!draft2.py", "sub/draft2.py": ""})
    assert found(tmp_path) == ["sub/draft2.py"]


def test_nothing_comes_back_out_of_an_ignored_folder(tmp_path):
    grow(tmp_path, {".gitignore": "build/\n!build/keep.py", "build/keep.py": "", "build/.gitignore": "!keep.py"})
    assert found(tmp_path) == []


def test_the_rules_of_the_repository_above_hold_too(tmp_path):
    grow(tmp_path, {".git/HEAD": "", ".gitignore": "generated.py\n/part/old.py", "part/new.py": ""})
    grow(tmp_path, {"part/generated.py": "", "part/old.py": ""})
    assert found(tmp_path / "part") == ["new.py"]


def test_rules_above_the_repository_do_not_hold(tmp_path):
    grow(tmp_path, {".gitignore": "*.py", "project/.git/HEAD": "", "project/model.py": ""})
    assert found(tmp_path / "project") == ["model.py"]


def test_without_a_repository_no_rules_above_hold(tmp_path):
    grow(tmp_path, {".gitignore": "*.py", "project/model.py": ""})
    assert found(tmp_path / "project") == ["model.py"]


def test_an_ignored_folder_that_is_asked_for_is_read(tmp_path):
    grow(tmp_path, {".git/HEAD": "", ".gitignore": "scratch/", "scratch/model.py": ""})
    assert found(tmp_path) == []
    assert found(tmp_path / "scratch") == ["model.py"]


def test_rules_that_name_what_to_keep(tmp_path):
    grow(tmp_path, {".gitignore": "*\n!*/\n!*.py\n", "a.py": "", "sub/a.py": "", "sub/deep/a.py": ""})
    assert found(tmp_path) == ["a.py", "sub/a.py", "sub/deep/a.py"]


def test_a_rule_that_brings_folders_back_brings_no_files_back(tmp_path):
    grow(tmp_path, {".gitignore": "*.py", "sub/.gitignore": "!*/", "sub/deep/a.py": ""})
    assert found(tmp_path) == []


@pytest.mark.parametrize(
    "rules",
    [
        b"\xff\xfe\n/b.py",
        b"\r\n/b.py\r\n",
        b"[\n/b.py",
        b"!\n/b.py",
        b"[z-a]\n/b.py",
    ],
)
def test_odd_lines_do_not_spoil_the_others(tmp_path, rules):
    grow(tmp_path, {".gitignore": rules, "a.py": "", "b.py": ""})
    assert found(tmp_path) == ["a.py"]


def test_a_folder_called_gitignore_is_no_file_of_rules(tmp_path):
    grow(tmp_path, {".gitignore/model.py": ""})
    assert found(tmp_path) == [".gitignore/model.py"]


def test_the_bom_of_a_file_of_rules_is_no_part_of_the_first(tmp_path):
    grow(tmp_path, {".gitignore": "\ufeffa.py\n", "a.py": "", "b.py": ""})
    assert found(tmp_path) == ["b.py"]


# Patterns of the user's own


def test_more_can_be_excluded(tmp_path):
    grow(tmp_path, {"a.py": "", "old/a.py": "", "sub/old/a.py": "", "sub/gen_a.py": ""})
    assert found(tmp_path, "/old", "gen_*.py") == ["a.py", "sub/old/a.py"]


def test_an_exclusion_can_be_lifted_by_the_next_pattern(tmp_path):
    grow(tmp_path, {"test_a.py": "", "test_b.py": ""})
    assert found(tmp_path, "test_*.py", "!test_b.py") == ["test_b.py"]


def test_what_the_user_excludes_stays_out_whatever_git_keeps(tmp_path):
    grow(tmp_path, {".gitignore": "!old/\n", "a.py": "", "old/a.py": ""})
    assert found(tmp_path, "old/") == ["a.py"]


# Links


@pytest.fixture
def link():
    def make(place: Path, target: Path) -> None:
        try:
            place.symlink_to(target, target_is_directory=target.is_dir())
        except OSError:
            pytest.skip("links cannot be made here")

    return make


def test_a_loop_of_links_ends(tmp_path, link):
    grow(tmp_path, {"a/model.py": ""})
    link(tmp_path / "a" / "up", tmp_path)
    link(tmp_path / "a" / "self", tmp_path / "a")
    assert found(tmp_path) == ["a/model.py"]


def test_a_link_to_a_folder_outside_is_followed(tmp_path, link):
    grow(tmp_path, {"outside/model.py": "", "project/a.py": ""})
    link(tmp_path / "project" / "shared", tmp_path / "outside")
    assert found(tmp_path / "project") == ["a.py", "shared/model.py"]


def test_a_folder_with_two_names_is_read_under_its_own(tmp_path, link):
    grow(tmp_path, {"z_real/model.py": ""})
    link(tmp_path / "a_link", tmp_path / "z_real")
    assert found(tmp_path) == ["z_real/model.py"]


def test_a_link_that_leads_nowhere_is_passed_over(tmp_path, link):
    grow(tmp_path, {"a.py": ""})
    link(tmp_path / "gone.py", tmp_path / "nothing.py")
    link(tmp_path / "circle.py", tmp_path / "circle.py")
    assert found(tmp_path) == ["a.py"]


def test_a_root_that_is_a_link_keeps_its_name(tmp_path, link):
    grow(tmp_path, {"real/model.py": ""})
    link(tmp_path / "project", tmp_path / "real")
    assert list(Folder(tmp_path / "project").python_files()) == [str(tmp_path / "project" / "model.py")]


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="everything may be read here")
def test_a_folder_that_may_not_be_read_is_passed_over(tmp_path):
    grow(tmp_path, {"a.py": "", "locked/b.py": ""})
    (tmp_path / "locked").chmod(0)
    try:
        assert found(tmp_path) == ["a.py"]
    finally:
        (tmp_path / "locked").chmod(0o700)


# Text


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"x = 1\r\ny = 2\r", "x = 1\r\ny = 2\r"),
        ("x = 'é🔥'".encode(), "x = 'é🔥'"),
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n"),
        (b"\xef\xbb\xbf# coding: utf-8\nx = 1\n", "# coding: utf-8\nx = 1\n"),
        ("# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"), "# -*- coding: latin-1 -*-\nx = 'é'\n"),
        (
            "#!/usr/bin/python\n# vim: fileencoding=cp1251\nx = 'Ж'\n".encode("cp1251"),
            "#!/usr/bin/python\n# vim: fileencoding=cp1251\nx = 'Ж'\n",
        ),
        (b"", ""),
    ],
)
def test_a_file_is_read_as_python_reads_it(data, text):
    assert decode(data) == text


@pytest.mark.parametrize(
    "data",
    [b"x = '\xff'\n", b"# coding: no-such-thing\nx = '\xff'\n", b"\xef\xbb\xbf# coding: latin-1\nx = '\xff'\n"],
)
def test_bytes_that_do_not_fit_are_replaced(data):
    text = decode(data)
    assert text.endswith("x = '\ufffd'\n")
    assert not text.startswith("\ufeff")


def test_a_coding_comment_below_the_second_line_says_nothing():
    assert decode("\n\n# coding: latin-1\nx = 'é'\n".encode()) == "\n\n# coding: latin-1\nx = 'é'\n"


@pytest.mark.parametrize("name", ["hex", "rot13", "idna", "undefined"])
def test_a_codec_that_is_not_for_text_does_no_harm(name):
    assert decode(f"# coding: {name}\nx = 1\n".encode()) == f"# coding: {name}\nx = 1\n"


@given(st.binary(max_size=40))
def test_no_bytes_are_too_odd_to_read(data):
    decode(data)


def test_a_file_that_cannot_be_read_raises(tmp_path):
    with pytest.raises(OSError):
        read_source(tmp_path / "gone.py")
