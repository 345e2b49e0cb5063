"""What is kept of a worker's output. Processes themselves are tested by whole runs."""

import asyncio

import pytest

from gradflow_lsp.runs.launch import Tail


@pytest.mark.parametrize("size", [10, 65_536, 200_001])
async def test_a_tail_keeps_the_end(size):
    stream = asyncio.StreamReader()
    tail = Tail(stream)
    stream.feed_data(b"a" * (size - 1) + b"z")
    stream.feed_eof()
    await tail.finish()
    assert (len(tail.text), tail.text[-1]) == (min(size, 65_536), "z")
