"""The identity of this process for locks: number and start time, because numbers of ended processes are used again."""

import getpass
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

BOOT = Path("/proc/sys/kernel/random/boot_id")
START_FIELD = 19
"""Index of ``starttime`` behind the command name in /proc/<pid>/stat (proc_pid_stat(5): field 22)."""


@dataclass(frozen=True, slots=True)
class ProcessIdentity:
    """A process of a machine, as a lock names it."""

    owner: str
    """User and host: ``jan@laptop``."""
    machine: str
    """Boot and process namespace of the machine: equal only where process numbers mean the same."""
    process: int
    started: str
    """Start of the process in clock ticks since the boot; empty where the system does not say."""

    def has_ended(self) -> bool:
        """Whether this process is known to have ended; false for a process of another machine."""
        here = this_process()
        if (self.owner.rpartition("@")[2], self.machine) != (here.owner.rpartition("@")[2], here.machine):
            return False
        try:
            os.kill(self.process, 0)
        except ProcessLookupError:
            return True
        except (PermissionError, OverflowError):
            return False
        return process_start(self.process) != self.started


def this_process() -> ProcessIdentity:
    """Return the identity of this process."""
    number = os.getpid()
    return ProcessIdentity(f"{user_name()}@{os.uname().nodename}", machine_identity(), number, process_start(number))


def user_name() -> str:
    """Return the name of the user, or its number where the system has no name."""
    with suppress(KeyError, OSError):
        return getpass.getuser()
    return str(os.getuid())


def machine_identity() -> str:
    """Return boot and process namespace; empty where the system has neither."""
    with suppress(OSError):
        return f"{BOOT.read_text(encoding='ascii').strip()} {Path('/proc/self/ns/pid').readlink()}"
    return ""


def process_start(number: int) -> str:
    """Return when a process started, in clock ticks since the boot; empty where the system does not say."""
    with suppress(OSError):
        return Path(f"/proc/{number}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[START_FIELD]
    return ""
