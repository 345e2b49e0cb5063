"""Processes that a probe starts, threads that do not end, pipes that are written to, and memory that is not there."""

from __future__ import annotations

import pytest

from .patient import Fault, probe

MANY = 8
"""So many processes at most are there at once for any fault of this file."""

LEAVING_PROCESSES = [
    Fault("a child", probe("subprocess.Popen(['sleep', '999'])", "import subprocess")),
    Fault("a child with the pipes", probe("subprocess.Popen(['sleep', '999'], close_fds=False)", "import subprocess")),
    Fault("a child that inherits all", probe(
        "for fd in map(int, os.listdir('/proc/self/fd')):\n"
        "    try: os.set_inheritable(fd, True)\n"
        "    except OSError: pass\n"
        "subprocess.Popen(['sleep', '999'], close_fds=False)", "import subprocess")),
    Fault("forked children", probe(f"for _ in range({MANY}):\n    if not os.fork(): time.sleep(999)")),
    Fault("grandchildren", probe(f"if not os.fork():\n    for _ in range({MANY - 1}): os.fork() or time.sleep(999)\n    time.sleep(999)")),
    Fault("a shell's child", probe("os.system('sleep 999 & sleep 999 >/dev/null 2>&1 &')")),
    Fault("a child in a session of its own", probe("subprocess.Popen(['sleep', '999'], start_new_session=True)", "import subprocess")),
    Fault("a daemon", probe("if not os.fork():\n    os.setsid()\n    os.fork() and os._exit(0)\n    time.sleep(999)")),
    Fault("a daemon in C", probe("if not os.fork():\n    os.setsid()\n    os.fork() and os._exit(0)\n    sum(itertools.repeat(0))", "import itertools")),
    Fault("a daemon that ignores signals", probe("for n in {*range(1, 32)} - {9, 17, 19}: signal.signal(n, signal.SIG_IGN)\nif not os.fork():\n    os.setsid()\n    os.fork() and os._exit(0)\n    time.sleep(999)")),
    Fault("a daemon without an environment", probe("if not os.fork():\n    os.setsid()\n    os.fork() and os._exit(0)\n    os.execve('/bin/sleep', ['sleep', '999'], dict(GRADFLOW_FAULT=os.environ['GRADFLOW_FAULT']))")),
    Fault("daemons of daemons", probe(f"if not os.fork():\n    for _ in range({MANY - 1}):\n        os.setsid()\n        if os.fork(): time.sleep(999)\n    time.sleep(999)")),
    Fault("a copy that returns", probe("os.fork()")),
    Fault("a copy that raises", probe("if not os.fork(): raise ValueError")),
    Fault("a stopped child", probe("child = os.fork() or time.sleep(999)\nos.kill(child, signal.SIGSTOP)")),
    Fault("a corpse", probe("os.fork() or os._exit(0)")),
    Fault("workers of a data loader", probe(
        "loader = torch.utils.data.DataLoader(torch.arange(8.0), num_workers=2, persistent_workers=True)\nnext(iter(loader))")),
    Fault("multiprocessing", probe("multiprocessing.get_context('fork').Process(target=time.sleep, args=(999,)).start()", "import multiprocessing")),
    Fault("a spawned process", probe("multiprocessing.get_context('spawn').Process(target=time.sleep, args=(999,)).start()", "import multiprocessing")),
    Fault("a process pool", probe("pool = ProcessPoolExecutor(2, mp_context=multiprocessing.get_context('fork'))\npool.submit(abs, 1).result()\npool.submit(time.sleep, 999)", "import multiprocessing\nfrom concurrent.futures import ProcessPoolExecutor")),
    Fault("threads", probe("for _ in range(8): threading.Thread(target=time.sleep, args=(999,)).start()")),
    Fault("a busy thread", probe("def spin():\n    while True: pass\nthreading.Thread(target=spin).start()")),
    Fault("a thread that dies", probe("threading.excepthook = lambda *_: 1 / 0\nthreading.Thread(target=lambda: 1 / 0).start()")),
    Fault("a thread that leaves", probe("threading.Thread(target=sys.exit).start()")),
    Fault("a thread that prints for ever", probe("def spin():\n    while True: print('x' * 1000)\nthreading.Thread(target=spin).start()")),
    Fault("an exit handler", probe("atexit.register(time.sleep, 999)", "import atexit")),
    Fault("an exit handler of threads", probe("threading._register_atexit(time.sleep, 999)")),
    Fault("another process group", probe("if not os.fork():\n    os.setpgid(0, 0)\n    time.sleep(999)")),
    Fault("another user", probe("if not os.fork():\n    os.setsid()\n    if os.getuid() == 0: os.setuid(65534)\n    time.sleep(999)")),
    Fault("its own end, after a daemon",
        probe("if not os.fork():\n    os.setsid()\n    os.fork() and os._exit(0)\n    time.sleep(999)\nos._exit(0)"),
        "crashed", "system-exit", ".*"),
    Fault("becoming a daemon",
        probe("os.fork() and os._exit(0)\nos.setsid()\nos.fork() and os._exit(0)"),
        "crashed", "system-exit", ".*"),
]  # fmt: skip

CLOSED = (
    r"The run was stopped while the probe ran: something in the code closed or replaced file descriptors that it had "
    r"not opened, and no report could come any more\. Close only what the code has opened itself\."
)
PIPES = [
    Fault("a gigabyte printed", probe("for _ in range(2**10): sys.stdout.write('x' * 2**20)")),
    Fault("a gigabyte written", probe("for _ in range(2**10): os.write(1, b'x' * 2**20)")),
    Fault("a gigabyte of a child", probe("os.system('head -c 1000000000 /dev/zero')")),
    Fault("bytes that are no text", probe("sys.stdout.buffer.write(bytes(range(256)) * 1000)")),
    Fault("stdin", probe("assert sys.stdin.read() == '' and os.read(0, 1) == b''")),
    *(
        Fault(f"{what} to every descriptor", probe(
            f"for fd in range(3, 1024):\n    try: os.set_blocking(fd, False); os.write(fd, {data!r})\n    except OSError: pass"))
        for what, data in (
            ("text", b"hello"), ("lines", b"hello\n" * 3), ("JSON", b"{}\n[]\n1\nnull\n"), ("half a line", b'{"report": '),
            ("a stage", b'\n{"stage": "nothing"}\n{"stage": 1}\n'), ("a bad report", b'\n{"report": {}}\n{"report": {"path": 1}}\n'),
            ("what is no text", b"\xff\xfe\n\xff"), ("a refusal", b'\n{"unsuited": "x"}\n'), ("nested brackets", b"\n" + b"[" * 50_000 + b"\n"),
            ("bad names", b'\n{"imported": [1]}\n{"looked_for": [{}]}\n{"source": 1, "sha256": 2}\n{"where": 1}\n'),
        )
    ),
    Fault("all descriptors closed", probe("os.closerange(0, 65536)"), "crashed", "system-exit", ".*"),
    Fault("all descriptors closed, then endless",
        probe("os.closerange(0, 65536)\nwhile True: time.sleep(1)"), "crashed", "killed", CLOSED),
    Fault("all descriptors replaced",
        probe("null = os.open(os.devnull, os.O_RDWR)\nfor fd in range(1024):\n    if fd != null: os.dup2(null, fd)"), "crashed", "killed", CLOSED),
]  # fmt: skip

TOO_MUCH = (
    r"There was not enough memory( for [\d.]+ [GM]iB)? \(line \d+\)\. Give the probe a smaller model or less data\."
)


def greedy(name: str, body: str, head: str = "") -> Fault:
    return Fault(name, probe(body, head), "failed", "out-of-memory", TOO_MUCH)


MEMORY = [
    greedy("100 GB of a tensor", "torch.empty(100 * 2**30 // 4)  # here"),
    greedy("100 GB of bytes", "bytearray(100 * 2**30)  # here"),
    greedy("100 GB of numbers", "numpy.zeros(100 * 2**30)  # here", "import numpy"),
    greedy("100 GB at import", "pass", "kept = bytearray(100 * 2**30)  # here"),
    greedy("ever more tensors", "kept = []\nwhile True: kept.append(torch.ones(2**24))  # here"),
    greedy("ever more bytes", "kept = []\nwhile True: kept.append(bytearray(2**20))  # here"),
    greedy("ever more bytes of a module", "while True: kept.append(bytearray(2**20))  # here", "kept = []"),
    greedy("ever more little things", "while True: kept.append(bytearray(1000))  # here", "kept = []"),
    greedy("100 GB in the backward pass",
        "model = torch.nn.Linear(4, 1)\n"
        "model.bias.register_hook(lambda gradient: bytearray(100 * 2**30))  # here\n"
        "return model, model(torch.ones(2, 4)).mean()"),
]  # fmt: skip


@pytest.mark.parametrize("fault", LEAVING_PROCESSES, ids=lambda fault: fault.name)
async def test_processes_and_threads_end_with_the_run(suffers, fault: Fault):
    await suffers(fault)


@pytest.mark.parametrize("fault", PIPES, ids=lambda fault: fault.name)
async def test_what_is_written_and_closed_does_not_harm_the_report(suffers, fault: Fault):
    await suffers(fault)


@pytest.mark.parametrize("fault", MEMORY, ids=lambda fault: fault.name)
async def test_too_little_memory_is_told_with_the_line(suffers, fault: Fault):
    await suffers(fault)
