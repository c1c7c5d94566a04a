"""The command line: built from the verbs of the rooms, with one exit status for each way to end."""

import importlib
import os
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import typer

from rackproof.cli.output import ExitStatus, stop_with

ROOMS: Final = ("plan", "deploy", "prove", "lab")
"""The packages that hold verbs, in the order of use."""

DEBUG_VARIABLE: Final = "RACKPROOF_DEBUG"

EPILOG: Final = """
Exit status: 0 done or no change, 1 the site differs or the command failed, 2 the result is unknown,
3 bad input or usage, 130 interrupted.

Start with `rackproof check metrum-h200`. A site is a folder of inventory/, or the path of a site file.
"""


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command (default: the process's own arguments) and return its exit status."""
    try:
        status: int | None = build_app()(args=arguments, prog_name="rackproof", standalone_mode=False)
    except typer.TyperException as error:
        message = error.format_message()  # empty where no verb was given: the help is shown then
        return stop_with(ExitStatus.BAD_INPUT, message, usage_hint(error)) if message else ExitStatus.BAD_INPUT
    except typer.Abort:
        return ExitStatus.INTERRUPTED
    except Exception as error:  # noqa: BLE001 the last place where a defect can still be reported in one line
        return stop_with(ExitStatus.UNKNOWN, f"internal error: {one_line(error)}", report_hint(error))
    return status or ExitStatus.DONE


def usage_hint(error: typer.TyperException) -> str:
    """Return the command that explains the one that was mistyped."""
    context = getattr(error, "ctx", None)
    return "" if context is None else f"`{context.command_path} --help` shows how"


def one_line(error: Exception) -> str:
    """Return kind and message of an exception on one line."""
    message = " ".join(str(error).split())
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def report_hint(error: Exception) -> str:
    """Write the traceback of a defect to a file and return where it is; with RACKPROOF_DEBUG, raise the error again."""
    if os.environ.get(DEBUG_VARIABLE):
        raise error
    with tempfile.NamedTemporaryFile("w", prefix="rackproof-", suffix=".txt", delete=False, encoding="utf-8") as file:
        file.writelines(traceback.format_exception(error))
    return f"this is a defect of Rackproof; details: {Path(file.name)} ({DEBUG_VARIABLE}=1 shows them here)"


def panels() -> Iterator[tuple[str, typer.Typer]]:
    """Yield every verb with the panel of the help that it stands in, in the order of use."""
    for name in ROOMS:
        room = importlib.import_module(f"rackproof.cli.{name}")
        for verb in room.VERBS:
            yield room.PANEL, importlib.import_module(f"{room.__name__}.{verb}").verbs


def build_app() -> typer.Typer:
    """Return the command line with the verbs of every room."""
    commands = typer.Typer(
        name="rackproof",
        help="Declarative provisioning and acceptance of AI-factory sites, from a rack plan to a signed handover.",
        epilog=EPILOG,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for panel, verbs in panels():
        for command in verbs.registered_commands:
            command.rich_help_panel = panel
        for group in verbs.registered_groups:
            group.rich_help_panel = panel
        commands.add_typer(verbs)
    return commands
