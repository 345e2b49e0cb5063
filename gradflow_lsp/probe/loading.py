"""Imports the user's file the way its own project would, with the editor's unsaved text laid over the disk.

A file in a package is imported by its dotted name, one in a plain folder by its stem, and never as `__main__`. Every
first-party module is compiled from the text as it is now: nothing is read from or written to `__pycache__`, and
`linecache` holds exactly what ran, so that tracebacks and source ranges agree with it.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib
import importlib.util
import io
import linecache
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, cast

from .first_party import is_first_party
from .protocol import RunRequest

_digests: dict[str, str] = {}
"""First-party files that this process has compiled: absolute path → SHA-256 of the text, as bytes on disk or UTF-8."""
_looked_for: dict[str, None] = {}
"""What `looked_for` returns, in the order of the searches."""
_listeners: list[Callable[[str, str], None]] = []


def load(request: RunRequest) -> ModuleType:
    """Import the request's file and return its module.

    Raises whatever the user's code raises; `failures.describe` says what that means. To be called once a process.
    """
    sources = _Sources(request)
    place = locate(request.path, request.roots, sources)
    sys.meta_path.insert(0, _Finder(sources))
    _take_over_loading_by_path(sources)
    sys.path[:0] = map(str, place.first)
    sys.path.extend(map(str, place.last))
    importlib.invalidate_caches()
    if not place.importable:
        return _execute(place.name, request.path, sources)
    module = importlib.import_module(place.name)
    found = getattr(module, "__file__", None)
    if found is None or _key(found) != _key(request.path):
        raise ImportError(f"the name {place.name} means {found or 'another module'} here, not this file")
    return module


def loaded_sources(request: RunRequest, seen: Iterable[str] = ()) -> dict[str, str]:
    """Return the first-party files that `load` and the probe have loaded so far, each with its text's SHA-256.

    `seen` are files whose code has run, whoever compiled it. What the user's code only reads (`open`) is not among
    them, nor what the processes load that it starts.
    """
    for path in seen:
        if path not in _digests and is_first_party(path, request.roots):
            with contextlib.suppress(OSError):
                _digests[path] = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    return dict(_digests)


def looked_for() -> list[str]:
    """Return the first-party paths at which imports have found nothing so far, and would have taken what is there.

    A path without a suffix means a folder: an import that found nothing at all would have taken it for a namespace.
    """
    return list(_looked_for)


def tell_of_sources(listener: Callable[[str, str], None]) -> None:
    """Call `listener` with the path and the SHA-256 of each first-party file as soon as it has been read."""
    _listeners.append(listener)


def project_folder(path: str, roots: Sequence[str]) -> str:
    """Return the innermost of `roots` that contains the file at `path`, else the file's own folder."""
    holding = [os.path.normpath(root) for root in roots if Path(_key(root)) in Path(_key(path)).parents]
    return max(holding, key=len, default=str(Path(path).parent))


def hidden_by(request: RunRequest, packages: Iterable[str]) -> str | None:
    """Return one of the installed packages that a module of the user's own would be found before, if there is one."""
    sources = _Sources(request)
    folders = list(map(str, locate(request.path, request.roots, sources).first))
    return next((name for name in packages if any(map(sources.exists, _candidates(name, folders)))), None)


def first_found(folders: Sequence[str], packages: Iterable[str]) -> str | None:
    """Return one of the packages that is in one of the folders, if there is one."""
    return next((name for name in packages if any(Path(file).is_file() for file in _candidates(name, folders))), None)


@dataclass(frozen=True)
class Place:
    """How a file is imported: under which name, and which folders come first and last on `sys.path`.

    `importable` is False where the name would not lead to the file: the module is then made from its path.
    """

    name: str
    first: list[Path]
    last: list[Path]
    importable: bool = True


def locate(path: str, roots: Sequence[str], sources: _Sources) -> Place:
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


class _Sources:
    """The text of first-party files: the editor's where it holds one, else the disk's."""

    def __init__(self, request: RunRequest) -> None:
        self._path = _key(request.path)
        self._roots = request.roots
        self._overlays = {_key(path): text.removeprefix("\ufeff") for path, text in request.overlays.items()}

    def owns(self, path: str) -> bool:
        """Say whether the file at `path` is loaded by us: a first-party one, or the probe's own wherever it lies."""
        return is_first_party(path, self._roots) or _key(path) == self._path

    def miss(self, folder: str, *names: str) -> None:
        """Take note that nothing lies in `folder` under these names; outside the workspace nobody cares."""
        if is_first_party(str(Path(folder, "__init__.py")), self._roots):  # the same path each time: that is fast
            _looked_for.update(dict.fromkeys(str(Path(folder, name)) for name in names))

    def exists(self, path: str) -> bool:
        """Say whether there is a file at `path`, on disk or only in the editor."""
        return Path(path).is_file() or _key(path) in self._overlays

    def unsaved(self, path: str) -> bool:
        """Say whether the editor holds a text for `path`."""
        return bool(self._overlays) and _key(path) in self._overlays

    def read(self, path: str) -> tuple[bytes, str | None]:
        """Return the bytes of the file at `path`, and its text where they can be decoded."""
        overlay = self._overlays.get(_key(path))
        if overlay is not None:
            return overlay.encode("utf-8", "surrogatepass"), overlay
        data = Path(path).read_bytes()
        try:
            return data, importlib.util.decode_source(data)
        except (UnicodeError, SyntaxError, LookupError):  # the last: what the coding line names is no text's
            return data, None

    def text(self, path: str) -> str:
        """Return the text of the file at `path`, empty where it cannot be read."""
        try:
            return self.read(path)[1] or ""
        except OSError:
            return ""


def _key(path: str) -> str:
    return os.path.normcase(os.path.realpath(path))


class _Loader(SourceFileLoader):
    """Compiles a module from its text as it is now."""

    def __init__(self, fullname: str, path: str, sources: _Sources) -> None:
        super().__init__(fullname, path)
        self._sources = sources

    def get_code(self, fullname: str) -> CodeType:
        """Compile the text, having told `linecache` and `loaded_sources` of it."""
        data, text = self._sources.read(self.path)
        _note(self.path, hashlib.sha256(data).hexdigest())
        _remember_lines(self.path, text or "")
        # Text where there is one: up to Python 3.12, a syntax error found in bytes has its columns counted in bytes.
        return _compile(data if text is None else text, self.path)

    def get_source(self, fullname: str) -> str:
        """Return the text that `get_code` compiles."""
        return self._sources.text(self.path)


def _compile(source: str | bytes, path: str) -> CodeType:
    """Compile a module. Raises `SyntaxError`, with the file and where it is known the line, for all Python refuses."""
    try:
        code: CodeType = compile(source, path, "exec", dont_inherit=True)
        return code
    except SyntaxError as error:
        null = source.find("\0") if isinstance(source, str) else source.find(b"\0")
        if error.filename is None and null >= 0:
            line = len(io.StringIO(_decoded(source)[:null] + ".", newline=None).readlines())
            raise SyntaxError("there is a null byte; save it as UTF-8", (path, line, None, None)) from None
        raise
    except (ValueError, LookupError) as error:
        raise SyntaxError(str(error), (path, None, None, None)) from None
    except (RecursionError, MemoryError):
        raise SyntaxError("an expression is nested too deeply", (path, None, None, None)) from None


def _decoded(source: str | bytes) -> str:
    return source if isinstance(source, str) else source.decode("latin-1")


def _note(path: str, digest: str) -> None:
    _digests[path] = digest
    for tell in _listeners:
        tell(path, digest)


def _remember_lines(path: str, text: str) -> None:
    lines = io.StringIO(text, newline=None).readlines()
    linecache.cache[path] = (len(text), None, lines, path)  # without a time: `linecache` then never looks at the disk


class _Finder(MetaPathFinder):
    """Asks all other finders as usual, and has what they find compiled by `_Loader` where it is first-party."""

    def __init__(self, sources: _Sources) -> None:
        self._sources = sources
        self._finding: set[str] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module as the import system would; files that only the editor has are found as well."""
        if fullname in self._finding:  # another finder that asks all the others
            return None
        self._finding.add(fullname)
        try:
            spec = self._find_as_usual(fullname, path, target)
        finally:
            self._finding.discard(fullname)
        self._note_misses(fullname, path, spec)
        if spec is None or spec.origin is None:
            return self._find_unsaved(fullname, path) or spec
        if type(spec.loader) is SourceFileLoader and self._sources.owns(spec.origin):
            spec.loader = _Loader(fullname, spec.origin, self._sources)
        return spec

    def _find_as_usual(self, *arguments: Any) -> ModuleSpec | None:
        for finder in sys.meta_path:
            find_spec = getattr(finder, "find_spec", None)  # old finders may lack it
            if finder is not self and find_spec and (spec := find_spec(*arguments)):
                return cast(ModuleSpec, spec)
        return None

    def _note_misses(self, fullname: str, path: Sequence[str] | None, spec: ModuleSpec | None) -> None:
        """Take note of what would have been found in place of `spec`, up to the folder where that was found."""
        if spec is not None and spec.origin in ("built-in", "frozen"):
            return
        found = None if spec is None or spec.origin is None else Path(spec.origin)
        tail = fullname.rpartition(".")[2]
        package, module = str(Path(tail, "__init__.py")), f"{tail}.py"
        for folder in sys.path if path is None else path:
            if found and found.stem == "__init__" and found.parent == Path(folder, tail):
                return
            if found and found.stem != "__init__" and found.parent == Path(folder):
                self._sources.miss(folder, package)
                return
            self._sources.miss(folder, package, module, *([] if spec else [tail]))

    def _find_unsaved(self, fullname: str, path: Sequence[str] | None) -> ModuleSpec | None:
        for file in _candidates(fullname, sys.path if path is None else path):
            if self._sources.unsaved(file):
                return _spec(fullname, file, self._sources)
        return None


def _candidates(fullname: str, folders: Sequence[str]) -> Iterator[str]:
    tail = fullname.rpartition(".")[2]
    for folder in folders:
        yield str(Path(folder, tail, "__init__.py"))
        yield str(Path(folder, f"{tail}.py"))


def _take_over_loading_by_path(sources: _Sources) -> None:
    """Have first-party files compiled by `_Loader` also where the user's code loads them by their path, not name."""
    get_code = SourceFileLoader.get_code

    def get_our_code(loader: SourceFileLoader, fullname: str) -> CodeType | None:
        if type(loader) is SourceFileLoader and sources.owns(loader.path):
            return _Loader(fullname, loader.path, sources).get_code(fullname)
        return get_code(loader, fullname)

    SourceFileLoader.get_code = get_our_code  # type: ignore[assignment,method-assign]


def _spec(name: str, path: str, sources: _Sources) -> ModuleSpec:
    inside = [str(Path(path).parent)] if Path(path).name == "__init__.py" else None
    loader = _Loader(name, path, sources)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader, submodule_search_locations=inside)
    assert spec is not None
    return spec


def _execute(name: str, path: str, sources: _Sources) -> ModuleType:
    """Make a module of a file that no import statement would find under `name`."""
    spec = _spec(name, path, sources)
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
