"""What a person would do by hand while a check watches: restart a device, pull a cable, and wait until it is back."""

import asyncio
import shlex
from collections.abc import Callable
from dataclasses import replace
from typing import Final, Protocol

import asyncssh

from rackproof.connect.errors import UnreadableError
from rackproof.connect.ssh import Target, connected
from rackproof.errors import RackproofError

RESTART: Final = "sudo -n reboot || reboot"
"""The second half is for root of a system without sudo."""
START: Final = "cat /proc/sys/kernel/random/boot_id 2>/dev/null || uptime -s 2>/dev/null || sysctl -n kern.boottime"
"""What is another one after each start: Linux has a number for it (random(4)); elsewhere it is the time of the start
(uptime(1); FreeBSD, and OneFS with it: sysctl(3), kern.boottime)."""
STARTED: Final = "systemctl is-system-running --wait >/dev/null 2>&1 || true"
"""Until everything that starts by itself has been started (systemctl(1)); a system without systemd does not wait."""
AGAIN_S: Final = 2.0
ANSWER_S: Final = 30.0
"""Until a device has said which start this is, or that it restarts; it may be busy with that."""
SIGNALLED: Final = 128
"""Above it a shell says which signal ended a command (bash(1), exit status): here the restart itself."""


class DeviceControl(Protocol):
    """Interrupts devices, and waits for them."""

    async def restart(self, device: str) -> str:
        """Restart a device, and return what tells the start that now ends from the next."""
        ...

    async def back(self, device: str, before: str, limit_s: float) -> float | None:
        """Return after how many seconds a device has started anew, with all that starts by itself; None: not in time.

        Parameters
        ----------
        device
            Its name.
        before
            What `restart` returned.
        limit_s
            How long to wait.
        """
        ...


class SshDeviceControl:
    """Hands over SSH."""

    def __init__(self, target: Callable[[str], Target]) -> None:
        self._target = target

    async def restart(self, device: str) -> str:
        """Restart a device, and return what tells the start that now ends from the next.

        Raises
        ------
        UnreachableError
            It does not answer now, or its user may not restart it.
        """
        async with connected(self._target(device)) as connection:
            before = await _said(connection, START)
            try:
                ended = await asyncio.wait_for(connection.run(RESTART, check=False), ANSWER_S)
            except (asyncssh.Error, OSError, TimeoutError):
                return before  # it went away before it could say so
        if 0 < (ended.exit_status or 0) <= SIGNALLED:
            why = str(ended.stderr).strip().splitlines()[-1:] or ["it does not say why"]
            raise UnreadableError(device, f"it did not restart: {why[0]}", "its user needs sudo without a password")
        return before

    async def back(self, device: str, before: str, limit_s: float) -> float | None:
        """Return after how many seconds a device has started anew; see `Hands`."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        while (left_s := began + limit_s - loop.time()) > 0:
            if await self._started_after(device, before, left_s):
                return loop.time() - began
            await asyncio.sleep(AGAIN_S)
        return None

    async def _started_after(self, device: str, before: str, limit_s: float) -> bool:
        """Return whether a device is in another start than it was, and through with it."""
        target = self._target(device)
        short = replace(target, limits=replace(target.limits, connect_s=AGAIN_S, login_s=5 * AGAIN_S))
        try:
            async with connected(short) as connection:
                if await _said(connection, START) == before:
                    return False
                await asyncio.wait_for(connection.run(STARTED, check=False), limit_s)
        except (RackproofError, asyncssh.Error, OSError, TimeoutError):
            return False
        return True


async def _said(connection: asyncssh.SSHClientConnection, command: str) -> str:
    return str((await connection.run(command, check=True, timeout=ANSWER_S)).stdout)


def port_down_command(port: str, seconds: float) -> list[str]:
    """Return the command that takes a port of a host down for some seconds.

    A timer of the host brings it up again in any case: whoever is interrupted meanwhile leaves no host without a leg.
    """
    name, later = shlex.quote(port), int(seconds) + 30
    safe = f"systemd-run --quiet --collect --on-active={later} ip link set {name} up"
    return ["sh", "-c", f"{safe} && ip link set {name} down && sleep {seconds:g}; ip link set {name} up"]
