"""The script that a user's interpreter is told to run, by path: `python bootstrap.py once` (or `template`).

It loads this folder as a package under a private name, so that the user's modules meet none of ours, and our
environment none of theirs. Where the folder is not there, its modules come through the pipe, and no file is written. It
parses on any Python 3, to be able to say that one is too old.
"""

# ruff: noqa: PTH100, PTH118, PTH120
# (pathlib is slow to import, and nothing else here needs it)

import importlib.util
import json
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType

PACKAGE = "_gradflow_probe"
OLDEST = (3, 10)


def main(sources: "dict[str, str] | None" = None) -> None:
    """Load the package, from the `sources` of its modules by their names if given, and hand over to its worker."""
    folder = "" if sources is not None else os.path.dirname(os.path.abspath(__file__))
    if sys.path and (sys.path[0] and os.path.abspath(sys.path[0])) == folder:  # Python puts a script's folder there;
        del sys.path[0]  # ours is no one's
    if sys.version_info < OLDEST:
        version = ".".join(map(str, sys.version_info[:3]))
        print(json.dumps({"failed": {"kind": "no-interpreter", "detail": "old", "python": version}}), flush=True)
        return
    if sources is not None:
        sys.meta_path.insert(0, Carried(sources))
        importlib.import_module(PACKAGE)
    else:
        path = os.path.join(folder, "__init__.py")
        spec = importlib.util.spec_from_file_location(PACKAGE, path, submodule_search_locations=[folder])
        assert spec is not None and spec.loader is not None
        package = sys.modules[PACKAGE] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(package)
    importlib.import_module(PACKAGE + ".worker").main(sys.argv[1:2])


class Carried:
    """Finds and loads the modules of the package in their sources, by their dotted names."""

    def __init__(self, sources: "dict[str, str]") -> None:
        self.sources = sources

    def find_spec(self, name: str, path: object = None, target: object = None) -> "ModuleSpec | None":
        """Return the spec of a module of ours; of any other, nothing."""
        if name not in self.sources:
            return None
        is_package = any(other.startswith(name + ".") for other in self.sources)
        return importlib.util.spec_from_loader(name, self, is_package=is_package)  # type: ignore[arg-type]

    def create_module(self, spec: "ModuleSpec") -> None:
        """Leave it to Python to make the module."""

    def exec_module(self, module: "ModuleType") -> None:
        """Run a module's source."""
        module.__file__ = "<" + PACKAGE + ">/" + module.__name__ + ".py"
        exec(compile(self.sources[module.__name__], module.__file__, "exec"), vars(module))


if __name__ == "__main__":  # not so in the user's own spawned processes, which import this file again
    main()
