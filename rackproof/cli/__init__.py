"""The command line of Rackproof; ``rackproof.cli:app`` is its entry point.

Each module that has a variable ``verbs`` (a ``typer.Typer``) adds its verbs; nothing else lists them. What a verb
needs beyond this package it imports when it runs, so that a command starts fast.
"""

import sys


def app() -> None:
    """Run the command line and leave with its exit status."""
    from rackproof.cli.app import run  # noqa: PLC0415 whoever imports one module of this package needs no verbs

    sys.exit(run())
