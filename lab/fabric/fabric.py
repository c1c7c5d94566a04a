"""The fabric of a lab: a namespace for every switch, the wires between them, and what follows a change."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from itertools import chain
from typing import Final, Protocol

from lab.errors import LabError
from lab.fabric import namespaces, wires
from lab.fabric.command import FabricError, missing
from lab.fabric.loops import blocked
from lab.fabric.qos import Congestion
from lab.fabric.switch import FabricSwitch, Situation
from lab.fabric.tap import open_tap
from lab.spec.kernel_names import kernel_name, namespace_name
from lab.spec.models import LabEnd, LabLink, LabSite
from lab.switches.computed_links import ComputedLinks
from lab.switches.device_state import DeviceState
from lab.switches.forwarding import Forwarding

_LOG: Final = logging.getLogger(__name__)
_QUIET_S: Final = 0.05
"""Lines typed one after the other are one change."""


class Configured(Protocol):
    """The configuration of a switch with power."""

    @property
    def state(self) -> DeviceState:
        """Configured state of ports and BGP."""
        ...

    @property
    def forwarding(self) -> Forwarding:
        """How the configuration forwards packets."""
        ...


async def _no_host(end: LabEnd, up: bool) -> None:  # noqa: FBT001 as it is called
    """Do nothing: a fabric without hosts."""


ConfiguredAs = Callable[[str], Configured | None]
"""Returns the configuration of a switch by name; None for one without power."""


class Fabric:
    """Namespaces, wires and daemons of a lab."""

    def __init__(self, lab_id: str, site: LabSite) -> None:
        self.lab_id = lab_id
        self.site = site
        self.congestion: dict[LabEnd, Congestion] = {}
        self.switches: dict[str, FabricSwitch] = {
            name: FabricSwitch(name, namespace_name(lab_id, name), namespaces.run_folder(lab_id) / name)
            for name in site.switches
        }
        self._computed = ComputedLinks(site.links, site.hosts, lambda _: None)
        self._configured: ConfiguredAs = lambda _: None
        self.changes = 0
        """Number of changes applied to the namespaces."""
        self._running = False
        self._unplugged: set[LabEnd] = set()
        self._dirty: set[str] = set()
        self._worker: asyncio.Task[None] | None = None
        self._plugged: dict[frozenset[LabEnd], LabLink] = {}
        """Wires between switches."""
        self._taps: dict[LabEnd, LabEnd] = {}
        """Host end to the switch port of its wire."""
        self._off: set[LabEnd] = set()
        """Host ends whose port the host has set down."""
        self._host_links: dict[LabEnd, bool] = {}
        """Link state last set on the ports of hosts."""
        self.on_host_link: Callable[[LabEnd, bool], Awaitable[None]] = _no_host
        """Called when the link of a host's port comes up or goes down."""

    def follow(self, computed: ComputedLinks, configured: ConfiguredAs) -> None:
        """Use the cables and configurations of a running lab from now on."""
        self._computed = computed
        self._configured = configured

    # --- life ---------------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Create namespaces and wires, after removing what a lab of the same folder left.

        Raises
        ------
        FabricError
            A program is not installed, or this process may not.
        """
        lacking = missing()
        if lacking:
            raise FabricError("the lab's fabric cannot start", f"install {' '.join(lacking)}")
        await namespaces.sweep(self.lab_id)
        namespaces.run_folder(self.lab_id).mkdir(mode=0o711, parents=True)
        await namespaces.make(switch.namespace for switch in self.switches.values())
        links = self._computed.between_switches()
        await wires.plug(self.lab_id, links)
        self._plugged = {frozenset(link.ends): link for link in links}
        self._running = True
        await self._apply_all(set(self.switches))

    async def stop(self) -> None:
        """End the daemons and remove all namespaces."""
        self._running = False
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.gather(self._worker, return_exceptions=True)
        await asyncio.gather(*(switch.end() for switch in self.switches.values()))
        await namespaces.sweep(self.lab_id)

    # --- changes --------------------------------------------------------------------------------------------------

    def changed(self, name: str) -> None:
        """Note that the configuration or the power of a switch changed; the namespaces follow soon after."""
        if not self._running:
            return
        self._dirty |= {name, *self._neighbours(name)}
        if self._worker is None or self._worker.done():
            self._worker = asyncio.get_running_loop().create_task(self._work())

    async def _work(self) -> None:
        await asyncio.sleep(_QUIET_S)
        while self._dirty:
            names, self._dirty = self._dirty, set()
            await self._apply_all(names)

    async def settled(self) -> None:
        """Wait until every noted change is applied."""
        while self._worker is not None and not self._worker.done():
            await asyncio.shield(self._worker)

    async def _apply_all(self, names: set[str]) -> None:
        await self._set_host_links(names, up=False)
        await asyncio.gather(*(self._apply_safely(name) for name in sorted(names)))
        self.changes += 1
        await self._set_host_links(names, up=True)

    async def _set_host_links(self, names: set[str], *, up: bool) -> None:
        """Set the link of host ports on the given switches that came up, or went down, since the last call."""
        for end, near in tuple(self._taps.items()):
            if near.device in names and self.is_up(near) == up and self._host_links.get(end) != up:
                self._host_links[end] = up
                try:
                    await self.on_host_link(end, up)
                except LabError as error:
                    _LOG.warning("%s: %s", end, error.message)

    async def _apply_safely(self, name: str) -> None:
        try:
            await self.apply(name)
        except FabricError as error:
            self.switches[name].problems = (error.message,)
            _LOG.warning("%s: %s", name, error.message)

    async def apply(self, switch: str) -> None:
        """Apply the running configuration of a switch to its namespace.

        Raises
        ------
        FabricError
            The kernel or a daemon refused something.
        """
        configured = self._configured(switch)
        if configured is None:
            await self.switches[switch].apply(None)
            return
        closed = blocked(self._computed.between_switches(), self._forwardings())
        situation = Situation(
            configured.state,
            configured.forwarding,
            lambda port: self.is_up(LabEnd(switch, port)),
            {end.port for end in closed if end.device == switch},
            {end.port: one for end, one in self.congestion.items() if end.device == switch},
        )
        await self.switches[switch].apply(situation)

    def is_up(self, end: LabEnd) -> bool:
        """Return whether the link of a switch port is up: plugged in, both ends enabled, with equal speed and FEC."""
        far = self._computed.peer_end(end)
        return not {end, far} & (self._unplugged | self._off) and self._computed.is_up(end.device, end.port)

    def host_link_is_up(self, end: LabEnd) -> bool:
        """Return whether the link of a host's port is up.

        Raises
        ------
        FabricError
            It is not plugged into a switch of the lab.
        """
        return self.is_up(self.switch_end(end))

    def switched(self, end: LabEnd, *, on: bool) -> None:
        """Note that a host set a port up or down: the link of its switch port follows."""
        if on != (end in self._off):
            return
        self._off.symmetric_difference_update({end})
        self.changed(self.switch_end(end).device)

    def _forwardings(self) -> Mapping[str, Forwarding]:
        found = ((name, self._configured(name)) for name in self.switches)
        return {name: one.forwarding for name, one in found if one is not None}

    def _neighbours(self, name: str) -> set[str]:
        far = (self._computed.peer_end(LabEnd(name, port)) for port in self._computed.ports(name))
        return {end.device for end in far if end is not None and not self._computed.is_host(end)}

    def forwarding(self, switch: str) -> Forwarding | None:
        """Return how a switch is configured to forward packets; None without power."""
        configured = self._configured(switch)
        return None if configured is None else configured.forwarding

    def host_names(self) -> frozenset[str]:
        """Return the host names of the switches with power."""
        found = (self._configured(name) for name in self.switches)
        return frozenset(one.state.name for one in found if one is not None)

    # --- hosts ------------------------------------------------------------------------------------------------------

    def open_tap(self, end: LabEnd) -> int:
        """Open the wire of a host's port at the switch port it is plugged into.

        Parameters
        ----------
        end
            The host's end of the cable.

        Returns
        -------
        int
            File descriptor for ``-netdev tap,fd=``; the caller closes it.

        Raises
        ------
        LabError
            No switch port is at its other end, the fabric has not started, or the wire is open already.
        """
        near = self.switch_end(end)
        descriptor = open_tap(self.switches[near.device].namespace, kernel_name(near.port))
        self._taps[end] = near
        self._host_links.pop(end, None)
        self.changed(near.device)
        return descriptor

    def switch_end(self, end: LabEnd) -> LabEnd:
        """Return the switch port that a host's port is plugged into.

        Raises
        ------
        FabricError
            There is none in this fabric.
        """
        near = self._computed.peer_end(end)
        if near is None or near.device not in self.switches:
            raise FabricError(f"{end} is not plugged into a switch of the lab")
        return near

    async def set_carrier(self, end: LabEnd, up: bool) -> None:  # noqa: FBT001 the state is the point
        """Unplug a cable, or plug it in again: the link of its switch port follows."""
        if up:
            self._unplugged.discard(end)
        else:
            self._unplugged.add(end)
        near = end if end.device in self.switches else self.switch_end(end)
        self.changed(near.device)
        await self.settled()

    async def congest(self, end: LabEnd, congestion: Congestion | None) -> None:
        """Congest a switch port, or with None end its congestion.

        Raises
        ------
        FabricError
            The switch has no such port.
        """
        forwarding = self.forwarding(end.device)
        if forwarding is None or end.port not in forwarding.ports:
            raise FabricError(f"{end.device} has no port {end.port} now", "`show interface status` lists its ports")
        if congestion is None:
            self.congestion.pop(end, None)
        else:
            self.congestion[end] = congestion
        self.changed(end.device)
        await self.settled()

    async def rewire(self) -> None:
        """Move the wires to the present ends of the cables, after a swap.

        Raises
        ------
        FabricError
            The kernel did not move a wire.
        """
        await self.settled()
        links = {frozenset(link.ends): link for link in self._computed.between_switches()}
        gone = [link for ends, link in self._plugged.items() if ends not in links]
        new = [link for ends, link in links.items() if ends not in self._plugged]
        moves = [(at, now) for end, at in self._taps.items() if (now := self.switch_end(end)) != at]
        for near in {*chain.from_iterable(link.ends for link in gone), *(at for at, _ in moves)}:
            await self.switches[near.device].forget_port(kernel_name(near.port))
        await wires.unplug(self.lab_id, gone)
        await wires.move(self.lab_id, moves)
        await wires.plug(self.lab_id, new)
        self._plugged = links
        self._taps = {end: self.switch_end(end) for end in self._taps}
        touched = chain.from_iterable((*(link.ends for link in (*gone, *new)), *moves))
        for name in {end.device for end in touched}:
            self.changed(name)
        await self.settled()
