"""A switch of the lab: power, clock, disk, systemd, users and a NOS."""

import asyncio
import uuid
from collections.abc import Callable, Coroutine
from typing import Literal, Protocol

from lab.spec.models import SwitchSpec
from lab.switches import nos
from lab.switches.clock import LabClock, SwitchClock
from lab.switches.fault_flags import FaultFlags
from lab.switches.file_system import FileSystem
from lab.switches.links import Links
from lab.switches.machine import Outcome
from lab.switches.shell import coreutils, system
from lab.switches.shell.engine import Shell
from lab.switches.systemd import Timer, Units

REBOOT_LAB_S = 120.0
"""Lab time from losing the connection to answering again."""
REBOOT_REAL_S = 0.05
"""Real time of the same."""
LOST_REAL_S = 0.05
"""Real time a switch that was lost after a change waits for its return timer."""


class Endpoint(Protocol):
    """The network endpoint of a switch."""

    async def open(self) -> None:
        """Accept connections."""
        ...

    def close(self) -> None:
        """Refuse connections."""
        ...


class LabSwitch:
    """One switch. Everything runs on one event loop."""

    def __init__(self, spec: SwitchSpec, clock: LabClock, links: Links, password: str) -> None:
        self.spec = spec
        self.clock = SwitchClock(clock)
        self.links = links
        self.fault_flags = FaultFlags()
        self.user = nos.default_user(spec.nos)
        self.passwords = {self.user: password}
        self.authorized_keys: set[str] = set()
        self.files = FileSystem(self.home)
        self.units = Units(self.files, self.clock, self._run_service)
        self.power: Literal["up", "booting", "off"] = "off"
        self.boot_id = ""
        self.booted_at = 0.0
        self.endpoint: Endpoint | None = None
        self.booted = asyncio.Event()
        """Set by the next boot, and then replaced."""
        self.sessions: dict[object, Callable[[], None]] = {}
        self._lines_while_armed = 0
        self._wake: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self.nos, programs = nos.create(self)
        self.shell = Shell(self, {**coreutils.PROGRAMS, **system.PROGRAMS, **programs})
        self.nos.install()
        clock.on_change(self.watch_timers)

    @property
    def home(self) -> str:
        """Folder of the switch's own account."""
        return f"/home/{self.user}"

    @property
    def host_name(self) -> str:
        """Configured host name."""
        return self.nos.host_name

    async def run(self, line: str, *, root: bool = False) -> Outcome:
        """Run a command line in the shell."""
        return await self.shell.run(line, root=root)

    # --- power ------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Boot and answer."""
        self.boot_id = str(uuid.uuid4())
        self.booted_at = self.clock.now()
        self.files.clear_at_boot()
        self.nos.boot()
        self.units.boot()
        if self.endpoint is not None:
            await self.endpoint.open()
        self.power = "up"
        self.configuration_changed()
        booted, self.booted = self.booted, asyncio.Event()
        booted.set()
        self.watch_timers()

    def power_off(self) -> None:
        """Lose power: drop every session and refuse connections."""
        self.power = "off"
        self.configuration_changed()
        self._go_silent()

    def reboot(self) -> None:
        """Restart: sessions drop, the switch answers again after a while with its startup configuration."""
        if self.power != "up":
            return
        self.power = "booting"
        self.configuration_changed()
        self._go_silent()
        self.clock.pass_time(REBOOT_LAB_S)
        self._spawn(self._come_back())

    async def _come_back(self) -> None:
        await asyncio.sleep(REBOOT_REAL_S)
        if self.power == "booting":
            await self.start()

    def _go_silent(self) -> None:
        if self._wake is not None:
            self._wake.cancel()
        if self.endpoint is not None:
            self.endpoint.close()
        for drop in tuple(self.sessions.values()):
            drop()
        self.sessions.clear()

    # --- timers -----------------------------------------------------------------------------------------------

    def watch_timers(self) -> None:
        """Fire the timers that are due, and schedule the next."""
        if self._wake is not None:
            self._wake.cancel()
            self._wake = None
        if self.power != "up":
            return
        for timer in self.units.due():
            self._spawn(self._fire(timer))
        due = self.units.next_due()
        if due is not None:
            delay = max(0.0, due - self.clock.now())
            self._wake = asyncio.get_running_loop().call_later(delay, self.watch_timers)

    async def _fire(self, timer: Timer) -> None:
        was_lost = self.fault_flags.lost_after_lines is not None
        self._lines_while_armed = 0
        self.fault_flags.lost_after_lines = None
        await self.units.start_service(timer.service)
        if was_lost and self.power == "up" and self.endpoint is not None:
            await self.endpoint.open()

    async def _run_service(self, lines: tuple[str, ...]) -> bool:
        for line in lines:
            outcome = await self.shell.run(line.lstrip("-"), root=True)
            if outcome.status and not line.startswith("-"):
                return False
        return True

    def _spawn(self, work: Coroutine[object, object, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def configuration_changed(self) -> None:
        """Note that the configuration or the power of the switch changed."""
        self.links.changed(self.spec.name)

    # --- sessions ---------------------------------------------------------------------------------------------

    def note_change(self) -> None:
        """Count a change; with the fault set, the switch is lost after it, once the session ends."""
        self._lines_while_armed = self._lines_while_armed + 1 if self.units.armed else 0

    @property
    def lost(self) -> bool:
        """Whether the switch cannot be reached because of its last change."""
        limit = self.fault_flags.lost_after_lines
        return limit is not None and self._lines_while_armed >= limit and bool(self.units.armed)

    async def restore_reachability(self) -> None:
        """Make a lost switch reachable again."""
        was_lost, self.fault_flags.lost_after_lines = self.lost, None
        if was_lost and self.power == "up" and self.endpoint is not None:
            await self.endpoint.open()

    def wait_for_return(self) -> None:
        """Be unreachable until the return timer fires: soon in real time, or with the fault's ``hold`` in lab time."""
        self._go_silent()
        if self.fault_flags.lost_in_lab_time:
            self.watch_timers()
            return
        due = self.units.next_due()
        if due is not None:
            self.clock.pass_time(max(0.0, due - self.clock.now()))
        self._wake = asyncio.get_running_loop().call_later(LOST_REAL_S, self.watch_timers)

    def special_file(self, path: str) -> str | None:
        """Return the text of a file in /proc, or None."""
        if path == "/proc/sys/kernel/random/boot_id":
            return f"{self.boot_id}\n"
        if path == "/proc/uptime":
            seconds = self.clock.now() - self.booted_at
            return f"{seconds:.2f} {seconds:.2f}\n"
        return None
