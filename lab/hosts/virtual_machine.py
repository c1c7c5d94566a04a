"""A host of a running lab: its QEMU process, power and login."""

import asyncio
import os
import re
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal, Protocol, TypeVar

import asyncssh

from lab.errors import LabError
from lab.hosts import identity, processes, snapshots
from lab.hosts.identity import Identity
from lab.hosts.image import Image, Report
from lab.hosts.machine import HostSpec
from lab.hosts.qemu import CONTROL, LOG, SNAPSHOT, Start, command, device_id, write_slots
from lab.hosts.qmp import Qmp
from lab.spec.models import LabEnd

T = TypeVar("T")
Power = Literal["up", "booting", "hung", "off"]


class Wires(Protocol):
    """The wires from hosts to switches."""

    def open_tap(self, end: LabEnd) -> int:
        """Return a file descriptor for the wire of a host's port; the caller closes it."""
        ...

    def host_link_is_up(self, end: LabEnd) -> bool:
        """Return whether the link of a host's port is up."""
        ...


BOOT_S: Final = 600.0
"""Four hosts booted in 73 s on two idle processors; with another lab at work there, three took 290 s."""
RESTORE_S: Final = 60.0
_ANSWER_S: Final = 60.0
_CONTROL_S: Final = 10.0
_SETTLE: Final = """systemctl is-system-running --wait >/dev/null || true
sync
"""
"""Wait until all services have started, before the snapshot."""
_ADMIN_STATES: Final = "ip -o link; exec ip -o monitor link"
_ADMIN_STATE: Final = re.compile(r"<(?P<flags>[^>]*)>.*? link/ether (?P<mac>\S+)(?:.* permaddr (?P<own>\S+))?")
"""A port in the output of ip-link(8); a member of a bond has the bond's address, and its own as permaddr."""
_FORWARD: Final = re.compile(r"TCP\[HOST_FORWARD\]\s+\d+\s+127\.0\.0\.1\s+(\d+)")


class VirtualMachine:
    """A host as a virtual machine. Its folder is removed with the lab."""

    def __init__(self, spec: HostSpec, folder: Path, image: Image, wires: Wires, user_key: Path) -> None:
        self.spec = spec
        self.folder = folder
        self.power: Power = "off"
        self.port = 0
        """Loopback port of its SSH server; constant while the lab runs."""
        self.identity = Identity(
            spec.name,
            asyncssh.generate_private_key("ssh-ed25519"),
            identity.public_text(asyncssh.read_private_key(user_key)),
        )
        self._answers_with = self.identity.public_host_key
        self.on_boot: Callable[[], object] = lambda: None
        """Called at every boot after the first."""
        self.qmp: Qmp | None = None
        self._image = image
        self._wires = wires
        self._user_key = user_key

    # --- power ------------------------------------------------------------------------------------------------------

    async def start(self, report: Report) -> None:
        """Start the host with its own name and keys; without a snapshot it boots once to create one.

        Raises
        ------
        LabError
            It does not start.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        booted = snapshots.snapshot(self._image, self.spec)
        if not booted.is_file():
            report(f"{self.spec.name}: boots, once for all labs with such a host")
            await self._prepare(booted)
        await asyncio.to_thread(snapshots.take_disk, booted, self.folder)
        await self._launch(restore=True)
        await self._named(identity.install(self.identity, self._image, self.port, RESTORE_S))
        await self.answers(RESTORE_S)
        if self.spec.setup:
            await self.run(self.spec.setup)

    async def boot(self) -> None:
        """Power on: the host boots from its disk.

        Raises
        ------
        LabError
            It does not boot.
        """
        await self._launch(restore=False)
        self.on_boot()
        await self.answers(BOOT_S)

    async def rebuild(self, spec: HostSpec) -> None:
        """Power off, change the hardware, and boot.

        Raises
        ------
        LabError
            It does not boot.
        """
        await self.off()
        self.spec = spec
        await self.boot()

    async def answers(self, timeout_s: float) -> None:
        """Wait until the host accepts a login.

        Raises
        ------
        LabError
            It did not in time.
        """
        self.power = "booting"
        (await self._connected(timeout_s)).close()
        self.power = "up"

    async def run(self, script: str) -> str:
        """Run a script as root and return what it printed.

        Raises
        ------
        LabError
            The host does not answer, or the script failed.
        """
        connection = await self._connected(_ANSWER_S)
        try:
            return await self._named(identity.run_script(connection, script))
        finally:
            connection.close()

    async def set_link(self, end: LabEnd, *, up: bool) -> None:
        """Set the link of a port; nothing happens when the host is off or has lost the port.

        Raises
        ------
        LabError
            QEMU refuses it.
        """
        if self.qmp is not None and any(nic.end == end for nic in self.spec.nics):
            await self.qmp.execute("set_link", name=device_id(self.spec.nic(end.port)), up=up)

    async def admin_states(self) -> AsyncIterator[tuple[LabEnd, bool]]:
        """Yield the admin state of the host's ports, and each change, until the connection ends.

        Raises
        ------
        LabError
            The host does not answer.
        """
        ends = {nic.mac: nic.end for nic in self.spec.nics}
        connection = await self._connected(BOOT_S)
        async with connection, connection.create_process(_ADMIN_STATES, stdin=asyncssh.DEVNULL) as process:
            async for line in process.stdout:
                found = _ADMIN_STATE.search(line)
                end = ends.get(found["own"] or found["mac"]) if found else None
                if found is not None and end is not None:
                    yield end, "UP" in found["flags"].split(",")

    async def use_host_key(self, key: asyncssh.SSHKey) -> None:
        """Install another host key; access.yaml keeps the former one.

        Raises
        ------
        LabError
            The host does not answer.
        """
        await self.run(identity.host_key_script(key))
        self._answers_with = identity.public_text(key)
        await self.answers(RESTORE_S)

    async def _connected(self, timeout_s: float) -> identity.Connection:
        key = str(self._user_key)
        return await self._named(identity.connected(self.port, key, self._answers_with, timeout_s, identity.ROOT))

    async def off(self) -> None:
        """Cut the power."""
        if self.qmp is not None:
            with suppress(LabError):
                await self.qmp.execute("quit")
            await self.qmp.close()
            self.qmp = None
        await asyncio.to_thread(processes.end_processes, self.folder)
        self.power = "off"

    async def _prepare(self, booted: Path) -> None:
        """Boot from the blank disk and store a snapshot in the cache."""
        await asyncio.to_thread(snapshots.blank_disk, self._image, self.folder)
        await self._launch(restore=False)
        host_key = self._image.bootstrap_host_key.read_text("utf-8")
        key = str(self._image.bootstrap_key)
        async with await self._named(identity.connected(self.port, key, host_key, BOOT_S)) as connection:
            await self._named(identity.run_as_root(connection, _SETTLE))
        await self.control.execute("stop")
        said = await self.control.monitor(f"savevm {SNAPSHOT}")
        await self.off()
        if said.strip():
            raise LabError(f"{self.spec.name}: QEMU could not keep its memory: {said.strip()}")
        await asyncio.to_thread(snapshots.keep_disk, self.folder, booted)

    async def _launch(self, *, restore: bool) -> None:
        self.power = "booting"
        taps = {nic.end: self._wires.open_tap(nic.end) for nic in self.spec.nics}
        start = Start(self.spec, self.folder, self._image, taps, self.port, restore)
        write_slots(start)
        (self.folder / CONTROL).unlink(missing_ok=True)
        try:
            self._spawn(start)
        finally:
            for descriptor in taps.values():
                os.close(descriptor)
        self.qmp = await self._controlled()
        for nic in self.spec.nics:
            await self.set_link(nic.end, up=self._wires.host_link_is_up(nic.end))
        if not self.port:
            self.port = await self._forwarded_port()

    def _on_event(self, event: str) -> None:
        if event == "RESET":
            self.on_boot()

    def _spawn(self, start: Start) -> None:
        with (self.folder / LOG).open("ab") as log:
            self._process = subprocess.Popen(  # noqa: S603 our own words
                command(start),
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                pass_fds=tuple(start.taps.values()),
            )

    async def _controlled(self) -> Qmp:
        """Wait for QEMU's control socket, which exists once the machine is created and its memory is restored."""
        deadline = asyncio.get_running_loop().time() + _CONTROL_S
        while True:
            try:
                return await Qmp.connect(self.folder / CONTROL, self._on_event)
            except (OSError, LabError) as error:
                late = asyncio.get_running_loop().time() > deadline
                if late or self._process.poll() is not None:
                    said = (self.folder / LOG).read_text("utf-8", errors="replace").strip().splitlines()[-2:]
                    raise LabError(f"{self.spec.name} did not start: {' / '.join(said)}", self._where) from error
            await asyncio.sleep(0.02)

    async def _forwarded_port(self) -> int:
        found = _FORWARD.search(await self.control.monitor("info usernet"))
        if found is None:
            raise LabError(f"{self.spec.name}: QEMU forwards no port to it")
        return int(found.group(1))

    async def _named(self, work: Awaitable[T]) -> T:
        try:
            return await work
        except LabError as error:
            raise LabError(f"{self.spec.name}: {error.message}", error.hint or self._where) from error

    @property
    def _where(self) -> str:
        return f"{self.folder} has its console and QEMU's log"

    @property
    def control(self) -> Qmp:
        """The connection to its QEMU.

        Raises
        ------
        LabError
            The host is off.
        """
        if self.qmp is None:
            raise LabError(f"{self.spec.name} is off")
        return self.qmp
