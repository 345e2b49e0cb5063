import hashlib

import pytest

from gradflow_lsp.annotate.sources import ABSENT, OnDisk, texts_that_ran, version_of

from .reports import PATH, TEXT

OTHER = PATH.replace("model.py", "blocks.py")


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_text_is_the_same_version_however_it_is_written(mark, end):
    written = mark + TEXT.replace("\n", end)
    on_disk = OnDisk.of(written.encode("utf-8"))
    assert digest(written.encode("utf-8")) in on_disk.version
    assert not on_disk.version.isdisjoint(version_of(TEXT))
    assert not on_disk.version.isdisjoint(version_of(written))


def test_a_declared_encoding_makes_no_other_version():
    text = "# coding: latin-1\nword = 'é'\n"
    assert not OnDisk.of(text.encode("latin-1")).version.isdisjoint(version_of(text))


@pytest.mark.parametrize("other", [TEXT + "\n", TEXT + " ", TEXT.replace("4, 8", "4,8"), ""])
def test_another_text_is_another_version_be_it_by_white_space(other):
    assert version_of(other).isdisjoint(version_of(TEXT))


def test_a_file_that_is_not_there_is_a_version_of_its_own():
    assert OnDisk.of(None).version == ABSENT
    assert version_of("").isdisjoint(ABSENT)


def test_the_digest_says_whether_the_editors_text_ran_or_the_disks():
    ran = {PATH: digest(b"disk"), OTHER: digest(b"editor")}
    in_editor, on_disk = dict.fromkeys([PATH, OTHER], "editor"), dict.fromkeys([PATH, OTHER], OnDisk.of(b"disk"))
    assert texts_that_ran(ran, in_editor, on_disk) == {PATH: "disk", OTHER: "editor"}


def test_a_text_that_has_changed_since_is_not_known():
    assert texts_that_ran({PATH: digest(b"old")}, {}, {PATH: OnDisk.of(b"new")}) == {}


def test_the_editors_text_ran_where_there_is_no_digest():
    assert texts_that_ran({PATH: None}, {PATH: TEXT}, {PATH: OnDisk.of(b"")}) == {PATH: TEXT}
