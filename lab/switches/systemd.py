"""systemd of a lab switch, as far as timers go: units are files, an enabled timer survives a reboot.

Behaviour follows systemd.timer(5): ``OnCalendar=`` with an absolute UTC time, ``Persistent=`` with its stamp file,
which makes a timer whose time has passed while the machine was down fire as soon as it is started again.
"""

import posixpath
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from lab.switches.clock import SwitchClock
from lab.switches.file_system import FileSystem, FileSystemError

UNIT_FOLDER = "/etc/systemd/system"
WANTS_FOLDER = f"{UNIT_FOLDER}/timers.target.wants"
STAMP_FOLDER = "/var/lib/systemd/timers"
TIME_FORMAT = "%Y-%m-%d %H:%M:%S UTC"

RunService = Callable[[tuple[str, ...]], Awaitable[bool]]
"""Runs the ``ExecStart=`` lines of a service as root; false when one failed."""


class UnitError(Exception):
    """An error of systemctl; its text is what it prints."""


@dataclass(frozen=True, slots=True)
class Timer:
    """A timer unit as systemd has loaded it."""

    name: str
    due: float
    persistent: bool
    service: str
    started: float
    """Start time: a timer that is not persistent ignores due times before it."""


def parse_unit(text: str) -> dict[str, list[str]]:
    """Return the assignments of a unit file, by key; a key may stand several times."""
    values: dict[str, list[str]] = {}
    for line in text.splitlines():
        key, separator, value = line.strip().partition("=")
        if separator and not key.startswith(("#", ";")):
            values.setdefault(key.strip(), []).append(value.strip())
    return values


class Units:
    """The units of one switch."""

    def __init__(self, files: FileSystem, clock: SwitchClock, run_service: RunService) -> None:
        self._files = files
        self._clock = clock
        self._run_service = run_service
        self._active: dict[str, Timer] = {}
        self._transient: dict[str, tuple[str, ...]] = {}
        """Services without a file: their commands."""
        for folder in (UNIT_FOLDER, STAMP_FOLDER):
            files.make_folder(folder, parents=True)

    # --- systemctl -------------------------------------------------------------------------------------------

    def reload(self) -> None:
        """Read the files of active timers again."""
        for name in tuple(self._active):
            if self._files.is_file(f"{UNIT_FOLDER}/{name}"):
                self._active[name] = self._load(name)

    def enable(self, name: str) -> None:
        """Let a timer be started at every boot.

        Raises
        ------
        UnitError
            There is no such unit, or it cannot be enabled.
        """
        text = self._text(name)
        if "WantedBy" not in parse_unit(text):
            raise UnitError(f"The unit files have no installation config: {name}")
        self._files.make_folder(WANTS_FOLDER, parents=True)
        self._files.write(f"{WANTS_FOLDER}/{name}", f"{UNIT_FOLDER}/{name}")
        self.reload()

    def disable(self, name: str) -> None:
        """Do not start a timer at boot; an active timer stays active."""
        if self.is_enabled(name):
            self._files.remove(f"{WANTS_FOLDER}/{name}")

    def is_enabled(self, name: str) -> bool:
        """Return whether the timer is started at every boot."""
        return self._files.is_file(f"{WANTS_FOLDER}/{name}")

    def start(self, name: str) -> None:
        """Start a timer: from now on it waits for its time.

        Raises
        ------
        UnitError
            There is no such timer, or its file makes no sense.
        """
        timer = self._load(name)
        if timer.persistent and not self._files.is_file(self._stamp_path(name)):
            self._stamp(name)
        self._active[name] = timer

    def run_at(self, due: float, name: str, commands: tuple[str, ...]) -> None:
        """Run commands as root at a time, as systemd-run does: the timer has no file, and a restart forgets it.

        Parameters
        ----------
        due
            Seconds since 1970 on the switch's clock.
        name
            Of the timer, without ``.timer``.
        commands
            Command lines of the switch's shell.
        """
        self._transient[f"{name}.service"] = commands
        self._active[f"{name}.timer"] = Timer(
            f"{name}.timer", due, persistent=False, service=f"{name}.service", started=self._clock.now()
        )

    def stop(self, name: str) -> None:
        """Stop a timer: it does not fire."""
        self._active.pop(name, None)

    def is_active(self, name: str) -> bool:
        """Return whether the timer waits for its time."""
        return name in self._active

    async def start_service(self, name: str) -> bool:
        """Run a service; return whether all its commands succeeded.

        Raises
        ------
        UnitError
            There is no such service.
        """
        if name in self._transient:
            return await self._run_service(self._transient.pop(name))
        return await self._run_service(tuple(parse_unit(self._text(name)).get("ExecStart", ())))

    # --- time -------------------------------------------------------------------------------------------------

    def boot(self) -> None:
        """Stop all units and start the enabled ones."""
        self._active.clear()
        self._transient.clear()
        if self._files.is_folder(WANTS_FOLDER):
            for name in self._files.names(WANTS_FOLDER):
                if self._files.is_file(f"{UNIT_FOLDER}/{name}"):
                    self.start(name)

    def due(self) -> tuple[Timer, ...]:
        """Return the timers that are due, and mark them as fired."""
        now = self._clock.now()
        fired = tuple(timer for timer in self._active.values() if self._since(timer) < timer.due <= now)
        for timer in fired:
            if timer.persistent:
                self._stamp(timer.name)
            del self._active[timer.name]
        return fired

    def next_due(self) -> float | None:
        """Return when the next timer fires, or None."""
        times = [timer.due for timer in self._active.values() if timer.due > self._since(timer)]
        return min(times, default=None)

    @property
    def armed(self) -> tuple[Timer, ...]:
        """The timers that wait for their time."""
        return tuple(self._active.values())

    # --- files ------------------------------------------------------------------------------------------------

    def _since(self, timer: Timer) -> float:
        path = self._stamp_path(timer.name)
        if timer.persistent and self._files.is_file(path):
            return float(self._files.read(path))
        return timer.started

    def _stamp(self, name: str) -> None:
        try:
            self._files.write(self._stamp_path(name), f"{self._clock.now():.3f}")
        except FileSystemError:
            return  # a full disk keeps no stamp; systemd logs it and goes on

    @staticmethod
    def _stamp_path(name: str) -> str:
        return posixpath.join(STAMP_FOLDER, f"stamp-{name}")

    def _text(self, name: str) -> str:
        try:
            return self._files.read(f"{UNIT_FOLDER}/{name}")
        except FileSystemError as error:
            raise UnitError(f"Unit {name} could not be found.") from error

    def _load(self, name: str) -> Timer:
        values = parse_unit(self._text(name))
        stated = values.get("OnCalendar", [""])[-1]
        try:
            due = datetime.strptime(stated, TIME_FORMAT).replace(tzinfo=UTC).timestamp()
        except ValueError as error:
            raise UnitError(f"Failed to parse calendar specification: {stated}") from error
        service = values.get("Unit", [name.removesuffix(".timer") + ".service"])[-1]
        persistent = values.get("Persistent", ["false"])[-1] in {"true", "yes", "1", "on"}
        return Timer(name, due, persistent, service, self._clock.now())
