"""A language server that shows, on the line where each PyTorch layer is written, whether a gradient reaches it."""

__version__ = "0.1.0"
