"""Folders of small files to look for probes in."""

from collections.abc import Mapping
from pathlib import Path

from gradflow_lsp.source.folders import Folder

PROBE = "def gradflow_probe():\n    ...\n"


def grow(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files by their paths below `root`, and return `root`."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    return root


def found(root: Path, *exclude: str) -> list[str]:
    """Return the paths, relative to `root`, of the files that count. `holds` must agree with the walk."""
    folder = Folder(root, exclude)
    walked = list(map(Path, folder.python_files()))
    real = [path for path in root.rglob("*.py") if path.is_file() and path.resolve() == path.absolute()]
    assert {path for path in real if folder.holds(path)} == {path for path in walked if path in real}
    return [path.relative_to(root).as_posix() for path in walked]
