"""How many model classes get a probe that runs as it was inserted, by a real server.

    python tests/bench/stub_score.py tests/stub_classes [--only NAME…] [--output stub_score.md]

Each `NAME.json` of the folder names a class of `NAME.py`. The file is opened in a server, `gradflow.insertProbe` is
executed for the class, the edit that comes is applied, and the probe is run with `gradflow.run`, as an editor does:
once with `verify: false`, which inserts the probe as it was written, and once without, which has the server try and
mend it first. A probe counts when its report has the status `ok` and more than 90 % of the parameters that require a
gradient get one. The edit has to leave every line of the file alone, and the result has to parse.
"""

from __future__ import annotations

import argparse
import ast
import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from server import editor as editors
from server.editor import Editor

from gradflow_lsp.annotate.edits import edits_between

ENOUGH = 0.9
editors.PATIENCE = 180.0  # a first trial takes what a run may, and mending comes on top
DIFFICULTIES = ("easy", "medium", "hard")


@dataclass(frozen=True)
class Score:
    """What became of one class's probe."""

    name: str
    difficulty: str
    reached: int
    parameters: int
    seconds: float
    trouble: str

    @property
    def counts(self) -> bool:
        return not self.trouble and self.reached > ENOUGH * self.parameters

    def __str__(self) -> str:
        flow = f"{self.reached}/{self.parameters} reached"
        return f"{'ok' if self.counts else 'NO'} {self.seconds:5.1f} s  {self.trouble or flow}"


@asynccontextmanager
async def editor_in(folder: Path, python: str) -> AsyncIterator[Editor]:
    """Start a server with an editor that lets it apply edits, and end it."""
    outside = {name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "CONDA_PREFIX")}
    editor = await Editor.config(env={**outside, "XDG_STATE_HOME": str(folder / ".state")}).start()
    try:
        await editor.start("vscode", [folder], interpreter=python)
        yield editor
    finally:
        await editor.shutdown_session()
        await editor.stop()


async def score(editor: Editor, folder: Path, name: str, copy: Path, *, verify: bool) -> Score:
    """Insert and run the probe of one class, in a copy of its file."""
    about = json.loads((folder / f"{name}.json").read_text("utf-8"))
    text = (folder / f"{name}.py").read_bytes().decode("utf-8")
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_bytes(text.encode("utf-8"))
    uri = editor.open(copy, text)
    began = time.perf_counter()
    await editor.command("insertProbe", uri=uri, **{"class": about["class"], **({} if verify else {"verify": False})})
    await editor.until(lambda: editor.texts[uri] != text)
    seconds = time.perf_counter() - began
    inserted = editor.texts[uri]
    copy.write_bytes(inserted.encode("utf-8"))
    try:
        ast.parse(inserted)
    except SyntaxError as error:
        return Score(name, about["difficulty"], 0, 0, seconds, f"the edit breaks the file: {error}")
    if any(edit.text for edit in edits_between(inserted, text)):
        return Score(name, about["difficulty"], 0, 0, seconds, "the edit changes lines of the file")
    try:
        report = await editor.run(uri)
    except TimeoutError:
        return Score(name, about["difficulty"], 0, 0, seconds, "its run did not end in time")
    return Score(name, about["difficulty"], *_reached(report), seconds, (report["error"] or {}).get("message", ""))


def _reached(report: dict[str, Any]) -> tuple[int, int]:
    verdicts = [one["verdict"] for one in report["parameters"] if one["verdict"] not in ("frozen", "unregistered")]
    return sum(verdict != "missing" for verdict in verdicts), len(verdicts)


async def scores(
    folder: Path, names: Sequence[str], keep: Path, *, verify: bool, python: str = sys.executable
) -> list[Score]:
    """Score classes one after the other in one server; `keep` is the folder for the files with their probes."""
    async with editor_in(keep, python) as editor:
        found: list[Score] = []
        for name in names:
            copy = keep / ("tried" if verify else "untried") / f"{name}.py"
            found.append(await score(editor, folder, name, copy, verify=verify))
            print(f"{name:28} {found[-1].difficulty:7} {found[-1]}", file=sys.stderr, flush=True)
    return found


def table(untried: Sequence[Score], tried: Sequence[Score]) -> str:
    """Return the figures of both ways, as Markdown."""
    rows = ["| classes | as written | tried and mended |", "| --- | --- | --- |"]
    for title in (*DIFFICULTIES, "all"):
        both = [[one for one in each if title in ("all", one.difficulty)] for each in (untried, tried)]
        if both[1]:
            cells = (f"{sum(one.counts for one in each)} of {len(each)}" for each in both)
            rows.append(f"| {title} | {' | '.join(cells)} |")
    taken = sorted(one.seconds for one in tried)
    rows += ["", f"Trying took {taken[len(taken) // 2]:.1f} s for half of them, {taken[-1]:.1f} s at most.", ""]
    rows += [
        f"- {one.name}: {one.trouble or f'{one.reached} of {one.parameters} reached'}"
        for one in tried
        if not one.counts
    ]
    return "\n".join(rows).rstrip() + "\n"


def main() -> int:
    """Print the table; exit status 1 when no class counts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", help="names of the classes to try")
    parser.add_argument("--python", default=sys.executable, help="an interpreter that has torch")
    parser.add_argument("--keep", type=Path, help="a folder for the files with their probes")
    parser.add_argument("--output", type=Path, help="a file for the table")
    arguments = parser.parse_args()
    names = arguments.only or sorted(path.stem for path in arguments.folder.glob("*.json"))
    with tempfile.TemporaryDirectory() as scratch:
        keep = (arguments.keep or Path(scratch)).resolve()
        keep.mkdir(parents=True, exist_ok=True)
        untried, tried = (
            asyncio.run(scores(arguments.folder, names, keep, verify=verify, python=arguments.python))
            for verify in (False, True)
        )
    text = table(untried, tried)
    print(text, end="")
    if arguments.output:
        arguments.output.write_text(text, encoding="utf-8")
    return 0 if any(one.counts for one in tried) else 1


if __name__ == "__main__":
    sys.exit(main())
