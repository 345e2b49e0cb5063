"""Source files that are no plain UTF-8, lie at odd places, or import each other in circles."""

from __future__ import annotations

import dataclasses

import pytest

from .patient import HERE, Fault, Patient, probe

MODEL = probe("pass")
RAISING = probe("raise ValueError('bad width')  # here")
BAD_WIDTH = r"The probe raised ValueError: bad width \((helper\.py, )?line \d+\)\."


CALLING = "import helper\n\n\ndef gradflow_probe():\n    return helper.gradflow_probe()\n"
LATIN = RAISING.replace("def gradflow_probe", "# größer\ndef gradflow_probe").encode("latin-1")
SYNTAX = r"(model|helper)\.py has a syntax error: {}"
AT = r" \((helper\.py, )?line \d+\)\."


def reads(name: str, text: str, file: str = "model.py") -> Fault:
    return Fault(name, text, "failed", "probe-raised", BAD_WIDTH, file)


def broken(name: str, text: str, says: str, kind: str = "syntax-error") -> Fault:
    return Fault(name, text, "failed", kind, says)


def on_disk(fault: Fault, data: bytes | None = None) -> Fault:
    """The same, in a file that the editor does not have open."""
    return dataclasses.replace(fault, name=f"{fault.name}, on disk", text=CALLING, beside=data or fault.text.encode())


READABLE = [
    reads("a byte order mark", f"\ufeff{RAISING}"),
    reads("a byte order mark and a coding line", f"\ufeff# coding: utf-8\n{RAISING}"),
    reads("CRLF", RAISING.replace("\n", "\r\n")),
    reads("lone CR", RAISING.replace("\n", "\r")),
    reads("mixed ends of lines", RAISING.replace("\n\n", "\r\n\r")),
    reads("form feeds", RAISING.replace("\n\n\n", "\n\f\n")),
    reads("no last newline", RAISING.rstrip("\n")),
    reads("a spaced name", RAISING, "my model.py"),
    reads("a name that is no ASCII", RAISING, "größe/モデル.py"),
    reads("a name that is a keyword", RAISING, "class.py"),
    reads("a name of the standard library", RAISING, "json.py"),
    reads("the name of torch", RAISING, "torch.py"),
    reads("a name with quotes", RAISING, "a'b\"c.py"),
    reads("a name with a percent", RAISING, "a%20b.py"),
    reads("an __init__.py", RAISING, "package/__init__.py"),
    reads("an __main__.py", RAISING, "package/__main__.py"),
    Fault("a deep expression", probe("x = " + "-" * 500 + "1")),
    Fault("a long line", probe(f"x = '{'x' * 10**6}'")),
    Fault("very many lines", "\n" * 10**5 + MODEL),
]  # fmt: skip

UNREADABLE = [
    broken("null bytes", MODEL.replace("\n\n\n", "\n\0# here\n"), SYNTAX.format("there is a null byte; save it as UTF-8" + AT)),
    broken("an unfinished string", MODEL + '\nx = """  # here\n', SYNTAX.format(r"unterminated triple-quoted string literal.*" + AT)),
    broken("too deep brackets", MODEL + "x = " + "(" * 300 + ")" * 300 + "  # here\n", SYNTAX.format(r"too many nested parentheses.*" + AT)),
    broken("too deep an expression", MODEL + "x = " + "-" * 10**5 + "1\n", SYNTAX.format(r"an expression is nested too deeply\.")),
    broken("tabs and spaces", MODEL + "if True:\n\tx = 1\n        y = 2  # here\n", SYNTAX.format(r"inconsistent use of tabs and spaces in indentation" + AT)),
    broken("a syntax error of its own", "def gradflow_probe(): pass\nraise SyntaxError('mine')  # here\n", r"(model|helper)\.py could not be imported: SyntaxError: mine" + AT, "import-error"),
    broken("a syntax error with odd numbers", "def gradflow_probe(): pass\nraise SyntaxError('mine', (__file__, 10**9, -5, None, 'x', []))  # here\n", SYNTAX.format("mine" + AT)),
]  # fmt: skip


DISK_ONLY = [
    on_disk(reads("a coding line", ""), b"# -*- coding: latin-1 -*-\n" + LATIN),
    on_disk(broken("no coding line", "", SYNTAX.format(r"\(unicode error\) 'utf-8' codec can't decode byte 0xf6.*" + AT)), b"x = 'gr\xf6\xdfer'  # here\n"),
    on_disk(broken("an unknown coding", "", SYNTAX.format(r"unknown encoding: nonsense\.")), b"# coding: nonsense\n"),
    on_disk(broken("a coding of no text", "", SYNTAX.format(r"'base64' is not a text encoding; .*\.")), b"# coding: base64\n"),
    on_disk(broken("UTF-16", "", SYNTAX.format("there is a null byte; save it as UTF-8" + AT)), f"# here\n{MODEL}".encode("utf-16")),
    on_disk(broken("a picture", "", SYNTAX.format(".*")), b"\x89PNG  # here\r\n\x1a\n" + bytes(range(1, 256))),
]  # fmt: skip
PLAIN = [fault for fault in READABLE if fault.file == "model.py" and fault.status != "ok"]


@pytest.mark.parametrize("fault", [*READABLE, *map(on_disk, PLAIN), DISK_ONLY[0]], ids=lambda fault: fault.name)
async def test_a_file_is_read_as_python_reads_it(suffers, fault: Fault):
    await suffers(fault)


@pytest.mark.parametrize(
    "fault", [*UNREADABLE, *map(on_disk, UNREADABLE), *DISK_ONLY[1:]], ids=lambda fault: fault.name
)
async def test_a_file_that_python_cannot_read_is_told_in_one_sentence(suffers, fault: Fault):
    await suffers(fault)


async def test_a_circle_of_imports_is_told_where_it_closes(survivor: Patient, suffers):
    closing = f"from model import helped  {HERE}\n".encode()
    says = r"helper\.py could not be imported: cannot import name 'helped' from partially initialized module .*" + AT
    await suffers(
        Fault("circle", f"from helper import help\nhelped = 1\n{MODEL}", "failed", "import-error", says, beside=closing)
    )


async def test_a_file_reached_by_a_link_is_named_as_it_was_opened(survivor: Patient, suffers):
    (survivor.workspace / "real").mkdir()
    (survivor.workspace / "real" / "linked.py").write_text(RAISING)
    (survivor.workspace / "link").symlink_to("real")
    (survivor.workspace / "other.py").symlink_to("real/linked.py")
    for path in (survivor.workspace / "link" / "linked.py", survivor.workspace / "other.py"):
        await suffers(reads("link", RAISING), path=path)
