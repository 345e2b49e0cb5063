"""The template's end in the server: what becomes of a run whose template dies, or that nobody wants any more."""

import asyncio
import os
import signal
import sys

import psutil
import pytest

from gradflow_lsp.runs import launch, warm
from gradflow_lsp.runs.warm import Template

from .conftest import HERE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")


@pytest.fixture
async def template():
    template = await Template.start(HERE, [])
    yield template
    await template.close()


def descriptors():
    return psutil.Process().num_fds()


async def wait_until(fact):
    async with asyncio.timeout(60):
        while not fact():
            await asyncio.sleep(0.01)


async def test_a_run_that_is_cancelled_at_any_moment_of_its_start_leaves_nothing(template):
    await (await template.process()).end()
    before = descriptors()
    for steps in range(12):
        starting = asyncio.create_task(template.process())
        for _ in range(steps):
            await asyncio.sleep(0)
        assert starting.cancel()
        await asyncio.gather(starting, return_exceptions=True)
    await wait_until(lambda: not template._forks)
    await wait_until(lambda: descriptors() == before)


async def test_a_run_that_is_cancelled_while_it_ends_is_no_longer_listened_to(template, monkeypatch):
    run = await template.process()
    os.kill(run.pid, signal.SIGSTOP)
    monkeypatch.setattr(launch, "kill_tree", lambda pid: None)  # so that it keeps its pipes open
    ending = asyncio.create_task(run.end())
    await asyncio.sleep(0)
    ending.cancel()
    await asyncio.gather(ending, return_exceptions=True)
    await wait_until(run.output._reading.done)
    os.kill(run.pid, signal.SIGKILL)


async def test_nothing_more_is_asked_of_a_template_that_was_killed_while_its_runs_are_being_ended(
    template, monkeypatch
):
    ending, go_on = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def kill_marked(mark):
        loop.call_soon_threadsafe(ending.set)
        asyncio.run_coroutine_threadsafe(go_on.wait(), loop).result()

    monkeypatch.setattr(warm, "kill_marked", kill_marked)
    run = await template.process()
    os.kill(template.ready.pid, signal.SIGKILL)
    await ending.wait()
    assert not template.alive
    go_on.set()
    await run.end()
