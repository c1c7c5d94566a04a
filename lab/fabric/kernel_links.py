"""Links of lab switches with a fabric: read from the kernel, lldpd, bgpd and nftables.

What the fabric does not carry (a PDU, a router outside, a session over VXLAN) stays computed.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from typing import Any, Final

from lab.fabric import kernel, lldp, qos
from lab.fabric.command import FabricError, run
from lab.fabric.fabric import Fabric
from lab.fabric.frr import target_name
from lab.fabric.kernel import Found
from lab.fabric.switch import FabricSwitch, usable_targets
from lab.spec.kernel_names import kernel_name, tunnel_name
from lab.spec.models import LabLink
from lab.switches.computed_links import ComputedLinks
from lab.switches.computed_routes import kernel_routes
from lab.switches.device_state import BgpPeer, BgpSpeaker
from lab.switches.links import LabNetwork, LabRoute, LabSegment, Neighbor, PortCounters

_FRESH_S: Final = 0.1
"""The commands of one command line use one reading."""
_FOR_ALL: Final = "00:00:00:00:00:00"
"""The default entry in the forwarding table of a tunnel (bridge(8))."""
_FAMILIES: Final = {"ipv4 unicast": "ipv4Unicast", "ipv6 unicast": "ipv6Unicast", "l2vpn evpn": "l2VpnEvpn"}


@dataclass(frozen=True, slots=True)
class Reading:
    """The state of a switch's namespace at one moment."""

    interfaces: Mapping[str, Found] = field(default_factory=dict)
    neighbors: Mapping[str, Neighbor] = field(default_factory=dict)
    sessions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """BGP summary of FRR by its name of the family."""
    counters: Mapping[str, Any] = field(default_factory=dict)
    macs: tuple[Mapping[str, Any], ...] = ()
    """Output of ``bridge -j fdb``."""
    routes: tuple[Mapping[str, Any], ...] = ()
    """Output of ``ip -j route``."""


async def read(switch: FabricSwitch) -> Reading:
    """Read the state of a switch's namespace.

    Raises
    ------
    FabricError
        The namespace does not exist.
    """
    interfaces, neighbors, summary, counters, macs, routes = await asyncio.gather(
        kernel.read(switch.namespace),
        lldp.read_neighbors(switch.lldp),
        _summary(switch),
        run("ip", "netns", "exec", switch.namespace, "nft", "-j", "list", "counters"),
        run("bridge", "-n", switch.namespace, "-j", "fdb", "show"),
        run("ip", "-n", switch.namespace, "-j", "route", "show"),
    )
    tables = (tuple(json.loads(table or "[]")) for table in (macs, routes))
    return Reading(interfaces, neighbors, summary, json.loads(counters or "{}"), *tables)


async def _summary(switch: FabricSwitch) -> Mapping[str, Mapping[str, Any]]:
    try:
        found: Mapping[str, Mapping[str, Any]] = json.loads(await switch.frr.ask("show bgp summary json") or "{}")
    except (FabricError, ValueError):
        return {}
    return found


def _ends(one: LabNetwork, reading: Reading) -> tuple[str, ...]:
    """Return the tunnel endpoints to which the kernel floods frames of a VNI."""
    name = tunnel_name(one.network.number)
    rows = (row for row in reading.macs if row.get("ifname") == name and row["mac"] == _FOR_ALL)
    return tuple(sorted((row["dst"] for row in rows if "dst" in row), key=ip_address))


class LiveLinks:
    """The links of a lab with a fabric."""

    def __init__(self, computed: ComputedLinks, fabric: Fabric) -> None:
        self._computed = computed
        self._fabric = fabric
        self._readings: dict[str, Reading] = {}
        self._looked: dict[str, tuple[float, int]] = {}
        """Time of the last reading, and the number of changes of the fabric before it."""
        self._looking: dict[str, asyncio.Lock] = {}

    async def refresh(self, device: str) -> None:
        """Read a switch again once all changes are applied; concurrent callers share one reading."""
        async with self._looking.setdefault(device, asyncio.Lock()):
            await self._fabric.settled()
            moment = (asyncio.get_running_loop().time(), self._fabric.changes)
            before = self._looked.get(device)
            if before is not None and moment[1] == before[1] and moment[0] - before[0] < _FRESH_S:
                return
            if device in self._fabric.switches:
                await self._look(device)
                self._looked[device] = moment

    async def _look(self, device: str) -> None:
        try:
            self._readings[device] = await read(self._fabric.switches[device])
        except FabricError:
            self._readings.pop(device, None)

    def changed(self, device: str) -> None:
        """Apply a change to the namespaces."""
        self._readings.pop(device, None)
        self._fabric.changed(device)

    def ports(self, device: str) -> tuple[str, ...]:
        """Return the front panel ports of a switch that have a cable."""
        return self._computed.ports(device)

    def cable(self, device: str, port: str) -> LabLink | None:
        """Return the cable in a port, or None."""
        return self._computed.cable(device, port)

    def _interface(self, device: str, port: str) -> Found | None:
        reading = self._readings.get(device)
        return None if reading is None else reading.interfaces.get(kernel_name(port))

    def is_up(self, device: str, port: str) -> bool:
        """Return whether the link of a port is up: both ends agree, and its wire, if any, has carrier."""
        found = self._interface(device, port)
        return self._computed.is_up(device, port) and (found is None or found.carrier)

    def neighbor(self, device: str, port: str) -> Neighbor | None:
        """Return the LLDP neighbor of a port, or None."""
        if self._interface(device, port) is None:
            return self._computed.neighbor(device, port)
        heard = self._readings[device].neighbors.get(kernel_name(port))
        if heard is None:
            return None
        return replace(heard, is_host=heard.device not in self._fabric.host_names())

    # --- BGP --------------------------------------------------------------------------------------------------------

    def session_state(self, device: str, speaker: BgpSpeaker, peer: BgpPeer) -> str:
        """Return the state of a BGP session as bgpd has it."""
        if peer.shutdown or not self._is_carried(device, peer):
            return self._computed.session_state(device, speaker, peer)
        rows = [self._row(device, peer, family) for family in peer.families]
        return next((str(row["state"]).replace(" ", "") for row in rows if row), "Idle")

    def asn_behind(self, device: str, peer: BgpPeer) -> int | None:
        """Return the ASN of the peer of a session, or None when there is no peer."""
        if not self._is_carried(device, peer):
            return self._computed.asn_behind(device, peer)
        rows = (self._row(device, peer, family) for family in peer.families)
        return next((int(row["remoteAs"]) for row in rows if row and row["remoteAs"]), None)

    def prefixes(self, device: str, peer: BgpPeer, family: str) -> int:
        """Return the number of prefixes received over an established session."""
        if not self._is_carried(device, peer):
            return self._computed.prefixes(device, peer, family)
        return int(self._row(device, peer, family).get("pfxRcd", 0))

    def _row(self, device: str, peer: BgpPeer, family: str) -> Mapping[str, Any]:
        reading = self._readings.get(device)
        block = {} if reading is None else reading.sessions.get(_FAMILIES[family], {})
        found: Mapping[str, Any] = block.get("peers", {}).get(target_name(peer.target), {})
        return found

    def _is_carried(self, device: str, peer: BgpPeer) -> bool:
        reading = self._readings.get(device)
        forwarding = self._fabric.forwarding(device)
        if reading is None or forwarding is None:
            return False
        return peer.target in usable_targets(forwarding, reading.interfaces)

    def macs(self, device: str, port: str) -> tuple[str, ...]:
        """Return the MAC addresses that the kernel has learned on a port."""
        if self._interface(device, port) is None:
            return self._computed.macs(device, port)
        rows = (row for row in self._readings[device].macs if row.get("ifname") == kernel_name(port))
        return tuple(dict.fromkeys(row["mac"] for row in rows if row.get("state") != "permanent"))

    def routes(self, device: str) -> tuple[LabRoute, ...]:
        """Return the routes in the kernel of a switch."""
        reading, state = self._readings.get(device), self._computed.state(device)
        if reading is None or state is None:
            return self._computed.routes(device)
        return tuple(kernel_routes(reading.routes, state.ports))

    def networks(self, device: str) -> tuple[LabNetwork, ...]:
        """Return the VNIs of a switch, with the remote tunnel endpoints in the kernel.

        VNIs of VRFs carry no packets and are computed.
        """
        found, reading = self._computed.networks(device), self._readings.get(device)
        if reading is None:
            return found
        return tuple(one if one.network.vlan is None else replace(one, remote=_ends(one, reading)) for one in found)

    def segments(self, device: str) -> tuple[LabSegment, ...]:
        """Return the Ethernet segments of a switch, as configured."""
        return self._computed.segments(device)

    # --- counters -----------------------------------------------------------------------------------------------------

    def counters(self, device: str, port: str) -> PortCounters:
        """Return the counters of a port."""
        found = self._interface(device, port)
        if found is None:
            return PortCounters()
        held = qos.counted(self._readings[device].counters, kernel_name(port))
        dropped = sum(queue.drop_packets for queue in held.queues.values())
        out_drops = found.counters.out_drops + dropped
        return replace(found.counters, out_drops=out_drops, ecn_marked=held.ecn_marked, queues=held.queues)
