"""One switch of the fabric: its namespace follows its configuration."""

import asyncio
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass
from ipaddress import ip_address, ip_interface
from itertools import chain
from pathlib import Path

from lab.fabric import kernel, lldp, qos
from lab.fabric.command import ip_batch, run
from lab.fabric.daemons import Frr, Lldp
from lab.fabric.frr import bgp_statements
from lab.fabric.qos import Congestion
from lab.spec.kernel_names import kernel_name
from lab.switches.device_state import DeviceState
from lab.switches.forwarding import Forwarding


@dataclass(frozen=True, slots=True)
class Situation:
    """Everything that decides about the namespace of a switch."""

    state: DeviceState
    forwarding: Forwarding
    is_up: Callable[[str], bool]
    """Whether the link of a port is to be up."""
    blocked: Container[str]
    """Ports kept out of their bridge, because they would close a loop."""
    congestion: Mapping[str, Congestion]
    """Congestion by port."""


class FabricSwitch:
    """The namespace of one switch."""

    def __init__(self, name: str, namespace: str, folder: Path) -> None:
        self.name = name
        self.namespace = namespace
        self.frr = Frr(namespace, folder)
        self.lldp = Lldp(namespace, folder)
        self.problems: tuple[str, ...] = ()
        """Lines that a daemon refused at the last change."""
        self._lock = asyncio.Lock()
        self._routes: Mapping[str, str] = {}
        self._qos: dict[str, str] = {}

    async def apply(self, situation: Situation | None) -> None:
        """Apply a configuration to the namespace; None: the switch has no power.

        Raises
        ------
        FabricError
            The kernel or a daemon refused something.
        """
        async with self._lock:
            if situation is None:
                await self._power_off()
            else:
                await self._apply(situation)

    async def _power_off(self) -> None:
        """Set all ports down and end the daemons, as after a loss of power."""
        found = await kernel.read(self.namespace)
        await ip_batch(self.namespace, (f"link set {name} down" for name in found if name != "lo"))
        await asyncio.gather(self.frr.end(), self.lldp.end())

    async def _apply(self, situation: Situation) -> None:
        found = await kernel.read(self.namespace)
        forwarding = situation.forwarding
        state = kernel.wanted(self.name, forwarding, found, situation.blocked, situation.is_up)
        await ip_batch(self.namespace, kernel.steps(found, state))
        await ip_batch(self.namespace, kernel.route_steps(self._routes, state))
        self._routes = state.routes
        await self._apply_qos(situation, found)
        await asyncio.gather(self._apply_lldp(situation, found), self._apply_bgp(forwarding, found))

    async def _apply_qos(self, situation: Situation, carried: Container[str]) -> None:
        texts = {}
        for name, port in situation.forwarding.ports.items():
            kernel_port = kernel_name(name)
            if kernel_port in carried:
                texts[kernel_port] = qos.port_text(kernel_port, port.qos, situation.congestion.get(name))
        gone = [qos.removal_text(name) for name in self._qos if name not in texts]
        fresh = [text for name, text in texts.items() if self._qos.get(name) != text]
        if gone or fresh:
            await run("ip", "netns", "exec", self.namespace, "nft", "-f", "-", text="".join((*gone, *fresh)))
        self._qos = texts

    async def _apply_lldp(self, situation: Situation, carried: Container[str]) -> None:
        await self.lldp.start()
        await lldp.configure(self.lldp, tuple(lldp.commands(situation.state, situation.forwarding, carried)))

    async def _apply_bgp(self, forwarding: Forwarding, carried: Container[str]) -> None:
        router = forwarding.router
        usable = () if router is None else usable_targets(forwarding, carried)
        self.problems = await self.frr.apply(bgp_statements(router, usable))

    async def forget_port(self, kernel_port: str) -> None:
        """Remove the rules of a port before its wire is moved."""
        if self._qos.pop(kernel_port, None) is not None:
            text = qos.removal_text(kernel_port)
            await run("ip", "netns", "exec", self.namespace, "nft", "-f", "-", text=text)
        self.lldp.configured = ()

    async def end(self) -> None:
        """End the daemons."""
        await asyncio.gather(self.frr.end(), self.lldp.end())


def usable_targets(forwarding: Forwarding, carried: Container[str]) -> frozenset[str]:
    """Return the BGP neighbors that the fabric can reach.

    A session over a port whose cable leads out of the fabric cannot come up: its state stays computed.
    """
    router = forwarding.router
    if router is None:
        return frozenset()
    without_wire = (port for name, port in forwarding.ports.items() if kernel_name(name) not in carried)
    outside = list(chain.from_iterable(port.addresses for port in without_wire))
    return frozenset(
        routing.peer.target
        for routing in router.peers
        if (
            not in_networks(routing.peer.target, outside)
            if "." in routing.peer.target
            else kernel_name(routing.peer.target) in carried
        )
    )


def in_networks(address: str, interfaces: list[str]) -> bool:
    """Return whether an address is in the subnet of one of several interfaces."""
    return any(ip_address(address) in ip_interface(one).network for one in interfaces)
