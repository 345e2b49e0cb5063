"""How a file's own project would import it: under which name, and from which folders."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from .protocol import RunRequest
from .sources import Sources, key_of


@dataclass(frozen=True)
class Place:
    """How a file is imported: under which name, and which folders come first and last on `sys.path`.

    `importable` is False where the name would not lead to the file: the module is then made from its path.
    """

    name: str
    first: list[Path]
    last: list[Path]
    importable: bool = True


def project_folder(path: str, roots: Sequence[str]) -> str:
    """Return the innermost of `roots` that contains the file at `path`, else the file's own folder."""
    holding = [os.path.normpath(root) for root in roots if Path(key_of(root)) in Path(key_of(path)).parents]
    return max(holding, key=len, default=str(Path(path).parent))


def locate(path: str, roots: Sequence[str], sources: Sources) -> Place:
    """Find the name and the folders by which its project imports the file at `path`."""
    file, root = Path(path), Path(project_folder(path, roots))
    base, packages = file.parent, list[str]()
    while sources.exists(str(base / "__init__.py")) and base.name and "." not in base.name:
        packages.insert(0, base.name)
        base = base.parent
    sources.miss(str(base), "__init__.py")
    first, last = [base, root, root / "src"], [file.parent]  # last: siblings, as a script would import them
    missing = _relative_depth(sources.text(path)) - len(packages)
    if missing > 0:  # relative imports without (enough) __init__.py files: the folders are namespace packages
        outer = _base_above(base, root, missing)
        packages = [*base.relative_to(outer).parts, *packages]
        first, last = first[1:], [outer, *last]
    first = [folder for folder in dict.fromkeys(first) if folder == base or folder.is_dir()]
    if packages and not any("." in package for package in packages):
        return Place(".".join(packages if file.stem == "__init__" else [*packages, file.stem]), first, last)
    name, importable = file.stem, file.suffix == ".py"
    while name in sys.modules or name in sys.stdlib_module_names or "." in name:
        name, importable = name.replace(".", "_") + "_", False
    return Place(name, list(dict.fromkeys([file.parent, *first])), [], importable)


def _relative_depth(text: str) -> int:
    """How many packages deep a module must lie for its relative imports to work."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 0
    return max((node.level for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)), default=0)


def _base_above(folder: Path, root: Path, climb: int) -> Path:
    """The folder to import from so that `folder` lies at least `climb` names below: the project's, if it can be."""
    enough = list(folder.parents)[climb - 1 :] or [folder.parents[-1]]
    return next((base for base in (root / "src", root) if base in enough), enough[0])


def hidden_by(request: RunRequest, packages: Iterable[str]) -> str | None:
    """Return one of the installed packages that a module of the user's own would be found before, if there is one."""
    sources = Sources(request)
    folders = list(map(str, locate(request.path, request.roots, sources).first))
    return next((name for name in packages if any(map(sources.exists, candidates(name, folders)))), None)


def first_found(folders: Sequence[str], packages: Iterable[str]) -> str | None:
    """Return one of the packages that is in one of the folders, if there is one."""
    return next((name for name in packages if any(Path(file).is_file() for file in candidates(name, folders))), None)


def candidates(fullname: str, folders: Sequence[str]) -> Iterator[str]:
    """Yield the files at which an import of a module looks in these folders, in its order."""
    tail = fullname.rpartition(".")[2]
    for folder in folders:
        yield str(Path(folder, tail, "__init__.py"))
        yield str(Path(folder, f"{tail}.py"))
