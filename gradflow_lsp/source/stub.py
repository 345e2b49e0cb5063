"""Writes a `gradflow_probe()` for a model class: code that runs as it stands for the usual kinds of models.

Everything is decided by reading; nothing of the user's is executed. See `stubs` for how.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

from .spans import split_lines
from .stubs import layout, style
from .stubs.body import render_body
from .stubs.completing import solve_well
from .stubs.hints import read_hints
from .stubs.program import Program, read_program
from .stubs.rendering import Renderer
from .stubs.solving import ENTRY, Outcome, called_method


@dataclass(frozen=True)
class ProbeStub:
    """A probe to insert: `text` goes before line `insert_at`, each of `imports` before its own line.

    `text` brings the blank lines around it, in the file's own line ends. `todo` are the sentences of its TODO comments.
    `plainer` is a text in its place that asks for less, where there is one: for when this one does not run.
    """

    function: str
    text: str
    insert_at: int
    imports: list[tuple[int, str]] = field(default_factory=list)
    todo: list[str] = field(default_factory=list)
    plainer: str | None = None

    def apply(self, text: str) -> str:
        """Return `text`, the text that the probe was written for, with the probe in it."""
        bom = text[: text.startswith("\ufeff")]
        lines = split_lines(text.removeprefix(bom))
        insertions = sorted([(self.insert_at, self.text), *self.imports], key=lambda one: -one[0])
        if lines and lines[-1][-1] not in "\r\n" and insertions[0][0] > len(lines):
            lines[-1] += "\r\n" if "\r\n" in self.text else self.text[-1]
        for line, inserted in insertions:
            lines.insert(line - 1, inserted)
        return bom + "".join(lines)


def write_probe(text: str, class_name: str, *, path: Path | None = None) -> ProbeStub:
    """Return a probe for the class `class_name` of the file `text`. Raises `KeyError` where there is no such class."""
    program = read_program(text)
    hints = read_hints(program, text, class_name)
    outcome = solve_well(program, hints, class_name)
    stub = _written(program, text, class_name, outcome)
    if outcome.plainer is None:
        return stub
    plainer = _written(program, text, class_name, outcome.plainer)
    return replace(stub, plainer=plainer.text) if plainer.imports == stub.imports else stub


def _written(program: Program, text: str, class_name: str, outcome: Outcome) -> ProbeStub:
    written = style.style_of(text)
    renderer = Renderer(program, written, outcome)
    todo = layout.open_questions(outcome)
    calls = {name: called_method(outcome, program, class_name, name) for name in outcome.outputs or (ENTRY,)}
    body = render_body(renderer, class_name, calls, todo, layout.room(written))
    name = style.free_probe_name(text, class_name, program.names)
    insert_at = style.place_for(text, class_name)
    import_at = style.import_line(text)
    return ProbeStub(
        function=name,
        text=layout.function_text(name, body, written, split_lines(text), insert_at),
        insert_at=insert_at,
        imports=[(import_at, line + written.newline) for line in renderer.imports],
        todo=todo,
    )
