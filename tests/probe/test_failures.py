"""What a user reads when their code raises: the sentence, the line, the traceback."""

import importlib
import json
import linecache
import sys
import textwrap

import pytest

from gradflow_lsp.probe.failures import describe, our_own, whereabouts
from gradflow_lsp.probe.protocol import RunRequest

exact = pytest.mark.skipif(sys.version_info < (3, 11), reason="columns are known from Python 3.11 on")


@pytest.fixture
def raised(tmp_path):
    """Run a text as the file `model.py` and describe what it raises."""

    def raised(text, kind="probe-raised", message=None, file="model.py", request_file="model.py"):
        path = tmp_path / file
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        linecache.checkcache()
        request = RunRequest(str(tmp_path / request_file), "gradflow_probe", roots=(str(tmp_path),))
        try:
            exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), {"__name__": "model"})
        except BaseException as error:
            return describe(error, kind, message, request)
        raise AssertionError("nothing was raised")

    return raised


def columns(error):
    return (error.location.line, error.location.column, error.location.end_line, error.location.end_column)


@exact
@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("x = 1 + int('five')", (1, 8, 1, 19)),
        ("é = 'ü' + int('é')", (1, 10, 1, 18)),
        ("print(1,\n      int('five'))", (2, 6, 2, 17)),
        ("def f():\n    return [][0]\nf()", (2, 11, 2, 16)),
    ],
)
def test_the_location_is_the_users_innermost_expression(raised, text, where):
    assert columns(raised(text)) == where


def test_code_of_packages_and_of_the_standard_library_is_not_the_users(raised):
    error = raised("import json\nvalue = json.loads('{')")
    assert error.location.line == 2
    assert error.message.startswith("The probe raised JSONDecodeError: Expecting property name")
    assert error.message.endswith("(line 2).")
    assert json.decoder.__file__ in error.traceback


def test_another_file_than_the_probes_is_named(raised):
    assert (
        raised("1 / 0", file="layers.py").message
        == "The probe raised ZeroDivisionError: division by zero (layers.py, line 1)."
    )


@pytest.mark.parametrize(
    ("text", "kind", "expected_kind", "message"),
    [
        ("import sys; sys.exit()", "probe-raised", "system-exit", "model.py called sys.exit() while it was imported"),
        ("def probe(): raise SystemExit(2)\nprobe()", "probe-raised", "system-exit", "model.py called sys.exit(2)"),
        ("raise MemoryError", "probe-raised", "out-of-memory", "There was not enough memory (line 1). Give the probe"),
        ("raise RuntimeError('CUDA out of memory. Tried')", "backward-failed", "out-of-memory", "There was not enough"),
        (
            "raise RuntimeError('can\\'t allocate memory: you tried to allocate 107374182400 bytes')",
            "probe-raised",
            "out-of-memory",
            "There was not enough memory for 100 GiB (line 1).",
        ),
        (
            "raise RuntimeError('sizes\\n  differ')",
            "backward-failed",
            "backward-failed",
            "The backward pass failed: RuntimeError: sizes (line 1).",
        ),
        (
            "import nothing_here",
            "import-error",
            "import-error",
            f"model.py imports nothing_here, which {sys.executable} does not have",
        ),
        (
            "from json import nothing",
            "import-error",
            "import-error",
            "model.py could not be imported: cannot import name 'nothing'",
        ),
        (
            "import json.nothing",
            "import-error",
            "import-error",
            "model.py could not be imported: No module named 'json.nothing'",
        ),
        ("raise ValueError", "import-error", "import-error", "model.py could not be imported: ValueError (line 1)."),
        (
            "raise ValueError('it ends.')",
            "probe-raised",
            "probe-raised",
            "The probe raised ValueError: it ends (line 1).",
        ),
    ],
)
def test_each_kind_has_its_sentence(raised, text, kind, expected_kind, message):
    error = raised(text, kind)
    assert error.kind == expected_kind
    assert error.message.startswith(message)


@pytest.mark.parametrize(
    ("text", "message", "where"),
    [
        ("x = 1\ny = (2 +\n", "model.py has a syntax error: '(' was never closed (line 2).", (2, 4, 2, 5)),
        (
            "if True:\nx = 1",
            "model.py has a syntax error: expected an indented block after 'if' statement on line 1 (line 2).",
            (2, 0, 2, 1),
        ),
        ("é = 'ü' 5 6", "model.py has a syntax error: invalid syntax (line 1).", (1, 8, 1, 9)),
    ],
)
def test_a_syntax_error_is_where_the_compiler_points(raised, text, message, where):
    error = raised(text, "import-error")
    assert (error.kind, error.message) == ("syntax-error", message)
    assert columns(error) == where


def test_a_sentence_may_be_given(raised):
    assert raised("raise TypeError('internal')", "wrong-return", "Return a loss.").message == "Return a loss."


def test_the_traceback_begins_with_the_users_first_frame(raised, tmp_path):
    lines = raised("def probe():\n    raise ValueError('bad')\nprobe()").traceback.splitlines()
    assert lines[:2] == ["Traceback (most recent call last):", f'  File "{tmp_path / "model.py"}", line 3, in <module>']
    assert lines[-1] == "ValueError: bad"
    assert not [line for line in lines if "gradflow_lsp" in line or __file__ in line]


def test_the_traceback_of_a_syntax_error_shows_nothing_but_the_file(tmp_path, monkeypatch):
    path = tmp_path / "unfinished_model.py"
    path.write_text("x = (")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(SyntaxError) as caught:
        importlib.import_module("unfinished_model")
    caught.value.__traceback__ = caught.value.__traceback__.tb_next  # without this test's own frame
    error = describe(caught.value, "import-error", None, RunRequest(str(path), "gradflow_probe"))
    assert error.traceback.splitlines()[0] == f'  File "{path}", line 1'


def test_what_an_exception_was_caused_by_is_in_the_traceback(raised):
    text = "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    raise ValueError('bad') from error"
    assert "ZeroDivisionError: division by zero\n\nThe above exception was the direct cause" in raised(text).traceback


@pytest.mark.parametrize(
    "text",
    [
        "raise ValueError('x' * 10_000_000)",
        "def f(): f()\nf()",
        "raise ExceptionGroup('many', [ValueError('x' * 10**6)])",
    ],
)
def test_however_long_an_exception_is_its_report_is_short(raised, text):
    error = raised(text)
    assert len(error.message) < 400
    assert len(error.traceback) < 21_000


def test_an_exception_that_cannot_be_printed_is_still_named(raised):
    error = raised("class Odd(Exception):\n    def __str__(self): raise ValueError\nraise Odd")
    assert error.message == "The probe raised Odd (line 3)."


@pytest.mark.parametrize(
    "body",
    [
        "__getattribute__ = lambda self, name: 1 / 0",
        "__class__ = property(lambda self: 1 / 0)",
        "__traceback__ = property(lambda self: 1 / 0)",
        "__str__ = __repr__ = lambda self: exit()",
    ],
)
def test_an_exception_whose_class_misbehaves_is_told_like_any_other(raised, body):
    error = raised(f"class Odd(Exception):\n    {body}\nraise Odd(1)")
    assert error.message in ("The probe raised Odd: 1 (line 3).", "The probe raised Odd (line 3).")
    assert error.traceback.startswith("Traceback (most recent call last):")


def test_a_syntax_error_with_numbers_of_its_own_is_where_it_is_raised(raised):
    error = raised(
        "raise SyntaxError('mine', (__file__, 10**9, [], None))".replace(
            "__file__", "__import__('sys')._getframe().f_code.co_filename"
        )
    )
    assert (error.kind, error.location.line) == ("syntax-error", 1)


def test_a_running_frame_says_where_it_is(tmp_path):
    path = tmp_path / "model.py"
    path.write_text("import sys\ndef f():\n    return sys._getframe()\nframe = f()")
    values = {}
    exec(compile(path.read_text(), str(path), "exec"), values)
    where = whereabouts(values["frame"], RunRequest(str(path), "gradflow_probe"))
    assert where.location.line == 3
    assert where.traceback.endswith("return sys._getframe()\n")


def test_a_fault_of_our_own_is_not_blamed_on_the_user():
    error = our_own(KeyError("shape"))
    assert error.message == "gradflow-lsp itself failed (KeyError: 'shape'); please report it with the traceback."
