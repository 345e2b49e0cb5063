"""Our part of a run for a Python that does not have our files: carried there through its standard input."""

from __future__ import annotations

import json
import zlib
from functools import cache
from pathlib import Path

from gradflow_lsp.probe import bootstrap

LOADER = """
import json, os, sys, zlib
left = int(sys.argv[2])
parts = []
while left:
    part = os.read(0, left)
    if not part:
        sys.exit()
    parts.append(part)
    left -= len(part)
sources = json.loads(zlib.decompress(b"".join(parts)).decode())
script = {"__name__": "bootstrap"}
exec(sources.pop("bootstrap"), script)
script["main"](sources)
"""
"""What `python -c` is told to run there, with the way to serve runs and the length of `baggage()` as arguments.

Not one byte more than that is read: what follows is for the run.
"""


@cache
def baggage() -> bytes:
    """Return the modules of the probe's package, packed, and the script that loads them."""
    script = Path(bootstrap.__file__)
    sources = {"bootstrap": script.read_text(encoding="utf-8")}
    for file in script.parent.rglob("*.py"):
        parts = file.relative_to(script.parent).with_suffix("").parts
        name = ".".join([bootstrap.PACKAGE, *(part for part in parts if part != "__init__")])
        sources[name] = file.read_text(encoding="utf-8")
    return zlib.compress(json.dumps(sources).encode())
