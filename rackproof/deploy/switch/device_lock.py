"""The lock of deployments on a switch: a file outside its configuration, so that two checkouts see each other.

The lock names its owner, its site and when it expires by the switch's clock. It is written, replaced and removed while
flock(1) holds its folder, so that two takers cannot both have it. A lock that has expired, or whose process has ended,
is cleared, and the deployment says so.
"""

import json
import secrets
import shlex
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Final

from rackproof.connect.errors import CommandError, UnreachableError
from rackproof.deploy.errors import RefusedError
from rackproof.deploy.process_identity import ProcessIdentity, this_process

CLOCK: Final = "date -u +%s"
"""Prints the switch's time in seconds since 1970."""
FLOCK_S: Final = 10
"""How long flock(1) waits; the lock is held for milliseconds."""
UNREADABLE: Final = "a lock that cannot be read"

Shell = Callable[[str], Awaitable[str]]

_held: set[str] = set()
"""Tokens of the locks that this process holds."""


@dataclass(frozen=True, slots=True)
class LockPlace:
    """Where the lock lies on a NOS."""

    folder: str
    name: str
    as_root: bool

    @property
    def file(self) -> str:
        """Path of the lock."""
        return f"{self.folder}/{self.name}"


@dataclass(frozen=True, slots=True)
class Lock:
    """The content of a lock."""

    token: str
    holder: ProcessIdentity
    site: str
    since: int
    expires: int
    """Both in seconds since 1970 on the switch's clock."""
    changing: bool = False
    """Whether its owner had begun to change the switch, so that pending changes are its own."""

    @property
    def text(self) -> str:
        """Whose lock it is, in words."""
        site = f" for site {self.site}" if self.site else ""
        return f"{self.holder.owner} (process {self.holder.process}{site}) since {clock_text(self.since)}"

    def stale_because(self, now: int) -> str:
        """Return why the lock no longer holds; empty: it holds."""
        if now >= self.expires:
            return "has expired"
        own = (self.holder, self.token in _held) == (this_process(), False)
        return "belongs to a process that has ended" if own or self.holder.has_ended() else ""


class DeviceLock:
    """The lock of one deployment on one switch.

    Parameters
    ----------
    shell
        Runs a command of the switch's shell; raises CommandError or UnreachableError.
    place
        Where the lock lies.
    device, site
        Names of the switch and of the site.
    lasts_s
        Seconds until the lock expires, from its last renewal.
    """

    def __init__(self, shell: Shell, place: LockPlace, device: str, site: str, lasts_s: float) -> None:
        self._shell = shell
        self._place = place
        self._device = device
        self._lasts_s = int(lasts_s)
        self._lock = Lock(secrets.token_hex(8), this_process(), site, 0, 0)
        self.cleared = ""
        """The stale lock that was cleared, as a sentence without a full stop; empty: there was none."""
        self.took_over_changes = False
        """Whether the owner of the cleared lock had begun to change the switch."""

    async def acquire(self) -> None:
        """Take the lock.

        Raises
        ------
        RefusedError
            Another deployment holds it, or it cannot be written.
        UnreachableError
            The switch does not answer.
        """
        try:
            now, digest, text = await self._read()
            self._lock = replace(self._lock, since=now, expires=now + self._lasts_s)
            _held.add(self._lock.token)
            await self._take(now, digest, text)
        except CommandError as error:
            self.forget()
            cause = f"not touched, because its lock cannot be taken: {error.cause}"
            raise RefusedError(self._device, cause, error.hint) from error
        except BaseException:
            self.forget()
            raise

    async def renew(self) -> None:
        """Move the time at which the lock expires, and record that this deployment has begun to change the switch.

        Raises
        ------
        CommandError
            The lock is gone: another deployment took it.
        UnreachableError
            The switch does not answer.
        """
        now = int(await self._shell(CLOCK))
        self._lock = replace(self._lock, expires=now + self._lasts_s, changing=True)
        file = self._place.file
        written = await self._guarded(f"grep -q {self._lock.token} {file} && {self._write()} && cat {file} || true")
        if self._lock.token not in written:
            raise CommandError("the lock of this deployment on the switch is gone", "does another one change it?")

    async def release(self) -> None:
        """Remove the lock if it is ours; a switch that does not answer keeps it until it expires."""
        file = self._place.file
        with suppress(CommandError, UnreachableError):
            await self._guarded(f"grep -q {self._lock.token} {file} && rm -f {file} || true")
        self.forget()

    def forget(self) -> None:
        """Note that this process no longer holds the lock."""
        _held.discard(self._lock.token)

    async def _read(self) -> tuple[int, str, str]:
        """Return the switch's clock, and digest and text of the lock there is; empty: none."""
        file = self._place.file
        command = f"{CLOCK} && sh -c 'sha256sum {file} 2>/dev/null && cat {file} 2>/dev/null || true'"
        now, _, rest = (await self._shell(command)).partition("\n")
        line, _, text = rest.partition("\n")
        return int(now), line.partition(" ")[0], text.strip()

    async def _take(self, now: int, digest: str, text: str) -> None:
        """Write the lock where there is none or a stale one; raises RefusedError and CommandError."""
        there = lock_from(text)
        reason = there.stale_because(now) if there else "cannot be read"
        if there and not reason:
            raise self._refused(there)
        if digest:
            self.cleared = f"cleared the lock of {there.text}, which {reason}" if there else f"cleared {UNREADABLE}"
            self.took_over_changes = there is None or there.changing
        file = self._place.file
        clear = f"sha256sum {file} | grep -q {digest} && rm -f {file}; " if digest.isalnum() else ""
        room = f"sh -c 'test -s {file} || rm -f {file}; false'"
        script = f"{clear}test -e {file} || {self._write()} && cat {file} || {room}"
        written = lock_from((await self._guarded(script)).strip())
        if written is None or written.token != self._lock.token:
            raise self._refused(written)

    def _write(self) -> str:
        """Return the command that writes the lock."""
        content = json.dumps(asdict(self._lock), separators=(",", ":"))
        return f"printf '%s\\n' {shlex.quote(content)} > {self._place.file}"

    async def _guarded(self, script: str) -> str:
        """Run a script while flock(1) holds the lock's folder (flock(1): a file or a directory)."""
        sudo = "sudo " if self._place.as_root else ""
        return await self._shell(f"{sudo}flock -w {FLOCK_S} {self._place.folder} sh -c {shlex.quote(script)}")

    def _refused(self, there: Lock | None) -> RefusedError:
        whose = there.text if there else UNREADABLE
        until = f"; its lock expires at {clock_text(there.expires)}" if there else ""
        hint = (
            f"wait until that deployment has ended{until}; where its process no longer exists, "
            f"remove {self._place.file} on the switch"
        )
        return RefusedError(self._device, f"not touched, because another deployment changes it: {whose}", hint)


@asynccontextmanager
async def holding(lock: DeviceLock) -> AsyncIterator[DeviceLock]:
    """Hold the lock of a switch, and release it however the work ends; raises as `DeviceLock.acquire`."""
    await lock.acquire()
    try:
        yield lock
    finally:
        await lock.release()


def lock_from(text: str) -> Lock | None:
    """Return the lock that a text describes; None: it describes none."""
    try:
        held = json.loads(text)
        holder = ProcessIdentity(**held.pop("holder"))
        lock = Lock(holder=holder, **held)
        sound = all(isinstance(one, int) for one in (lock.since, lock.expires, holder.process))
        return lock if sound and lock.token.isalnum() else None
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def clock_text(epoch_s: int) -> str:
    """Return a time of the switch's clock: ``2026-11-20 23:45:00 UTC``."""
    return datetime.fromtimestamp(epoch_s, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
