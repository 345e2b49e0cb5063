"""A queue with a few slots: so many runs go at once, the others wait for their turn in order."""

from __future__ import annotations

import asyncio
from collections import deque


class Slots:
    """Entered with `async with`, which waits for a free slot; their number may change at any time."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._taken = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def count(self) -> int:
        """How many there are."""
        return self._count

    @count.setter
    def count(self, count: int) -> None:
        self._count = count
        self._let_in()

    async def __aenter__(self) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        self._let_in()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.cancelled():
                self._waiting.remove(turn)
            else:  # its turn had come at the same moment
                self._leave()
            raise

    async def __aexit__(self, *_: object) -> None:
        self._leave()

    def _leave(self) -> None:
        self._taken -= 1
        self._let_in()

    def _let_in(self) -> None:
        waiting = (turn for turn in tuple(self._waiting) if not turn.cancelled())
        for turn in waiting:
            if self._taken >= self._count:
                return
            self._waiting.remove(turn)
            self._taken += 1
            turn.set_result(None)
