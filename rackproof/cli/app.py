"""The command line: verbs are found in this package's modules, and every way to end has its exit status."""

import importlib
import os
import pkgutil
import tempfile
import traceback
from collections.abc import Sequence
from importlib.abc import InspectLoader
from pathlib import Path
from typing import Final

import typer

import rackproof.cli
from rackproof.cli.output import ExitStatus, stop_with

DEBUG_VARIABLE: Final = "RACKPROOF_DEBUG"

EPILOG: Final = """
Exit status: 0 done or no change, 1 the site differs or what was asked failed, 2 could not tell,
3 bad input or usage, 130 interrupted.

Start with `rackproof check metrum-h200`: a site is a folder of inventory/, or the path of a site file.
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
    except Exception as error:  # noqa: BLE001 the last place where a defect can still be told in one line
        return stop_with(ExitStatus.UNKNOWN, f"internal error: {one_line(error)}", where_details_are(error))
    return status or ExitStatus.DONE


def usage_hint(error: typer.TyperException) -> str:
    """Return the command that explains the one that was mistyped."""
    context = getattr(error, "ctx", None)
    return "" if context is None else f"`{context.command_path} --help` shows how"


def one_line(error: Exception) -> str:
    """Return kind and message of an exception on one line."""
    message = " ".join(str(error).split())
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def where_details_are(error: Exception) -> str:
    """Keep the traceback of a defect for its report, or raise it again where a developer asked to see it."""
    if os.environ.get(DEBUG_VARIABLE):
        raise error
    with tempfile.NamedTemporaryFile("w", prefix="rackproof-", suffix=".txt", delete=False, encoding="utf-8") as file:
        file.writelines(traceback.format_exception(error))
    return f"this is a defect of Rackproof; details: {Path(file.name)} ({DEBUG_VARIABLE}=1 shows them here)"


def verb_modules() -> list[str]:
    """Return the modules of this package that have a line ``verbs = ...``; the others are not imported to find out."""
    return [
        module.name
        for module in pkgutil.walk_packages(rackproof.cli.__path__, f"{rackproof.cli.__name__}.")
        if "\nverbs = " in source_of(module)
    ]


def source_of(module: pkgutil.ModuleInfo) -> str:
    """Return the text of a module."""
    spec = module.module_finder.find_spec(module.name, None)
    loader = None if spec is None else spec.loader
    return (loader.get_source(module.name) or "") if isinstance(loader, InspectLoader) else ""


def build_app() -> typer.Typer:
    """Return the command line with the verbs of every module; a module adds its own as ``verbs = typer.Typer()``."""
    commands = typer.Typer(
        name="rackproof",
        help="Declarative provisioning and acceptance of AI-factory sites, from a rack plan to a signed handover.",
        epilog=EPILOG,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="markdown",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for name in verb_modules():
        commands.add_typer(importlib.import_module(name).verbs)
    return commands
