"""Ends Ansible and removes the folders of its run when the process that started them has died.

A program of its own, which needs nothing but Python: ``python watchdog.py <folder> <folder in memory>``. It waits for
the end of its standard input, a pipe that only the deployment holds open, and then cleans up. A deployment that ends as
it should cleans up itself, and the watchdog finds nothing to do.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

PROCESS = "pid"
CONNECTIONS = "cp"
MARK = "ANSIBLE_HOME={folder}/"
"""In the environment of every process of a run: Ansible, its workers, and the connections that ssh keeps."""
LEAVE_S = 5.0
"""Longest to wait for a kept connection to end."""


def clean_up(folder: Path, *others: Path) -> None:
    """End everything that a run's folder knows of, and remove it and the others."""
    if (process := ansible_process(folder)) is not None:
        with contextlib.suppress(OSError):  # it has ended, as it should
            os.killpg(process, signal.SIGKILL)
    if (folder / CONNECTIONS).is_dir():
        end_connections(folder / CONNECTIONS)
    for number in run_processes(folder):
        with contextlib.suppress(OSError):
            os.kill(number, signal.SIGKILL)
    for one in (*others, folder):
        shutil.rmtree(one, ignore_errors=True)


def ansible_process(folder: Path) -> int | None:
    """Return Ansible's process, which leads its session; None: it has not begun."""
    with contextlib.suppress(OSError, ValueError):
        return int((folder / PROCESS).read_text(encoding="ascii"))
    return None


def end_connections(folder: Path) -> None:
    """End the connections that ssh keeps open for the next task (ssh(1): ``-O exit``)."""
    for socket in folder.iterdir():
        words = ["ssh", "-F", "none", "-o", f"ControlPath={socket}", "-O", "exit", "any"]
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(words, capture_output=True, timeout=LEAVE_S, check=False)  # noqa: S603 a path of ours


def run_processes(folder: Path) -> Iterator[int]:
    """Yield the processes that were started for a run, by their environment (proc_pid_environ(5))."""
    mark = MARK.format(folder=folder).encode()
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            variables = (entry / "environ").read_bytes().split(b"\0")
            if any(variable.startswith(mark) for variable in variables) and int(entry.name) != os.getpid():
                yield int(entry.name)


def watch(*folders: Path) -> None:
    """Wait until the deployment has ended, and clean up after it."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    while os.read(0, 1):
        pass
    clean_up(*folders)


if __name__ == "__main__":
    watch(*map(Path, sys.argv[1:]))
