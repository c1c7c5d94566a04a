"""Output of a verb, for a person or for a program; the only module that prints.

A verb is written once for both readers::

    with reporting(as_json=as_json) as output:
        output.line("3 switches, nothing to change")        # a person reads it
        output.result(switches=3, changes=[])               # a program reads it
        output.status = ExitStatus.FAILED                   # default: DONE

With ``--json`` a verb prints exactly one JSON document to standard output, whatever it finds, and nothing else.
"""

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import IntEnum

import typer
from msgspec import to_builtins
from pydantic_core import to_jsonable_python
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from rackproof.cli.excerpt import printable, problem_text, shown_path
from rackproof.errors import BadInputError, RackproofError, SiteError, SiteErrors

WIDTH_OF_A_FILE = 1000
"""Columns of a file or a pipe: a table there is never folded."""


class ExitStatus(IntEnum):
    """How a command ends; documented, stable."""

    DONE = 0
    """Done, or nothing to change."""
    FAILED = 1
    """The site differs, or the command failed."""
    UNKNOWN = 2
    """The result is unknown, such as where a device does not answer."""
    BAD_INPUT = 3
    """A site file, an argument or an option that cannot be used."""
    INTERRUPTED = 130
    """Stopped by the user (Ctrl-C), as shells count it."""


class Output:
    """The output of one command: text and tables for a person, or one JSON document for a program."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self.status = ExitStatus.DONE
        self._document: dict[str, object] = {}
        self._out = console(stderr=False)
        self._err = console(stderr=True)

    def line(self, text: str = "", style: str = "") -> None:
        """Print a line of the result for a person, on standard output; ``style`` is rich's, such as ``bold``."""
        if not self.as_json:
            self._out.print(Text(printable(text), style), soft_wrap=True)

    def note(self, text: str, style: str = "dim") -> None:
        """Print a line beside the result for a person, on standard error."""
        if not self.as_json:
            self._err.print(Text(printable(text), style), soft_wrap=True)

    def table(self, title: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Show rows to a person; numbers stand on the right, None is left empty."""
        if self.as_json:
            return
        cells = [["" if value is None else value for value in row] for row in rows]
        table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
        for number, column in enumerate(columns):
            numeric = any(row[number] != "" for row in cells) and all(_is_number(row[number]) for row in cells)
            table.add_column(column, justify="right" if numeric else "left", overflow="fold")
        for row in cells:
            table.add_row(*(Text(printable(str(value))) for value in row))
        self._out.print(table)

    def result(self, **values: object) -> None:
        """Add keys to the document of ``--json``: plain values, parts of a plan, Pydantic models, addresses, paths."""
        self._document.update(values)

    def problems(self, errors: Iterable[SiteError]) -> None:
        """Show what is wrong with a site file: with carets on standard error, or as the document's ``problems``."""
        shown = tuple(errors)
        self._document["problems"] = [problem_record(error) for error in shown]
        if self.as_json:
            return
        for error in shown:
            self._err.print(problem_text(error), soft_wrap=True)
            self._err.print()

    def failure(self, error: RackproofError, status: ExitStatus) -> None:
        """Print an error, and set the exit status."""
        self.status = status
        self._document["error"] = {"message": error.message, "hint": error.hint}
        if isinstance(error, SiteErrors):
            self.problems(error.errors)
        if not self.as_json:
            self._err.print(problem_text(SiteError((), error.message, error.hint)), soft_wrap=True)

    @contextmanager
    def progress(self, label: str, total: int | None = None) -> Iterator[Callable[[], None]]:
        """Show progress at a terminal; yields a function to call when one of ``total`` is done."""
        columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
        shown = columns if total is not None else columns[:2]
        hidden = self.as_json or not self._err.is_terminal
        with Progress(*shown, TimeElapsedColumn(), console=self._err, transient=True, disable=hidden) as bar:
            task = bar.add_task(printable(label), total=total)
            yield lambda: bar.advance(task)

    def close(self) -> None:
        """Print the document of ``--json``."""
        if self.as_json:
            document = {"status": int(self.status), **self._document}
            sys.stdout.write(
                json.dumps(to_jsonable_python(document, fallback=to_builtins), indent=2, ensure_ascii=False) + "\n"
            )


@contextmanager
def reporting(*, as_json: bool) -> Iterator[Output]:
    """Run a verb: an error that it raises becomes a message, its status becomes the command's exit status.

    Raises
    ------
    typer.Exit
        The status is not DONE.
    """
    output = Output(as_json=as_json)
    try:
        yield output
    except BadInputError as error:
        output.failure(error, ExitStatus.BAD_INPUT)
    except RackproofError as error:
        output.failure(error, ExitStatus.FAILED)
    except OSError as error:
        output.failure(RackproofError(operating_system_text(error)), ExitStatus.FAILED)
    output.close()
    if output.status is not ExitStatus.DONE:
        raise typer.Exit(output.status)


def stop_with(status: ExitStatus, message: str, hint: str = "") -> ExitStatus:
    """Print on standard error why a command ended before its verb started, and return its exit status."""
    console(stderr=True).print(problem_text(SiteError((), message, hint)), soft_wrap=True)
    return status


def _is_number(cell: object) -> bool:
    return cell == "" or isinstance(cell, int | float)


def operating_system_text(error: OSError) -> str:
    """Return an error of the operating system as one sentence."""
    reason = error.strerror or str(error) or type(error).__name__
    return f"{error.filename}: {reason}" if error.filename else reason


def console(*, stderr: bool) -> Console:
    """Return a console that respects NO_COLOR and does not fold what goes into a file or a pipe."""
    watched = (sys.stderr if stderr else sys.stdout).isatty()
    return Console(stderr=stderr, highlight=False, width=None if watched else WIDTH_OF_A_FILE)


def problem_record(error: SiteError) -> dict[str, object]:
    """Return one error of a site file as a program reads it."""
    place = error.place
    where = {} if place is None else {"file": shown_path(place.file), "line": place.line, "column": place.column}
    severity = "warning" if error.warning else "error"
    return {"severity": severity, "message": error.message, "hint": error.hint, "path": list(error.path), **where}
