"""What a NOS and the programs of the shell use of the switch that they run on; ``LabSwitch`` is the only machine."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from lab.spec.models import SwitchSpec
from lab.switches.clock import SwitchClock
from lab.switches.fault_flags import FaultFlags
from lab.switches.file_system import FileSystem
from lab.switches.links import Links
from lab.switches.systemd import Units


@dataclass(frozen=True, slots=True)
class Outcome:
    """Exit status and output of a command line."""

    status: int
    out: str
    error: str


class Machine(Protocol):
    """Hardware, Linux and faults of one switch."""

    spec: SwitchSpec
    clock: SwitchClock
    links: Links
    fault_flags: FaultFlags
    user: str
    passwords: dict[str, str]
    files: FileSystem
    units: Units
    booted_at: float
    sessions: dict[object, Callable[[], None]]

    @property
    def home(self) -> str:
        """Home folder of the switch's own account."""
        ...

    @property
    def host_name(self) -> str:
        """Configured host name."""
        ...

    def reboot(self) -> None:
        """Drop all sessions and restart with the startup configuration."""
        ...

    def watch_timers(self) -> None:
        """Fire the timers that are due, and wake up for the next one."""
        ...

    def configuration_changed(self) -> None:
        """Note that another configuration is in force."""
        ...

    def note_change(self) -> None:
        """Note that a configuration line was typed."""
        ...

    def special_file(self, path: str) -> str | None:
        """Return the text of a file of the kernel (/proc), or None."""
        ...

    async def run(self, line: str, *, root: bool = False) -> Outcome:
        """Run a command line in the shell."""
        ...
