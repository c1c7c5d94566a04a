"""A running lab: all switches of a site on one event loop, their cables, their clock and the faults in force."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from lab import faults
from lab.errors import LabError
from lab.fabric.fabric import Fabric
from lab.fabric.kernel_links import LiveLinks
from lab.fabric.qos import Congestion
from lab.faults import Undo
from lab.hosts.controllers import Controllers
from lab.hosts.virtual_machine import VirtualMachine
from lab.spec.models import LabEnd, LabSite
from lab.switches.clock import LabClock
from lab.switches.computed_links import ComputedLinks
from lab.switches.device_state import DeviceState
from lab.switches.links import Links
from lab.switches.nos.protocol import Nos
from lab.switches.ssh_server import SshEndpoint
from lab.switches.switch import LabSwitch


@dataclass(frozen=True, slots=True)
class ActiveFault:
    """An active fault."""

    name: str
    parameters: Mapping[str, str]
    undo: Undo


class RunningLab:
    """The lab of one site; an asynchronous context manager."""

    def __init__(self, site: LabSite, password: str, fabric: Fabric | None = None) -> None:
        self.site = site
        self.clock = LabClock()
        self.fabric = fabric
        self.computed_links = ComputedLinks(site.links, site.hosts, self._configured_state)
        self.links: Links = self.computed_links if fabric is None else LiveLinks(self.computed_links, fabric)
        """The cables as the switches see them."""
        self.switches = {
            name: LabSwitch(spec, self.clock, self.links, password) for name, spec in site.switches.items()
        }
        if fabric is not None:
            fabric.follow(self.computed_links, self._configured)
            fabric.on_host_link = self._set_host_link
        self.endpoints: dict[str, SshEndpoint] = {}
        self.hosts: dict[str, VirtualMachine] = {}
        """Hosts that are virtual machines, by name."""
        self.controllers = Controllers()
        self.faults: list[ActiveFault] = []

    async def __aenter__(self) -> Self:
        """Start all switches; when this returns they answer, and packets flow as they are configured."""
        for name, switch in self.switches.items():
            endpoint = SshEndpoint(switch)
            switch.endpoint = self.endpoints[name] = endpoint
            await switch.start()
        if self.fabric is not None:
            await self.fabric.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Drop every session and release the ports."""
        for switch in self.switches.values():
            switch.power_off()
        for endpoint in self.endpoints.values():
            endpoint.release()
        if self.fabric is not None:
            await self.fabric.stop()

    def switch(self, name: str) -> LabSwitch:
        """Return a switch by name.

        Raises
        ------
        LabError
            The lab has no such switch.
        """
        if name not in self.switches:
            raise LabError(f"the lab has no switch called {name}", f"it has {', '.join(sorted(self.switches))}")
        return self.switches[name]

    def host(self, name: str) -> VirtualMachine:
        """Return a host by name.

        Raises
        ------
        LabError
            No virtual machine of the lab has that name.
        """
        if name not in self.hosts:
            names = ", ".join(sorted(self.hosts))
            hint = f"it has {names}" if names else "`rackproof lab up --hosts 2` makes some"
            raise LabError(f"the lab has no host called {name} that is a machine", hint)
        return self.hosts[name]

    async def _set_host_link(self, end: LabEnd, up: bool) -> None:  # noqa: FBT001 the state is the point
        """Set the link of a host's port."""
        if end.device in self.hosts:
            await self.hosts[end.device].set_link(end, up=up)

    def _configured_state(self, name: str) -> DeviceState | None:
        """Return the configured state of a switch; None for one without power."""
        switch = self.switches.get(name)
        return switch.nos.state if switch is not None and switch.power == "up" else None

    def _configured(self, name: str) -> Nos | None:
        switch = self.switches.get(name)
        return switch.nos if switch is not None and switch.power == "up" else None

    def is_up(self, end: LabEnd) -> bool:
        """Return whether the link of a switch port is up, as its cable and both ends are now."""
        return self.computed_links.is_up(end.device, end.port) if self.fabric is None else self.fabric.is_up(end)

    async def refresh(self) -> None:
        """Read the state of every switch again."""
        await asyncio.gather(*(self.links.refresh(name) for name in self.switches))

    async def swap(self, first: LabEnd, second: LabEnd) -> None:
        """Swap two cables at their other ends, with the wires that carry their packets.

        Raises
        ------
        LabError
            One of the ends has no cable, or both are ends of one cable.
        """
        self.computed_links.swap(first, second)
        if self.fabric is not None:
            await self.fabric.rewire()

    async def congest(self, end: LabEnd, congestion: Congestion | None) -> None:
        """Congest a port, or with None end its congestion.

        Raises
        ------
        LabError
            The lab sends no packets, or not by this port.
        """
        if self.fabric is None:
            raise LabError("this lab sends no packets", "a lab with hosts does: `rackproof lab up` as root")
        await self.fabric.congest(end, congestion)

    # --- faults -----------------------------------------------------------------------------------------------

    async def inject(self, name: str, parameters: Mapping[str, str]) -> None:
        """Inject a fault.

        Raises
        ------
        LabError
            No fault of that name, parameters it does not take, or a switch or port that is not there.
        """
        undo = await faults.prepared(name, parameters)(self)
        self.faults.append(ActiveFault(name, dict(parameters), undo))

    async def clear(self, name: str | None = None) -> int:
        """Clear the faults of a name, or all, latest first; return their number."""
        gone = [fault for fault in reversed(self.faults) if name in {None, fault.name}]
        for fault in gone:
            await fault.undo()
            self.faults.remove(fault)
        return len(gone)

    async def edit(self, switch: str, lines: tuple[str, ...]) -> tuple[str, ...]:
        """Type configuration lines on a switch, as from its console; return the answers to refused ones."""
        return await self.switch(switch).nos.type_lines(lines)

    def advance(self, seconds: float) -> None:
        """Move the lab's clock ahead."""
        self.clock.advance(seconds)
