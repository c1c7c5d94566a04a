"""Rackproof as a person starts it: a process of its own, from the shell, timed."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Final

RACKPROOF: Final = Path(sys.executable).with_name("rackproof")


def command_s(*arguments: str | Path, says: str = "") -> float:
    """Run a command of Rackproof and return its wall time in seconds, the start of Python included.

    Parameters
    ----------
    arguments
        Verb, site and options.
    says
        What its output must hold for the time to mean something.

    Raises
    ------
    SystemExit
        It did not end with status 0, or did not say what it must. What it said is shown.
    """
    start = time.perf_counter()
    finished = subprocess.run([RACKPROOF, *arguments], capture_output=True, text=True, check=False)
    elapsed_s = time.perf_counter() - start
    if finished.returncode or says not in finished.stdout:
        command = " ".join(map(str, arguments))
        raise SystemExit(f"{finished.stdout}{finished.stderr}rackproof {command}: exit status {finished.returncode}")
    return elapsed_s
