"""The queue of runs: as many at once as there are slots, in order, whatever is cancelled or changed meanwhile."""

import asyncio
import random

import pytest

from gradflow_lsp.runs.slots import Slots


class Guests:
    """Tasks that enter and stay until they are told to leave."""

    def __init__(self, slots):
        self.slots = slots
        self.inside = []
        self.tasks = {}

    def come(self, name):
        self.tasks[name] = asyncio.create_task(self._visit(name))

    async def _visit(self, name):
        async with self.slots:
            self.inside.append(name)
            try:
                await asyncio.Event().wait()
            finally:
                self.inside.remove(name)

    async def go(self, name):
        self.tasks[name].cancel()
        await asyncio.gather(self.tasks.pop(name), return_exceptions=True)
        await settle()


async def settle():
    """Let every task come as far as it can."""
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.fixture
async def guests():
    guests = Guests(Slots(2))
    for name in "abcd":
        guests.come(name)
    await settle()
    yield guests
    for name in list(guests.tasks):
        await guests.go(name)


async def test_no_more_enter_than_there_are_slots(guests):
    assert guests.inside == ["a", "b"]


async def test_who_has_waited_longest_is_next(guests):
    await guests.go("a")
    assert guests.inside == ["b", "c"]


async def test_who_gives_up_waiting_takes_no_slot(guests):
    await guests.go("c")
    await guests.go("a")
    assert guests.inside == ["b", "d"]


async def test_who_gives_up_as_the_turn_comes_passes_it_on(guests):
    guests.tasks["a"].cancel()
    await asyncio.sleep(0)  # a has left, and c's turn has come, but c has not moved yet
    await guests.go("c")
    assert guests.inside == ["b", "d"]


async def test_more_slots_let_in_who_waits(guests):
    guests.slots.count = 3
    await settle()
    assert guests.inside == ["a", "b", "c"]


async def test_fewer_slots_send_nobody_away(guests):
    guests.slots.count = 1
    await guests.go("a")
    assert guests.inside == ["b"]


@pytest.mark.parametrize("seed", range(20))
async def test_all_slots_are_free_again_once_everybody_has_left(seed):
    chance = random.Random(seed)
    guests = Guests(slots := Slots(3))
    for name in range(60):
        guests.come(name)
        for _ in range(chance.randrange(3)):
            await asyncio.sleep(0)
        if chance.random() < 0.7:
            guests.tasks[chance.choice(list(guests.tasks))].cancel()
        slots.count = chance.randrange(1, 5)
    for task in guests.tasks.values():
        task.cancel()
    await asyncio.gather(*guests.tasks.values(), return_exceptions=True)
    slots.count = 2
    for name in "xyz":
        guests.come(name)
    await settle()
    assert guests.inside == ["x", "y"]
    for name in "xyz":
        await guests.go(name)
