"""Imports the user's file the way its own project would, with the editor's unsaved text laid over the disk.

A file in a package is imported by its dotted name, one in a plain folder by its stem, and never as `__main__`. Every
first-party module is compiled from the text as it is now: nothing is read from or written to `__pycache__`, and
`linecache` holds exactly what ran, so that tracebacks and source ranges agree with it.
"""

from __future__ import annotations

import importlib
import importlib.util
import io
import linecache
import sys
from collections.abc import Iterator, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, cast

from .placing import candidates, locate
from .protocol import RunRequest
from .sources import Sources, key_of, note


def load(request: RunRequest) -> ModuleType:
    """Import the request's file and return its module.

    Raises whatever the user's code raises; `failures.describe` says what that means. To be called once a process.
    """
    sources = Sources(request)
    if not sources.exists(request.path):
        raise ImportError(f"there is no file {request.path}; where a launcher runs it, see that path_mappings is right")
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
    if found is None or key_of(found) != key_of(request.path):
        raise ImportError(f"the name {place.name} means {found or 'another module'} here, not this file")
    return module


class _Loader(SourceFileLoader):
    """Compiles a module from its text as it is now."""

    def __init__(self, fullname: str, path: str, sources: Sources) -> None:
        super().__init__(fullname, path)
        self._sources = sources

    def get_code(self, fullname: str) -> CodeType:
        """Compile the text, having told `linecache` and `loaded_sources` of it."""
        data, text = self._sources.read(self.path)
        note(self.path, data)
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


def _remember_lines(path: str, text: str) -> None:
    lines = io.StringIO(text, newline=None).readlines()
    linecache.cache[path] = (len(text), None, lines, path)  # without a time: `linecache` then never looks at the disk


class _Finder(MetaPathFinder):
    """Asks all other finders as usual, and has what they find compiled by `_Loader` where it is first-party."""

    def __init__(self, sources: Sources) -> None:
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
        if unsaved := self._find_unsaved(fullname, path, spec):
            return unsaved
        if spec is None or spec.origin is None:
            return spec
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
        """Take note of what would have been found in place of `spec`."""
        tail = fullname.rpartition(".")[2]
        package, module = str(Path(tail, "__init__.py")), f"{tail}.py"
        for folder, there in _searched(tail, path, spec):
            self._sources.miss(folder, package, *([] if there else [module]), *([] if spec else [tail]))

    def _find_unsaved(self, fullname: str, path: Sequence[str] | None, spec: ModuleSpec | None) -> ModuleSpec | None:
        """Find what only the editor has, where it would be found in place of `spec` once it is saved."""
        tail = fullname.rpartition(".")[2]
        if not self._sources.may_have_unsaved(tail):
            return None
        for folder, there in _searched(tail, path, spec):
            for file in candidates(tail, [folder]):
                if self._sources.unsaved(file) and not (there and file.endswith(f"{tail}.py")):
                    return _spec(fullname, file, self._sources)
        return None


def _searched(tail: str, path: Sequence[str] | None, spec: ModuleSpec | None) -> Iterator[tuple[str, bool]]:
    """Yield the folders in which an import has found nothing; last, with `True`, one with a module but no package."""
    if spec is not None and spec.origin in ("built-in", "frozen"):
        return
    found = None if spec is None or spec.origin is None else Path(spec.origin)
    for folder in sys.path if path is None else path:
        if found and found.stem == "__init__" and found.parent == Path(folder, tail):
            return
        if found and found.stem != "__init__" and found.parent == Path(folder):
            yield folder, True
            return
        yield folder, False


def _take_over_loading_by_path(sources: Sources) -> None:
    """Have first-party files compiled by `_Loader` also where the user's code loads them by their path, not name."""
    get_code = SourceFileLoader.get_code

    def get_our_code(loader: SourceFileLoader, fullname: str) -> CodeType | None:
        if type(loader) is SourceFileLoader and sources.owns(loader.path):
            return _Loader(fullname, loader.path, sources).get_code(fullname)
        return get_code(loader, fullname)

    SourceFileLoader.get_code = get_our_code  # type: ignore[assignment,method-assign]


def _spec(name: str, path: str, sources: Sources) -> ModuleSpec:
    inside = [str(Path(path).parent)] if Path(path).name == "__init__.py" else None
    loader = _Loader(name, path, sources)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader, submodule_search_locations=inside)
    assert spec is not None
    return spec


def _execute(name: str, path: str, sources: Sources) -> ModuleType:
    """Make a module of a file that no import statement would find under `name`."""
    spec = _spec(name, path, sources)
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
