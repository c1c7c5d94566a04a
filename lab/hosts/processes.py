"""Finds and ends the QEMU processes of a lab's hosts, also after the process that started them has ended."""

import os
import select
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from lab.hosts.qemu import LOG, PROGRAM

_PROC: Final = Path("/proc")
_END_S: Final = 5.0


def process_ids(folder: Path) -> tuple[int, ...]:
    """Return the process IDs of the hosts whose files lie below a folder.

    Every host names the log in its folder on its command line. So no PID file is needed, which could be stale or
    missing after a crash.
    """
    return tuple(number for number in _numbers() if _belongs(number, folder))


def end_processes(folder: Path) -> int:
    """End all hosts whose files lie below a folder, wait for their end, and return their number."""
    ended = 0
    for number in process_ids(folder):
        with suppress(ProcessLookupError):
            handle = os.pidfd_open(number)
            try:
                ended += _belongs(number, folder) and _end(handle)
            finally:
                os.close(handle)
        with suppress(ChildProcessError):
            os.waitpid(number, os.WNOHANG)
    return ended


def _end(handle: int) -> bool:
    """Kill the process: the disk of the host is removed with the lab."""
    signal.pidfd_send_signal(handle, signal.SIGKILL)
    select.select([handle], [], [], _END_S)
    return True


def _numbers() -> Iterator[int]:
    yield from (int(entry.name) for entry in _PROC.iterdir() if entry.name.isdecimal())


def _belongs(number: int, folder: Path) -> bool:
    try:
        words = (_PROC / str(number) / "cmdline").read_bytes().split(b"\0")
    except (FileNotFoundError, ProcessLookupError):
        return False
    program, arguments = words[0].rpartition(b"/")[2], words[1:]
    below = os.fsencode(f"{folder.resolve()}/")
    return program == PROGRAM.encode() and any(
        word.startswith(below) and word.endswith(f"/{LOG}".encode()) for word in arguments
    )
