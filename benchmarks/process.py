"""Runs a command with all its child processes and measures wall time, processor time and memory."""

from __future__ import annotations

import pathlib
import resource
import subprocess
import time
from contextlib import suppress
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks.command import RACKPROOF

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SAMPLED_EVERY_S: Final = 0.5
KIB: Final = 1024


class Measured(NamedTuple):
    """Resources that a command used."""

    wall_s: float
    cpu_s: float
    """User and system time of the command and of its children."""
    peak_mib: float
    """Most memory of the command and its children at one sample; shared pages count once."""


def measured(*arguments: str | Path) -> Measured:
    """Run a command of Rackproof and measure it (Linux only).

    Raises
    ------
    SystemExit
        It did not end with status 0. Its output is shown.
    """
    return measured_command((str(RACKPROOF), *map(str, arguments)))


def measured_command(command: Sequence[str], status: int = 0, says: str = "") -> Measured:
    """Run a command and measure it (Linux only).

    Parameters
    ----------
    command
        Program and arguments.
    status, says
        Exit status and text of the output that make the figures valid.

    Raises
    ------
    SystemExit
        Status or output differ. The output is shown.
    """
    before, start = _cpu_s(), time.perf_counter()
    with TemporaryFile("w+", encoding="utf-8") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output)
        peak_kib = _watch(process)
        wall_s = time.perf_counter() - start
        output.seek(0)
        text = output.read()
        if process.returncode != status or says not in text or (says and " failed" in text):
            raise SystemExit(f"{text}{' '.join(command[:4])} ...: exit status {process.returncode}")
    return Measured(wall_s, _cpu_s() - before, peak_kib / KIB)


def _cpu_s() -> float:
    """Return the processor time of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _watch(process: subprocess.Popen[bytes]) -> int:
    """Wait for a process and return the most memory of it and its children at one sample, in KiB."""
    peak_kib = 0
    while process.poll() is None:
        peak_kib = max(peak_kib, _memory_kib(process.pid))
        with suppress(subprocess.TimeoutExpired):
            process.wait(SAMPLED_EVERY_S)
    return peak_kib


def _memory_kib(pid: int) -> int:
    """Return the proportional set size of a process and its children; 0 for a process that has ended."""
    place = pathlib.Path(f"/proc/{pid}")
    try:
        lines = (place / "smaps_rollup").read_text(encoding="ascii").splitlines()
        children = (place / "task" / str(pid) / "children").read_text(encoding="ascii").split()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    own_kib = next((int(line.split()[1]) for line in lines if line.startswith("Pss:")), 0)
    return own_kib + sum(_memory_kib(int(child)) for child in children)
