"""How a client is talked to: over stdio, a TCP port or a WebSocket, and that nothing is left when the talk ends.

However it ends (`exit`, end of input, a signal, a client that is gone), the session is closed before the loop stops.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import sys
import threading
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from gradflow_lsp.server.app import GradflowServer
from gradflow_lsp.server.pipes import PipeWriter, pump

log = logging.getLogger(__name__)

_PARENT_INTERVAL = 2.0

Conversation = Callable[[], Awaitable[None]]


async def serve_stdio(server: GradflowServer, incoming: int, outgoing: int) -> None:
    """Serve a client on two pipes."""
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    threading.Thread(target=pump, args=(incoming, reader, loop), name="stdin", daemon=True).start()
    server.protocol.set_writer(PipeWriter(outgoing))
    await _serve(server, partial(_talk, server, reader))


async def serve_tcp(server: GradflowServer, host: str, port: int) -> None:
    """Serve the first client that connects, and end when it leaves; port 0 takes any free one."""
    connected: asyncio.Future[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = (
        asyncio.get_running_loop().create_future()
    )

    def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if connected.done():
            writer.close()
        else:
            connected.set_result((reader, writer))

    async with await asyncio.start_server(connect, host, port) as listener:
        _announce(listener.sockets[0].getsockname())
        reader, writer = await connected
        server.protocol.set_writer(writer)
        await _serve(server, partial(_talk, server, reader))


async def serve_websocket(server: GradflowServer, host: str, port: int) -> None:
    """Serve the first client that connects, and end when it leaves. Raises `ImportError` without websockets."""
    from pygls.io_ import run_websocket
    from websockets.asyncio.server import serve  # type: ignore[import-not-found,unused-ignore]

    ended = asyncio.get_running_loop().create_future()

    async def connect(websocket: Any) -> None:
        if not server.has_begun:
            talk = partial(
                run_websocket, websocket, threading.Event(), server.protocol, log, server.protocol.unreadable
            )
            await _serve(server, talk)
            ended.set_result(None)

    async with serve(connect, host, port) as listener:
        _announce(next(iter(listener.sockets)).getsockname())
        await ended


async def _serve(server: GradflowServer, talk: Conversation) -> None:
    """Talk to the client until either side ends it, and leave nothing behind."""
    me = asyncio.current_task()
    assert me is not None
    stop, talking = me.cancel, True

    def end() -> None:
        if talking:  # closing the session is never broken off: that would leave processes behind
            stop()

    with contextlib.suppress(
        NotImplementedError, AttributeError, ValueError
    ):  # Windows has none, other threads may set none
        for number in (signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, end)
    watch = asyncio.create_task(_watch_parent(server, end))
    try:
        await talk()
    except asyncio.CancelledError:
        log.info("asked to end by a signal, or by the end of the client's process")
    finally:
        talking = False
        watch.cancel()
        await server.close()


async def _watch_parent(server: GradflowServer, end: Callable[[], None]) -> None:
    while True:
        await asyncio.sleep(_PARENT_INTERVAL)
        if server.client_is_gone():
            end()


async def _talk(server: GradflowServer, reader: asyncio.StreamReader) -> None:
    with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):  # the client is gone in mid-sentence
        while not reader.at_eof():
            length = await _content_length(reader)
            if length is not None:
                server.protocol.read(await reader.readexactly(length))


async def _content_length(reader: asyncio.StreamReader) -> int | None:
    """Read the header fields of a message, whose names may be written in any case; `None` if none is its length."""
    length = None
    while field := (await reader.readline()).strip():
        name, _, value = field.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            length = int(value)
    return length


def _announce(address: tuple[Any, ...]) -> None:
    print(f"gradflow-lsp listens on {address[0]}:{address[1]}", file=sys.stderr, flush=True)
