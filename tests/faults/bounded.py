"""Starts a server for a fault: in a session of its own, and so bounded that no fault takes the machine down.

`python bounded.py [--cold] ARGUMENT…` becomes `python -m gradflow_lsp ARGUMENT…`; `--cold` has it start a fresh
interpreter for each run, as it does where interpreters cannot be forked. All that it starts inherits the bounds.
"""

import os
import resource
import sys

ADDRESS_SPACE = 2 * 2**30
"""Bytes for one process: torch with a small model takes 0.6 GiB, and a thread reserves up to 0.1."""
CPU_SECONDS = 200
FILE_SIZE = 2**26


def main() -> None:
    """Set the bounds, then be the server."""
    os.setsid()
    for bound, value in (
        (resource.RLIMIT_AS, ADDRESS_SPACE),
        (resource.RLIMIT_CPU, CPU_SECONDS),
        (resource.RLIMIT_FSIZE, FILE_SIZE),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(bound, (value, value))
    arguments = sys.argv[1:]
    if arguments[0] != "--cold":
        os.execv(sys.executable, [sys.executable, "-m", "gradflow_lsp", *arguments])
    del sys.path[0]  # this folder

    from gradflow_lsp import cli
    from gradflow_lsp.runs.session import Runner

    assert "way" in Runner.__init__.__kwdefaults__
    Runner.__init__.__kwdefaults__["way"] = "none"
    cli.main(arguments[1:], prog_name="gradflow-lsp")


if __name__ == "__main__":
    main()
