"""`python -m gradflow_lsp` is `gradflow-lsp`."""

import sys

if not sys.flags.safe_path:
    del sys.path[0]  # the current folder, put there by -m: a project's own json.py or attrs/ is not for us

from gradflow_lsp.cli import main

if __name__ == "__main__":
    main(prog_name="gradflow-lsp")
