"""What a person would do by hand while a check watches: restart a device, pull a cable, and wait until it is back."""

import asyncio
import shlex
from collections.abc import Callable
from dataclasses import replace
from typing import Final, Protocol

import asyncssh

from rackproof.deploy.connection import Target, connected
from rackproof.errors import RackproofError

RESTART: Final = 'if [ "$(id -u)" = 0 ]; then nohup reboot; else nohup sudo -n reboot; fi >/dev/null 2>&1 &'
"""In the background: the session ends when the device goes down, and that is no error."""
AGAIN_S: Final = 2.0
GONE_S: Final = 90.0
"""Until a device that was told to restart no longer answers: services are stopped first."""


class Hands(Protocol):
    """Interrupts devices, and waits for them."""

    async def restart(self, device: str) -> None:
        """Restart a device and return once it no longer answers."""
        ...

    async def back(self, device: str, limit_s: float) -> float | None:
        """Return after how many seconds a device answers again; None: not within the limit."""
        ...


class SshHands:
    """Hands over SSH."""

    def __init__(self, target: Callable[[str], Target]) -> None:
        self._target = target

    async def restart(self, device: str) -> None:
        """Restart a device and return once it no longer answers, or has had its time for that.

        Raises
        ------
        UnreachableError
            It does not answer now.
        """
        async with connected(self._target(device)) as connection:
            await connection.run(RESTART, check=False)
        await self._until(device, GONE_S, answering=False)

    async def back(self, device: str, limit_s: float) -> float | None:
        """Return after how many seconds a device answers again; None: not within the limit."""
        return await self._until(device, limit_s, answering=True)

    async def _until(self, device: str, limit_s: float, *, answering: bool) -> float | None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        while loop.time() - began < limit_s:
            if await self._answers(device) is answering:
                return loop.time() - began
            await asyncio.sleep(AGAIN_S)
        return None

    async def _answers(self, device: str) -> bool:
        target = self._target(device)
        short = replace(target, limits=replace(target.limits, connect_s=AGAIN_S, login_s=5 * AGAIN_S))
        try:
            async with connected(short) as connection:
                await connection.run("true", check=True, timeout=5 * AGAIN_S)
        except (RackproofError, asyncssh.Error, OSError):
            return False
        return True


def pulled_leg(port: str, seconds: float) -> list[str]:
    """Return the command that takes a port of a host down for some seconds.

    A timer of the host brings it up again in any case: whoever is interrupted meanwhile leaves no host without a leg.
    """
    name, later = shlex.quote(port), int(seconds) + 30
    safe = f"systemd-run --quiet --collect --on-active={later} ip link set {name} up"
    return ["sh", "-c", f"{safe} && ip link set {name} down && sleep {seconds:g}; ip link set {name} up"]
