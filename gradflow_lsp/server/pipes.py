"""The two pipes of a client that started this server: kept clear of everything but the protocol."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys

_CHUNK = 65536


def protect_stdio() -> tuple[int, int]:
    """Move the client's pipes out of the way and return them: input and output.

    From then on what is printed goes to stderr, and nobody else reads the input.
    """
    sys.stdout.flush()
    incoming, outgoing = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return incoming, outgoing


def pump(incoming: int, reader: asyncio.StreamReader, loop: asyncio.AbstractEventLoop) -> None:
    """Hand the input to the loop; reading the bare descriptor leaves no lock behind when the process ends."""
    with contextlib.suppress(RuntimeError, OSError):  # the loop is closed, or the pipe is
        while chunk := os.read(incoming, _CHUNK):
            loop.call_soon_threadsafe(reader.feed_data, chunk)
        loop.call_soon_threadsafe(reader.feed_eof)


class PipeWriter:
    """Writes whole messages to a pipe."""

    def __init__(self, outgoing: int) -> None:
        self._outgoing = outgoing

    def write(self, data: bytes) -> None:
        """Write all of it. Raises `BrokenPipeError` when the client is gone."""
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._outgoing, rest) :]

    def close(self) -> None:
        """Leave it to the end of the process: others may still have something to say."""
