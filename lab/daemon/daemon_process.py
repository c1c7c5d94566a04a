"""Starts and ends the daemon's process; waits on conditions, never on time alone."""

import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from lab.daemon.daemon import FAILED, READY
from lab.errors import LabError
from lab.folder import LabFolder
from rackproof.paths import ROOT

SAYS_SOMETHING_S = 60.0
"""Enough for a lab of switches."""
HOSTS_S = 1000.0
"""A host may boot and then be restored; see lab.hosts.virtual_machine."""
END_TIMEOUT_S = 20.0
"""Daemons of a fabric may take a few seconds each to clean up."""
DYING_S = 0.5
_MODULE = "lab.daemon.daemon"


def start(folder: LabFolder, report: Callable[[str], None]) -> int:
    """Start the daemon in a session of its own; return its process number once every switch and host answers.

    Parameters
    ----------
    folder
        The lab's files.
    report
        Takes a line about what the daemon is doing.

    Raises
    ------
    LabError
        It ended, or took too long.
    """
    reader, writer = os.pipe()
    try:
        with folder.log.open("ab") as log:
            process = subprocess.Popen(  # noqa: S603 our own module
                [sys.executable, "-m", _MODULE, str(folder.path.resolve()), str(writer)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                pass_fds=(writer,),
                cwd=ROOT,
            )
        os.close(writer)
        folder.process_id.write_text(f"{process.pid}\n", "utf-8")
        said = _until_ready(reader, report, HOSTS_S if folder.hosts_description.exists() else SAYS_SOMETHING_S)
    finally:
        os.close(reader)
    if said != READY:
        process.kill()
        process.wait()
        reason = f": {said.removeprefix(FAILED)}" if said.startswith(FAILED) else ""
        raise LabError(f"the lab did not start{reason}", f"see {folder.log}")
    process.returncode = 0  # it lives on without us: nothing to wait for when this object goes
    return process.pid


def _until_ready(reader: int, report: Callable[[str], None], timeout_s: float) -> str:
    """Report the daemon's lines until it is ready, fails, ends or is silent for too long; return the last line."""
    text = ""
    while select.select([reader], [], [], timeout_s)[0] and (chunk := os.read(reader, 4096)):
        *lines, text = (text + chunk.decode()).split("\n")
        for line in lines:
            if line == READY or line.startswith(FAILED):
                return line
            report(line)
    return text


def running(folder: LabFolder) -> int | None:
    """Return the process number of the lab's daemon, or None when it is not running."""
    try:
        number = int(folder.process_id.read_text("utf-8"))
        command = Path(f"/proc/{number}/cmdline").read_bytes().split(b"\0")
    except (FileNotFoundError, ProcessLookupError, ValueError):
        return None
    ours = _MODULE.encode() in command and str(folder.path.resolve()).encode() in command
    return number if ours else None


def gone(folder: LabFolder) -> bool:
    """Return whether the daemon has ended; wait for one that is ending."""
    number = running(folder)
    if number is None:
        return True
    try:
        handle = os.pidfd_open(number)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], DYING_S)[0])
    finally:
        os.close(handle)


def end(folder: LabFolder) -> bool:
    """End the daemon and wait until it is gone; return whether there was one."""
    number = running(folder)
    if number is None:
        return False
    try:
        handle = os.pidfd_open(number)
    except ProcessLookupError:
        return True
    try:
        for how in (signal.SIGTERM, signal.SIGKILL):
            signal.pidfd_send_signal(handle, how)
            if select.select([handle], [], [], END_TIMEOUT_S)[0]:
                break
    except ProcessLookupError:
        return True
    finally:
        os.close(handle)
        _reap(number)
    return True


def _reap(number: int) -> None:
    """Reap the daemon when this process started it."""
    with suppress(ChildProcessError):
        os.waitpid(number, os.WNOHANG)
