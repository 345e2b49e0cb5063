"""The command line: `gradflow-lsp` alone is the language server; `check`, `explain` and `doctor` work in a terminal.

Everything heavy is imported by the command that needs it: `check`, `--help` and `--version` never load the protocol.
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gradflow_lsp import __version__
from gradflow_lsp.codes import ALL, CAUSE_KINDS, ERROR_KINDS, FINDING_CODES, VERDICT_CODES
from gradflow_lsp.flags import given, setting_flags
from gradflow_lsp.schema import LEVELS

if TYPE_CHECKING:
    from rich.console import Console

    from gradflow_lsp.annotate.view import View
    from gradflow_lsp.check import Job
    from gradflow_lsp.probe.protocol import RunRequest

EDITOR_ONLY = ("run", "inlay_hints", "idle_minutes")
READY_FORMATS = ("text", "json")
PIPED_WIDTH = 100
"""The width of text that goes to a file or a pipe."""

FINDINGS, WRONG, INTERRUPTED = 1, 2, 130
"""Exit statuses besides 0."""


class Refusal(click.ClickException):
    """The call is wrong, or asks for what is not there yet: one sentence, and exit status 2."""

    exit_code = WRONG


class _ServerByDefault(click.Group):
    """A group that is its `server` command when no command is named, as editors start it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        own = {"--help", "--version"}
        if not args or (args[0].startswith("-") and args[0] not in own):
            args = ["server", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_ServerByDefault, context_settings={"max_content_width": 100})
@click.version_option(__version__, prog_name="gradflow-lsp", message="%(prog)s %(version)s")
def main() -> None:
    """Show which layers of a PyTorch model no gradient reaches, where each is written, and why.

    Without a command this is the language server, on standard input and output.
    """


@main.command()
@click.option("--stdio", "transport", flag_value="stdio", default=True, help="Standard input and output (the default).")
@click.option("--tcp", "transport", flag_value="tcp", help="A TCP port.")
@click.option("--ws", "transport", flag_value="ws", help="A WebSocket.")
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=2087, show_default=True, help="The port to listen on.")
@setting_flags()
def server(transport: str, host: str, port: int, **flags: Any) -> None:
    """Start the language server."""
    from gradflow_lsp.server import start

    start(transport, host=host, port=port, flags=given(flags))


@main.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]...")
@click.option(
    "--format",
    "form",
    type=click.Choice([*READY_FORMATS, "sarif", "github", "html"]),
    default="text",
    show_default=True,
    help="How the report is written.",
)
@click.option(
    "--fail-on",
    type=click.Choice([*LEVELS[:-1], "never"]),
    default="warning",
    show_default=True,
    metavar="LEVEL",
    help="Exit with status 1 from this severity on: error, warning, information, hint, or never.",
)
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="Write the report to this file.")
@click.option("--structural", is_flag=True, help="Follow the structure alone, without any values.")
@setting_flags(*EDITOR_ONLY)
def check(
    paths: tuple[Path, ...], form: str, fail_on: str, output: Path | None, structural: bool, **flags: Any
) -> None:
    """Run every gradient probe under the given files and folders (default: the current one) and print a report.

    Exit status: 0 all clear, 1 findings, 2 a probe could not run or the call is wrong.
    """
    if form not in READY_FORMATS:
        raise Refusal(f"--format {form} is not available yet; text and json are.")
    if structural:
        raise Refusal("--structural is not available yet; without it, probes run with real values.")
    if output and not output.absolute().parent.is_dir():
        raise Refusal(f"--output {output}: there is no folder {output.parent}.")
    from gradflow_lsp.check import plan

    todo = plan(paths or (Path(),), given(flags))
    for sentence in (*todo.notes, *todo.errors):
        click.echo(sentence, err=True)
    views = _run(todo.jobs)
    if views or form == "json":
        _write(views, form, output)
    raise SystemExit(_status(views, todo.errors, fail_on))


def _run(jobs: list[Job]) -> list[View]:
    import asyncio

    from rich.console import Console

    from gradflow_lsp.check import run

    with Console(stderr=True).status("starting") as status:

        def show(request: RunRequest, stage: str) -> None:
            status.update(f"{Path(request.path).name} {request.function}: {stage}")

        try:
            return asyncio.run(run(jobs, show))
        except KeyboardInterrupt:
            click.echo("Interrupted; every probe was ended.", err=True)
            raise SystemExit(INTERRUPTED) from None


def _write(views: list[View], form: str, output: Path | None) -> None:
    if output is None:
        _write_to(views, form, _tolerant(sys.stdout))
        return
    try:
        with output.open("w", encoding="utf-8") as file:
            _write_to(views, form, file)
    except OSError as error:
        raise Refusal(f"--output {output} cannot be written ({error.strerror}).") from None


def _write_to(views: list[View], form: str, file: Any) -> None:
    if form == "json":
        from gradflow_lsp.output.json_report import json_report

        file.write(json_report([view.report for view in views], Path.cwd()))
    else:
        from gradflow_lsp.output.text import print_reports

        print_reports(views, _console(file), Path.cwd())


def _console(file: Any) -> Console:
    """Return a console as wide as the terminal (or as COLUMNS says), of a fixed width where the text is piped."""
    from rich.console import Console

    console = Console(file=file)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = PIPED_WIDTH
    return console


def _tolerant(stream: Any) -> Any:
    """Let a stream replace what its encoding cannot say, instead of failing in the middle of a report."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
    return stream


def _status(views: list[View], errors: list[str], fail_on: Any) -> int:
    from gradflow_lsp.severities import reaches

    if errors or any(view.report.status != "ok" for view in views):
        return WRONG
    return FINDINGS if fail_on != "never" and any(reaches(view.report, fail_on) for view in views) else 0


@main.command()
@click.argument("name", required=False, metavar="[CODE|KIND]")
def explain(name: str | None) -> None:
    """Say what a code or a cause means, why it matters, and how to mend it; without a name, list them all."""
    import difflib

    from gradflow_lsp.output.explanations import explanation, title

    if name is None:
        groups = {
            "Verdicts": VERDICT_CODES,
            "Causes": CAUSE_KINDS,
            "Probe and loss": FINDING_CODES,
            "Probes that could not run": ERROR_KINDS,
        }
        for heading, names in groups.items():
            click.echo(heading)
            for each in names:
                click.echo(f"  {each:24}{title(each)}")
        return
    page = explanation(name)
    if page is None:
        close = difflib.get_close_matches(name, ALL, n=1)
        hint = f"did you mean {close[0]}?" if close else "gradflow-lsp explain lists all of them."
        raise Refusal(f"there is no code or cause {name}; {hint}")
    console = _console(_tolerant(sys.stdout))
    if console.is_terminal:
        from rich.markdown import Markdown

        console.width = min(console.width, PIPED_WIDTH)
        console.print(Markdown(page))
    else:
        click.echo(page, nl=False)


@main.command()
@click.argument("path", default=".", type=click.Path(exists=True, path_type=Path))
@click.option("--report", is_flag=True, help="Print Markdown for an issue instead, without private names and paths.")
@setting_flags(*EDITOR_ONLY)
def doctor(path: Path, report: bool, **flags: Any) -> None:
    """Print the interpreter, torch, the settings and where each comes from, and what is wrong with them."""
    from gradflow_lsp.doctor import examine
    from gradflow_lsp.output.examination import markdown, print_examination
    from gradflow_lsp.server.log import log_file

    found = examine(path.absolute(), given(flags))
    stream = _tolerant(sys.stdout)
    if report:
        click.echo(markdown(found, log_file()), file=stream)
        click.echo("Read it before you paste it: messages may hold names that nothing tells from words.", err=True)
    else:
        print_examination(found, log_file(), _console(stream))
    raise SystemExit(FINDINGS if found.problems else 0)
