"""Tables for people, in Markdown."""


def table(rows: list[list[str]]) -> list[str]:
    """Lines of a table whose first row is its head."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    padded = [[cell.ljust(width) for cell, width in zip(row, widths, strict=True)] for row in rows]
    lines = ["| " + " | ".join(cells) + " |" for cells in padded]
    return [lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]]
