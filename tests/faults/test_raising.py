"""Exceptions that are hard to tell of, and ways to leave."""

import pytest

from .patient import Fault, probe


def raises(name: str, body: str, says: str, head: str = "", kind: str = "probe-raised") -> Fault:
    return Fault(name, probe(body, head), "failed", kind, says)


ODD = "class Odd({}):\n    def {}"
RAISED = r"The probe raised {} \(line \d+\)\."

RAISING = [
    raises("a bad str", "raise Odd  # here", RAISED.format("Odd"), ODD.format("Exception", "__str__(self): raise self")),
    raises("a str that is no text", "raise Odd  # here", RAISED.format("Odd"), ODD.format("Exception", "__str__(self): return 1")),
    raises("a str that leaves", "raise Odd  # here", RAISED.format("Odd"), ODD.format("Exception", "__str__(self): sys.exit()")),
    raises("a str without end", "raise Odd  # here", RAISED.format("Odd"), ODD.format("Exception", "__str__(self): return str(self)")),
    raises("a bad repr", "raise ValueError(Odd())  # here", RAISED.format("ValueError"), ODD.format("object", "__repr__(self): raise KeyError")),
    raises("a bad repr in a key error", "raise KeyError(Odd())  # here", RAISED.format("KeyError"), ODD.format("object", "__repr__(self): sys.exit()")),
    raises("a bad reduce", "raise Odd(1)  # here", RAISED.format("Odd: 1"), ODD.format("Exception", "__reduce__(self): raise KeyError")),
    raises("a bad getattribute", "raise Odd(1)  # here", RAISED.format("Odd: 1"), ODD.format("Exception", "__getattribute__(self, name): raise KeyError")),
    raises("a class that lies", "raise Odd(1)  # here", RAISED.format("Odd: 1"), ODD.format("Exception", "nothing(self): pass\n    __class__ = property(lambda self: sys.exit())")),
    raises("a name that is no text", "raise Odd(1)  # here", RAISED.format("Odd: 1"), "class Meta(type):\n    __name__ = property(lambda self: 1 / 0)\nclass Odd(Exception, metaclass=Meta): pass"),
    raises("a base exception", "raise Odd('x')  # here", RAISED.format("Odd: x"), "class Odd(BaseException): pass"),
    raises("a keyboard interrupt", "raise KeyboardInterrupt  # here", RAISED.format("KeyboardInterrupt")),
    raises("a generator exit", "raise GeneratorExit  # here", RAISED.format("GeneratorExit")),
    raises("a stop iteration", "next(iter([]))  # here", RAISED.format("StopIteration")),
    raises("a cancelled error", "import asyncio; raise asyncio.CancelledError  # here", RAISED.format("CancelledError")),
    raises("a huge message", "raise ValueError('x' * 10**7)  # here", RAISED.format("ValueError: x+…")),
    raises("a message of many lines", r"raise ValueError('one\n' * 10**6)  # here", RAISED.format("ValueError: one")),
    raises("an empty message of many lines", r"raise ValueError('\n' * 10**6)  # here", RAISED.format("ValueError")),
    raises("a message that is no Unicode", r"raise ValueError('\udc80 \x00 \x1b[31m')  # here", RAISED.format("ValueError: .*")),
    raises("a group", "raise ExceptionGroup('many', [ValueError('x' * 10**6)] * 1000)  # here", RAISED.format(r"ExceptionGroup: many \(1000 sub-exceptions\)")),
    raises("a chain without end", "one, two = ValueError(1), ValueError(2)\none.__cause__, two.__cause__ = two, one\nraise one  # here", RAISED.format("ValueError: 1")),
    raises("a long chain", "error = ValueError(0)\nfor n in range(10**4):\n    error, last = ValueError(n), error\n    error.__cause__ = last\nraise error  # here", RAISED.format("ValueError: 9999")),
    raises("too deep a recursion", "def deep(): return deep()  # here\ndeep()", RAISED.format("RecursionError: .*")),
    raises("a low recursion limit", "sys.setrecursionlimit(max(10, len(__import__('inspect').stack()) + 4)); raise ValueError('x')  # here", RAISED.format("ValueError: x")),
    raises("a warning that is an error", "import warnings; warnings.simplefilter('error'); warnings.warn('old')  # here", RAISED.format("UserWarning: old")),
    raises("an assertion", "assert False, 'never'  # here", RAISED.format("AssertionError: never")),
    raises("input is asked for", "input('name? ')  # here", RAISED.format("EOFError: EOF when reading a line")),
    raises("a child that fails", "import subprocess; subprocess.run(['false'], check=True)  # here", RAISED.format("CalledProcessError: .*")),
    raises("an error from a thread pool", "from concurrent.futures import ThreadPoolExecutor\nThreadPoolExecutor().submit(lambda: 1 / 0).result()  # here", RAISED.format("ZeroDivisionError: division by zero")),
    raises("a text that pretends to be a file's", "exec(compile('1 / 0', '/nowhere/model.py', 'exec'))  # here", RAISED.format("ZeroDivisionError: division by zero")),
    raises("a return of something odd", "return Odd()", RAISED.format("KeyError: '__class__'"), ODD.format("object", "__getattribute__(self, name): raise KeyError(name)  # here")),
    Fault("no return", "def gradflow_probe():\n    return None  # here\n", "failed", "wrong-return", ".*"),
]  # fmt: skip

CALLED = r"The probe called sys\.exit\({}\) \(line \d+\)\."
AT_IMPORT = r"model\.py called sys\.exit\({}\) while it was imported: put the call under if __name__ == \"__main__\" \(line \d+\)\."
LEAVING = [
    *(
        raises(f"exit {code or 'nothing'}", f"sys.exit({code})  # here", CALLED.format(shown), kind="system-exit")
        for code, shown in [("", ""), ("0", "0"), ("True", "True"), ("'bye'", "'bye'"), ("None", ""), ("10**400", "10+…?"), ("'x' * 10**6", "'x+…?")]
    ),
    raises("exit with something odd", "sys.exit(Odd())  # here", CALLED.format(r"Odd\(…\)"), ODD.format("object", "__repr__(self): raise KeyError"), "system-exit"),
    raises("quit", "quit()  # here", CALLED.format(""), kind="system-exit"),
    raises("a system exit", "raise SystemExit(2)  # here", CALLED.format("2"), kind="system-exit"),
    raises("an exit of one's own", "raise Odd  # here", CALLED.format(""), "class Odd(SystemExit): pass", "system-exit"),
    raises("exit at import", "pass", AT_IMPORT.format("4"), "sys.exit(4)  # here", "system-exit"),
    Fault("the main program at import", "import torch\nimport __main__\n__main__.train()  # here\ndef gradflow_probe(): pass\n", "failed", "import-error", r"model\.py could not be imported: AttributeError: module '__main__' has no attribute 'train' \(line 3\)\."),
]  # fmt: skip


@pytest.mark.parametrize("fault", RAISING, ids=lambda fault: fault.name)
async def test_whatever_is_raised_is_told_in_one_sentence(suffers, fault: Fault):
    await suffers(fault)


@pytest.mark.parametrize("fault", LEAVING, ids=lambda fault: fault.name)
async def test_leaving_is_told_with_the_call(suffers, fault: Fault):
    await suffers(fault)
