"""Runs a command of Rackproof in a process of its own, as from a shell, and times it."""

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
        Text that its output must contain; without it the time is not valid.

    Raises
    ------
    SystemExit
        It did not end with status 0, or its output lacks the text. The output is shown.
    """
    start = time.perf_counter()
    finished = subprocess.run([RACKPROOF, *arguments], capture_output=True, text=True, check=False)
    elapsed_s = time.perf_counter() - start
    if finished.returncode or says not in finished.stdout:
        command = " ".join(map(str, arguments))
        raise SystemExit(f"{finished.stdout}{finished.stderr}rackproof {command}: exit status {finished.returncode}")
    return elapsed_s
