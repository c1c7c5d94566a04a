"""What hosts do to the light on their cables: a port that a host has switched off is dark at its switch too.

A virtual adapter tells nobody that its driver was switched off, where a real one turns its laser off. So the hosts are
asked: each keeps one connection open on which it says what it does with its ports.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

import asyncssh

from lab.errors import LabError

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.fabric.fabric import Fabric
    from lab.hosts.virtual_machine import VirtualMachine

_AGAIN_S: Final = 1.0
"""Between two connections: a host that restarts ends one and takes another once it is back."""


@asynccontextmanager
async def follow_host_ports(lab: "RunningLab") -> AsyncIterator[None]:
    """Let switches see what hosts do with their ports, while the context lasts."""
    fabric = lab.fabric
    watching = [asyncio.create_task(_watch(machine, fabric)) for machine in lab.hosts.values() if fabric is not None]
    try:
        yield
    finally:
        for task in watching:
            task.cancel()
        await asyncio.gather(*watching, return_exceptions=True)


async def _watch(machine: "VirtualMachine", fabric: "Fabric") -> None:
    while True:
        try:
            async for end, on in machine.admin_states():
                fabric.switched(end, on=on)
        except (LabError, asyncssh.Error, OSError, TimeoutError):
            pass  # it is off, hangs or restarts; what it said last holds until it says something else
        await asyncio.sleep(_AGAIN_S)
