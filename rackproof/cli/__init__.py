"""The command line of Rackproof; ``rackproof.cli:app`` is its entry point.

Each module that has a variable ``verbs`` (a ``typer.Typer``) adds its verbs; nothing else lists them. What a verb
needs beyond this package it imports when it runs, so that a command starts fast.
"""

import gc
import sys
from typing import Final

COLLECTED_EVERY: Final = (200_000, 100, 100)
"""Objects made until garbage is looked for, then collections until it is among those that have lasted.

A plan is made of millions of values that last and refer to each other one way only: looking through them again and
again, as Python does by default, took a third of the time of a large site and never found anything.
"""


def app() -> None:
    """Run the command line and leave with its exit status."""
    from rackproof.cli.app import run  # noqa: PLC0415 whoever imports one module of this package needs no verbs

    gc.set_threshold(*COLLECTED_EVERY)
    sys.exit(run())
