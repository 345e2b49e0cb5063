"""What runs in the user's interpreter: the standard library and torch, nothing else.

The package is loaded from its path under a private name (see `bootstrap`), so it never meets the user's modules,
and nothing in it imports from the rest of `gradflow_lsp`.
"""
