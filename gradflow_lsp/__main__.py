"""`gradflow-lsp`, and `python -m gradflow_lsp`, which is the same."""

import sys

if __name__ == "__main__" and not sys.flags.safe_path:
    del sys.path[0]  # the current folder, put there by -m: a project's own json.py or attrs/ is not for us


def main() -> None:
    """Do what the command line says: start the server as editors call it at once, all else by `cli`."""
    if sys.argv[1:] in ([], ["server"], ["--stdio"], ["server", "--stdio"]):
        from gradflow_lsp.server import start  # a tenth of the start would go into reading no arguments

        start()
    else:
        from gradflow_lsp import cli

        cli.main(prog_name="gradflow-lsp")


if __name__ == "__main__":
    main()
