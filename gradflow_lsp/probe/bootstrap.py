"""The script that a user's interpreter is told to run, by path: `python bootstrap.py once` (or `template`).

It loads this folder as a package under a private name, so that the user's modules meet none of ours, and our
environment none of theirs. It parses on any Python 3, to be able to say that one is too old.
"""

# ruff: noqa: PTH100, PTH118, PTH120
# (pathlib is slow to import, and nothing else here needs it)

import importlib.util
import json
import os
import sys

PACKAGE = "_gradflow_probe"
OLDEST = (3, 10)


def main() -> None:
    """Load the package and hand over to its worker."""
    folder = os.path.dirname(os.path.abspath(__file__))
    if sys.path and os.path.abspath(sys.path[0]) == folder:  # Python puts a script's folder there; ours is no one's
        del sys.path[0]
    if sys.version_info < OLDEST:
        version = ".".join(map(str, sys.version_info[:3]))
        print(json.dumps({"failed": {"kind": "no-interpreter", "detail": "old", "python": version}}), flush=True)
        return
    path = os.path.join(folder, "__init__.py")
    spec = importlib.util.spec_from_file_location(PACKAGE, path, submodule_search_locations=[folder])
    assert spec is not None and spec.loader is not None
    package = sys.modules[PACKAGE] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)
    importlib.import_module(PACKAGE + ".worker").main(sys.argv[1:])


if __name__ == "__main__":  # not so in the user's own spawned processes, which import this file again
    main()
