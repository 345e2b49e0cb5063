"""`python -m gradflow_lsp` is `gradflow-lsp`."""

from gradflow_lsp.cli import main

if __name__ == "__main__":
    main(prog_name="gradflow-lsp")
