"""The command line of Rackproof; ``rackproof.cli:app`` is its entry point.

A verb is a module with the verb's name in one of the rooms `plan`, `deploy`, `prove` and `lab`. The room's ``VERBS``
gives the order in which ``rackproof --help`` lists them; `app.py` builds the command line from the rooms. What several
rooms use (options, output, loading a plan) is here. A verb imports the heavy modules it needs inside its function, so
that every command starts fast.
"""

import gc
import sys
from typing import Final

COLLECTED_EVERY: Final = (200_000, 100, 100)
"""Thresholds of the garbage collector: new objects before a collection, then collections before the older generations.

A plan is made of millions of values that last and refer to each other one way only: looking through them again and
again, as Python does by default, took a third of the time of a large site and never found anything.
"""


def app() -> None:
    """Run the command line and leave with its exit status."""
    from rackproof.cli.app import run  # noqa: PLC0415 importing one module of this package needs no verbs
    from rackproof.cli.signals import end_as_by_ctrl_c  # noqa: PLC0415 likewise

    end_as_by_ctrl_c()
    gc.set_threshold(*COLLECTED_EVERY)
    sys.exit(run())
