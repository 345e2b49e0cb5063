"""The processes around a run are killed, or the editor dies: nothing at all is left of any of them."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from server.editor import PATIENCE

from . import leftovers
from .patient import Fault, Patient, probe

WAYS = pytest.mark.parametrize("cold", [False, True], ids=["forked", "fresh"])

DAEMON = "if not os.fork():\n    os.setsid()\n    os.fork() and os._exit(0)\n    sum(itertools.repeat(0))"
DAEMONISED = "with a daemon"
IMPORTING = "importing torch"
STATES = {
    "computing in Python": "TELL\nwhile True: pass",
    "in C with the GIL": "TELL\nsum(itertools.repeat(0))",
    DAEMONISED: f"{DAEMON}\nTELL\nsum(itertools.repeat(0))",
}


async def until(fact: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not fact():
            await asyncio.sleep(0.01)


async def running(patient: Patient, state: str) -> None:
    """Bring a run into a state."""
    told = patient.workspace.parent / "told"
    body = STATES.get(state, "pass").replace("TELL", f"open({str(told)!r}, 'x').close()")
    uri = patient.editor.open(patient.write(Fault(state, probe(body, "import itertools"))))
    await patient.editor.command("run", uri=uri)
    if state == IMPORTING:
        await until(lambda: any(_imports_torch(process) for process in leftovers.marked(patient.mark)))
    else:
        await until(told.exists)


def _imports_torch(process: psutil.Process) -> bool:
    with contextlib.suppress(OSError):
        return "libtorch_cpu" in Path(f"/proc/{process.pid}/maps").read_text()
    return False


@WAYS
@pytest.mark.parametrize("state", [*STATES, IMPORTING])
async def test_nothing_outlives_a_server_that_is_killed(doomed, state: str, cold: bool):
    patient = await doomed(cold=cold)
    await running(patient, state)
    before = patient.files()
    patient.editor.server.kill()
    await patient.editor.server.wait()
    await patient.nothing_is_left()
    assert patient.files() == before


def close_input(patient: Patient) -> None:
    patient.editor.server.stdin.close()


def send(number: int) -> Callable[[Patient], None]:
    return lambda patient: patient.editor.server.send_signal(number)


DEATHS = {"stdin": close_input, "SIGTERM": send(signal.SIGTERM), "SIGHUP": send(signal.SIGHUP)}


@WAYS
@pytest.mark.parametrize(("death", "state"), [*((death, DAEMONISED) for death in DEATHS), ("stdin", IMPORTING)])
async def test_nothing_outlives_an_editor_that_dies(doomed, death: str, state: str, cold: bool):
    patient = await doomed(cold=cold)
    await running(patient, state)
    before = patient.files()
    DEATHS[death](patient)
    async with asyncio.timeout(PATIENCE):
        await patient.editor.server.wait()
    await patient.nothing_is_left()
    assert patient.files() == before


ENDED = (
    r"The interpreter that runs are forked from was ended while the probe ran, and this run with it\. "
    r"The next run starts a new one; see that the code ends no processes but its own\."
)
KILLING = [
    Fault("of its interpreter", probe("os.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(999)"), "crashed", "killed", ENDED),
    Fault("of its interpreter, after a daemon", probe(f"{DAEMON}\nos.kill(os.getppid(), signal.SIGKILL)\ntime.sleep(999)", "import itertools"), "crashed", "killed", ENDED),
    Fault("of all that it can see", probe(
        "others = [int(name) for name in os.listdir('/proc') if name.isdigit()]\n"
        "mark = os.environ['GRADFLOW_FAULT'].encode()\n"
        "for pid in others:\n"
        "    try: ours = mark in open(f'/proc/{pid}/environ', 'rb').read() and b'template' in open(f'/proc/{pid}/cmdline', 'rb').read()\n"
        "    except OSError: continue\n"
        "    if ours: os.kill(pid, signal.SIGKILL)"), "crashed", "killed", ENDED),
]  # fmt: skip


@pytest.mark.parametrize("fault", KILLING, ids=lambda fault: fault.name)
async def test_a_server_lives_through_the_killing(doomed, fault: Fault, request: pytest.FixtureRequest):
    patient = await doomed()
    await patient.is_well()
    kept = {patient.editor.server.pid}
    report = await patient.suffer(fault, kept=kept)
    request.node.user_properties.append(("sentence", report["error"]["message"]))
    await patient.is_well()


async def test_a_run_lives_on_beside_another_that_stops_their_interpreter(doomed):
    patient = await doomed(timeout=1)
    await patient.is_well()
    fault = Fault("stop", probe("os.kill(os.getppid(), signal.SIGSTOP)"))
    await patient.editor.run(patient.editor.open(patient.write(fault)))
    await patient.is_well()


async def test_a_probe_that_kills_the_server_leaves_nothing(doomed):
    patient = await doomed()
    body = f"{DAEMON}\nos.kill({patient.editor.server.pid}, signal.SIGKILL)\nsum(itertools.repeat(0))"
    uri = patient.editor.open(patient.write(Fault("killing", probe(body, "import itertools"))))
    before = patient.files()
    await patient.editor.command("run", uri=uri)
    async with asyncio.timeout(PATIENCE):
        await patient.editor.server.wait()
    await patient.nothing_is_left()
    assert patient.files() == before
