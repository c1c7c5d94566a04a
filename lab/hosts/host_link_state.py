"""Link state from hosts to switches: a port that a host sets down loses its link at the switch too.

A virtual adapter does not signal that its driver was set down, where a real one turns its laser off. So the lab keeps
one connection open to each host, on which the host reports the state of its ports.
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
"""Seconds between two connections to a host, for example while it restarts."""


@asynccontextmanager
async def follow_host_ports(lab: "RunningLab") -> AsyncIterator[None]:
    """Apply the port states of hosts to the fabric while the context is open."""
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
            pass  # it is off, hangs or restarts; the last reported state stays
        await asyncio.sleep(_AGAIN_S)
