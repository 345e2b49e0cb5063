"""The template: a process that has imported torch and nothing of the user's, and forks a clean child for each run.

Standard input is a Unix socket: after the first message (see `worker`), each is a run's number with the three
descriptors of its pipes. Answers go to standard output: `{"run": n, "pid": p}` when the child is there,
`{"run": n, "exit": status}` when it has ended (negative: the signal). When the socket ends, so do the template and all
its runs.

It must stay forkable: it never runs a backward, never starts a thread, and never touches a device.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import select
import signal
import socket
import sys
import traceback
import warnings
from collections.abc import Mapping, Sequence
from typing import NoReturn

from . import ahead, single
from .isolation import Channel, adopt_orphans, children, die_with_parent, lead_group, lines, seed_everything, shelter

if sys.platform != "linux":
    raise ImportError("a template needs Linux")

LONGEST_MESSAGE = 2**17
"""Bytes that one message of the socket may have: below what a socket's buffer takes by default."""


def serve(requests: int, answers: Channel, environment: Mapping[str, int]) -> NoReturn:
    """Fork a run for every request until `requests` ends; then end all runs and this process.

    `environment` has the times of what makes the environment, from before anything was imported.
    """
    asked = socket.socket(fileno=requests)
    names = json.loads(asked.recv(LONGEST_MESSAGE) or b"[]")
    seed_everything(0)  # for what it imports: numpy's generators alone take longer than a small run
    doubts = ahead.import_ahead(names)
    ended, wake = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # any handler will do: it makes Python write to `wake`
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    adopt_orphans()
    die_with_parent(False)  # from here on the socket tells, and leaves time to end the runs first
    gc.collect()
    gc.freeze()  # so that the children's collections leave the shared pages shared
    answers.send(ready=ahead.readiness(names, doubts, environment))
    runs: dict[int, int] = {}
    while True:
        readable, _, _ = select.select([asked.fileno(), ended], [], [])
        if ended in readable:
            os.read(ended, 4096)
            _bury(runs, answers)
        if asked.fileno() in readable:
            message, pipes, _, _ = socket.recv_fds(asked, 256, 3, socket.MSG_CMSG_CLOEXEC)
            if not message:
                break
            pid = _fork()
            if pid == 0:
                signal.set_wakeup_fd(-1)
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                asked.close()
                answers.close()
                os.close(ended)
                os.close(wake)
                _be_a_run(pipes, names)
            runs[pid] = int(message)
            answers.send(run=runs[pid], pid=pid)
            for fd in pipes:
                os.close(fd)
    while remaining := {*runs, *children()}:
        _end(remaining)
        runs.clear()
        for pid in remaining:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)
    os._exit(0)  # at once: there is nothing to clean up


def _fork() -> int:
    with warnings.catch_warnings():
        # The threads Python 3.12 warns of are numpy's idle pool, which puts itself right after a fork.
        warnings.simplefilter("ignore", DeprecationWarning)
        return os.fork()


def _be_a_run(pipes: list[int], names: Sequence[str]) -> NoReturn:
    try:
        lead_group()
        die_with_parent()
        control, result = shelter(*pipes)
        single.run_one(lines(control), Channel(result), ahead=names)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)  # without the clean-up of what belongs to the template


def _bury(runs: dict[int, int], answers: Channel) -> None:
    """Report the runs that have ended, after ending what they have left running, wherever it has gone to."""
    exits: dict[int, int] = {}
    with contextlib.suppress(ChildProcessError):  # there are no children at all
        while (dead := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)) is not None:
            _end({dead.si_pid})  # its group, before its number may come to mean another process
            _, status = os.waitpid(dead.si_pid, 0)
            if dead.si_pid in runs:
                exits[runs.pop(dead.si_pid)] = os.waitstatus_to_exitcode(status)
    _end(set(children()) - set(runs))  # adopted: a child here that is no run belonged to one that is no more
    for number, status in exits.items():
        answers.send(run=number, exit=status)


def _end(pids: set[int]) -> None:
    for pid in pids:
        for kill in (os.killpg, os.kill):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                kill(pid, signal.SIGKILL)
