"""Ways in which a run's process ends, or does not end, that no exception tells of."""

import pytest

from .patient import Fault, probe

STOPPED = (
    r"The run was stopped after 1 s while the probe ran \(line \d+\)\. "
    r"Give the probe a smaller model or less data, or raise the limit, gradflow\.timeout\."
)
SLOW_IMPORT = (
    r"The run was stopped after 1 s while the file was imported \(line \d+\)\. "
    r"Move what takes long into functions that the probe does not call, or raise the limit, gradflow\.timeout\."
)


def hangs(name: str, body: str, head: str = "") -> Fault:
    return Fault(name, probe(body, head), "timeout", "timeout", STOPPED)


HANGING = [
    hangs("a loop", "while True: pass  # here"),
    hangs(
        "a loop that catches everything",
        "while True:\n    try: time.sleep(9**9)  # here\n    except BaseException: pass",
    ),
    hangs("a wait without the GIL", "time.sleep(9**9)  # here"),
    hangs("a wait for a lock", "lock = threading.Lock()\nlock.acquire()\nlock.acquire()  # here"),
    hangs("a C call with the GIL", "sum(itertools.repeat(0))  # here", "import itertools"),
    hangs(
        "a C call with the GIL, the streams closed",
        "os.close(1); os.close(2)\nsum(itertools.repeat(0))  # here",
        "import itertools",
    ),
    Fault(
        "a C call that ignores signals",  # nothing can look into it
        probe(
            "for number in {*range(1, 32)} - {9, 19}: signal.signal(number, signal.SIG_IGN)\nsum(itertools.repeat(0))",
            "import itertools",
        ),
        "timeout",
        "timeout",
        STOPPED.replace(r" \(line \d+\)", ""),
    ),
    hangs("a regular expression", "re.match('(a+)+b', 'a' * 40)  # here", "import re"),
    hangs("a stopped process", "os.kill(0, signal.SIGSTOP)  # here"),
    hangs(
        "a signal handler",
        "signal.signal(signal.SIGALRM, lambda *_: time.sleep(9**9))  # here\nsignal.setitimer(signal.ITIMER_REAL, 0.01)\nwhile True: signal.pause()",
    ),
    Fault(
        "a loop at import",
        probe("pass", "while True: time.sleep(0.1)  # here"),
        "timeout",
        "timeout",
        SLOW_IMPORT,
    ),
    Fault(
        "a loop in the backward pass",
        probe(
            "model = torch.nn.Linear(1, 1)\n"
            "model.bias.register_hook(lambda gradient: time.sleep(9**9))  # here\n"
            "return model, model(torch.ones(1)).sum()"
        ),
        "timeout",
        "timeout",
        STOPPED.replace("while the probe ran", "during the backward pass"),
    ),
]

DIED = r"The process ended {} while the probe ran(?: \(line \d+\))?"
NATIVE = DIED + r": native code crashed\. Look at the arguments of the call there, or run the file under a debugger\."
SENT = DIED + r": the code itself or another program sent that signal\. Leave it out of the probe\."
KILLED = DIED.format("by SIGKILL") + (
    r": most often the system does that, short of memory\. Give the probe a smaller model or less data\."
)
LEFT = DIED + r": something in the code called os\._exit or ended the process in another way\. A probe must return\."

DYING = [
    Fault(
        "a bad pointer",
        probe("ctypes.string_at(0)  # here", "import ctypes"),
        "crashed", "killed", NATIVE.format("by SIGSEGV"),
    ),
    Fault(
        "a bad pointer, the handler off",
        probe("faulthandler.disable()\nctypes.string_at(0)", "import ctypes, faulthandler"),
        "crashed", "killed", NATIVE.format("by SIGSEGV"),
    ),
    Fault(
        "a bad pointer, the streams closed",
        probe("os.close(1); os.close(2)\nctypes.string_at(0)  # here", "import ctypes"),
        "crashed", "killed", NATIVE.format("by SIGSEGV"),
    ),
    Fault(
        "too deep a recursion in C",
        probe("def deep(x): return list(map(deep, [x]))  # here\nsys.setrecursionlimit(10**9)\ndeep(0)"),
        "crashed", "killed", NATIVE.format("by SIGSEGV"),
    ),
    Fault("an abort", probe("os.abort()  # here"), "crashed", "killed", NATIVE.format("by SIGABRT")),
    Fault("an exit", probe("os._exit(3)"), "crashed", "system-exit", LEFT.format("with exit status 3")),
    Fault("a good exit", probe("os._exit(0)"), "crashed", "system-exit", LEFT.format("with exit status 0")),
    Fault("an exit in C", probe("ctypes.CDLL(None).exit(0)", "import ctypes"), "crashed", "system-exit", LEFT.format("with exit status 0")),
    Fault(
        "a kill",
        probe("os.kill(os.getpid(), signal.SIGKILL)"),
        "crashed", "killed", KILLED,
    ),
    Fault(
        "a kill of the group",
        probe("os.killpg(0, signal.SIGKILL)"),
        "crashed", "killed", KILLED,
    ),
    Fault("a SIGTERM", probe("os.kill(os.getpid(), signal.SIGTERM)"), "crashed", "killed", SENT.format("by SIGTERM")),
    Fault("an alarm", probe("signal.setitimer(signal.ITIMER_REAL, 0.01); time.sleep(9)"), "crashed", "killed", SENT.format("by SIGALRM")),
    Fault(
        "an exit at import",
        "import os\nos._exit(1)\ndef gradflow_probe(): pass\n",
        "crashed", "system-exit", LEFT.format("with exit status 1").replace("the probe ran", "the file was imported"),
    ),
]  # fmt: skip


@pytest.mark.parametrize("fault", HANGING, ids=lambda fault: fault.name)
async def test_a_run_that_hangs_is_stopped_where_it_is(suffers, fault: Fault):
    await suffers(fault, timeout=1)


@pytest.mark.parametrize("fault", DYING, ids=lambda fault: fault.name)
async def test_a_process_that_dies_is_told_with_how_and_where(suffers, fault: Fault):
    await suffers(fault)


IN_FRESH = [
    next(fault for fault in (*HANGING, *DYING) if fault.name == name)
    for name in ("a C call with the GIL", "a bad pointer", "an exit")
]


async def test_a_fresh_interpreter_ends_as_a_forked_one_does(doomed):
    patient = await doomed(cold=True, timeout=1)
    await patient.is_well()
    for fault in IN_FRESH:
        await patient.suffer(fault)
    await patient.is_well()


async def test_a_slow_import_is_told_from_a_slow_probe(survivor):
    for body, head, found in (("pass", "time.sleep(5)", {"slow-import"}), ("time.sleep(5)", "", set())):
        report = await survivor.editor.run(survivor.editor.open(survivor.write(Fault("slow", probe(body, head)))))
        assert {finding["code"] for finding in report["findings"]} == found
