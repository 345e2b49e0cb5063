"""The language server: what a client sees of the product. It translates; what it shows comes from `annotate`."""

from __future__ import annotations

import gc
import sys
from collections.abc import Mapping
from typing import Any


def start(
    transport: str = "stdio", *, host: str = "127.0.0.1", port: int = 0, flags: Mapping[str, Any] | None = None
) -> None:
    """Serve one client over `stdio`, `tcp` or `ws` until it leaves; `flags` are settings that beat the client's.

    Raises `SystemExit` with the status that the protocol asks for: 0 after `shutdown`, else 1.
    """
    from gradflow_lsp.server.log import set_up_logging
    from gradflow_lsp.server.pipes import protect_stdio

    set_up_logging()
    pipes = protect_stdio() if transport == "stdio" else None

    import asyncio  # this and the protocol's types take half a second, so after the pipes are safe

    import pygls.lsp.server  # noqa: F401

    gc.freeze()  # the types are there to stay, and looking through them again and again takes long
    gc.disable()  # until `initialize` is answered
    from gradflow_lsp.server import transports
    from gradflow_lsp.server.app import GradflowServer

    server = GradflowServer(flags)
    if pipes is not None:
        asyncio.run(transports.serve_stdio(server, *pipes))
    elif transport == "tcp":
        asyncio.run(transports.serve_tcp(server, host, port))
    else:
        try:
            asyncio.run(transports.serve_websocket(server, host, port))
        except ImportError:
            sys.exit("A WebSocket needs one more package: pip install 'pygls[ws]'. Or use --stdio or --tcp.")
