"""Controls devices during a measurement: restarts them, takes a port down, and waits until they are back."""

import asyncio
import shlex
from collections.abc import Callable
from dataclasses import replace
from typing import Final, Protocol

import asyncssh

from rackproof.connect.errors import UnreadableError
from rackproof.connect.ssh import Target, connected
from rackproof.errors import RackproofError

RESTART_COMMAND: Final = "sudo -n reboot || reboot"
"""The second half is for root on a system without sudo."""
BOOT_COMMAND: Final = (
    "cat /proc/sys/kernel/random/boot_id 2>/dev/null || uptime -s 2>/dev/null || sysctl -n kern.boottime"
)
"""Prints a value that changes with each boot: Linux has a number for it (random(4)); elsewhere it is the time of the
boot (uptime(1); FreeBSD, and OneFS with it: sysctl(3), kern.boottime)."""
BOOTED_COMMAND: Final = "systemctl is-system-running --wait >/dev/null 2>&1 || true"
"""Ends when all units that are started at boot have started (systemctl(1)); without systemd it ends at once."""
POLL_S: Final = 2.0
ANSWER_S: Final = 30.0
"""Longest for the boot value, or for the restart command, whose device may be busy shutting down."""
SIGNALLED: Final = 128
"""An exit status above it is a signal that ended the command (bash(1), exit status): here the restart itself."""


class DeviceControl(Protocol):
    """Restarts devices, and waits for them."""

    async def restart(self, device: str) -> str:
        """Restart a device, and return the value of its current boot."""
        ...

    async def wait_restarted(self, device: str, before: str, limit_s: float) -> float | None:
        """Return after how many seconds a device has booted again, with all its units; None: not in time.

        Parameters
        ----------
        device
            Its name.
        before
            The boot value that `restart` returned.
        limit_s
            Longest wait.
        """
        ...


class SshDeviceControl:
    """Controls devices over SSH."""

    def __init__(self, target: Callable[[str], Target]) -> None:
        self._target = target

    async def restart(self, device: str) -> str:
        """Restart a device, and return the value of its current boot.

        Raises
        ------
        UnreachableError
            It does not answer, or its user may not restart it.
        """
        async with connected(self._target(device)) as connection:
            before = await _output(connection, BOOT_COMMAND)
            try:
                ended = await asyncio.wait_for(connection.run(RESTART_COMMAND, check=False), ANSWER_S)
            except (asyncssh.Error, OSError, TimeoutError):
                return before  # it shut down before the command ended
        if 0 < (ended.exit_status or 0) <= SIGNALLED:
            why = str(ended.stderr).strip().splitlines()[-1:] or ["no reason given"]
            raise UnreadableError(device, f"it did not restart: {why[0]}", "its user needs sudo without a password")
        return before

    async def wait_restarted(self, device: str, before: str, limit_s: float) -> float | None:
        """Return after how many seconds a device has booted again; see `DeviceControl`."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        while (left_s := began + limit_s - loop.time()) > 0:
            if await self._booted_after(device, before, left_s):
                return loop.time() - began
            await asyncio.sleep(POLL_S)
        return None

    async def _booted_after(self, device: str, before: str, limit_s: float) -> bool:
        """Return whether a device is in another boot than before, with all units started."""
        target = self._target(device)
        short = replace(target, limits=replace(target.limits, connect_s=POLL_S, login_s=5 * POLL_S))
        try:
            async with connected(short) as connection:
                if await _output(connection, BOOT_COMMAND) == before:
                    return False
                await asyncio.wait_for(connection.run(BOOTED_COMMAND, check=False), limit_s)
        except (RackproofError, asyncssh.Error, OSError, TimeoutError):
            return False
        return True


async def _output(connection: asyncssh.SSHClientConnection, command: str) -> str:
    return str((await connection.run(command, check=True, timeout=ANSWER_S)).stdout)


def port_down_command(port: str, seconds: float) -> list[str]:
    """Return the command that takes a port of a host down for some seconds.

    A timer of the host brings the port up again in any case, also when the run is interrupted meanwhile.
    """
    name, timer_s = shlex.quote(port), int(seconds) + 30
    arm_timer = f"systemd-run --quiet --collect --on-active={timer_s} ip link set {name} up"
    return ["sh", "-c", f"{arm_timer} && ip link set {name} down && sleep {seconds:g}; ip link set {name} up"]
