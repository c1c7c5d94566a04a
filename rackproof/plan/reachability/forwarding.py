"""How planned switches forward: layer 2 segments over cables and tunnels, and routes over VRFs, sessions and uplinks.

Everything is read from the intents, the links and the uplinks of a plan, never from what the site file asked for.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import IPv4Address, IPv4Interface

from rackproof.hardware.load import Catalogue
from rackproof.plan.model.plan import LinkEnd, Plan, PortIntent, SwitchIntent, UplinkPlan
from rackproof.plan.model.port_names import port_keys
from rackproof.plan.model.reachability import Hop

Segment = tuple[str, int]
"""Switch and VLAN."""
Router = tuple[str, str | None]
"""Switch and VRF; None: the default one."""
Path = tuple[Hop, ...]


@dataclass(frozen=True, slots=True)
class Unreachable:
    """Why a packet does not arrive."""

    cause: str
    fabric: str
    """Of the switch that drops it."""


@dataclass(frozen=True)
class PlannedNetwork:
    """The switches of a plan as a network; what was found out once is kept."""

    plan: Plan
    catalogue: Catalogue
    _names: dict[str, Mapping[str, str]] = field(default_factory=dict)
    _segments: dict[Segment, Mapping[Segment, Path]] = field(default_factory=dict)
    _routes: dict[tuple[Router, IPv4Address | None], Path | Unreachable] = field(default_factory=dict)

    @cached_property
    def intents(self) -> Mapping[str, SwitchIntent]:
        """Switch to intent, of every switch that is configured."""
        return self.plan.intents()

    @cached_property
    def _trunks(self) -> Mapping[str, list[tuple[str, LinkEnd]]]:
        """Switch to its links to other switches: own port and far end, as the NOS names them."""
        rows: dict[str, list[tuple[str, LinkEnd]]] = {}
        for link in self.plan.links:
            if link.kind == "inter-switch":
                rows.setdefault(link.a.device, []).append((link.a.port, link.b))
                rows.setdefault(link.b.device, []).append((link.b.port, link.a))
        return rows

    @cached_property
    def _uplinks(self) -> Mapping[str, list[UplinkPlan]]:
        """Switch to its ports towards networks outside."""
        rows: dict[str, list[UplinkPlan]] = {}
        for uplink in self.plan.uplinks:
            rows.setdefault(uplink.switch, []).append(uplink)
        return rows

    def _keys(self, switch: str) -> Mapping[str, str]:
        """Return the names of a switch's ports and the keys that the intent knows them by."""
        if switch not in self._names:
            planned = self.plan.switches[switch]
            model, nos = self.catalogue.switch(planned.model), self.catalogue.nos(planned.nos)
            self._names[switch] = port_keys(nos, model, planned.breakouts)
        return self._names[switch]

    def _port(self, end: LinkEnd) -> PortIntent | None:
        """Return the configuration of a switch port; None: it is shut down, or its switch is not configured."""
        intent = self.intents.get(end.device)
        return intent.ports.get(self._keys(end.device).get(end.port, "")) if intent else None

    def vlans_on(self, end: LinkEnd) -> tuple[int | None, tuple[int, ...]]:
        """Return the untagged and the tagged VLANs of a switch port, those of its port channel where it is in one."""
        port = self._port(end)
        if port is None:
            return None, ()
        channel = self.intents[end.device].port_channels.get(port.port_channel or 0)
        holder = channel or port
        return holder.vlan, holder.tagged_vlans

    # --- Layer 2 ---------------------------------------------------------------------------------------------------

    def segment(self, start: Segment) -> Mapping[Segment, Path]:
        """Return every switch and VLAN that a frame in ``start`` gets to, each with the hops to it."""
        if start not in self._segments:
            reached: dict[Segment, Path] = {start: ()}
            waiting = [start]
            for here in waiting:
                for there, hop in self._next_segments(here):
                    if there not in reached:
                        reached[there] = (*reached[here], hop)
                        waiting.append(there)
            self._segments[start] = reached
        return self._segments[start]

    def _next_segments(self, here: Segment) -> Iterator[tuple[Segment, Hop]]:
        switch, vlan = here
        for name, far in self._trunks.get(switch, ()):
            untagged, tagged = self.vlans_on(LinkEnd(switch, name))
            far_untagged, far_tagged = self.vlans_on(far)
            hop = Hop(switch, name, f"VLAN {vlan}", far.device)
            if vlan == untagged and far_untagged is not None:
                yield (far.device, far_untagged), hop
            elif vlan in tagged and vlan in far_tagged:
                yield (far.device, vlan), hop
        yield from self._tunnelled(switch, vlan)

    def _tunnelled(self, switch: str, vlan: int) -> Iterator[tuple[Segment, Hop]]:
        """Yield the switches that a VLAN is extended to over VXLAN."""
        own = self.intents[switch].vlans.get(vlan)
        for name, peer in self._peers(switch) if own and own.vni else ():
            session = self.intents[switch].bgp
            key = self._keys(switch)[name]
            if session is None or not session.neighbors[key].evpn:
                continue
            for number, other in self.intents[peer].vlans.items():
                if own and other.vni == own.vni:
                    yield (peer, number), Hop(switch, name, f"VNI {own.vni}", peer)

    def gateway(self, start: Segment, gateway: str) -> tuple[Router, Path] | None:
        """Return the router that answers for a gateway in a segment, and the hops to it."""
        for (switch, number), path in self.segment(start).items():
            vlan = self.intents[switch].vlans.get(number)
            held = (vlan.address, vlan.anycast_gateway) if vlan else ()
            if vlan and any(one and one.partition("/")[0] == gateway for one in held):
                return (switch, vlan.vrf), path
        return None

    def routers(self, destination: IPv4Address) -> Iterator[Router]:
        """Yield every router with a subnet of an address."""
        for switch, intent in self.intents.items():
            for vlan in intent.vlans.values():
                held = vlan.address or vlan.anycast_gateway
                if held and destination in IPv4Interface(held).network:
                    yield switch, vlan.vrf

    # --- Layer 3 ---------------------------------------------------------------------------------------------------

    def route(self, start: Router, destination: IPv4Address | None) -> Path | Unreachable:
        """Return the hops from a router to the subnet of an address, or to networks outside (None)."""
        key = start, destination
        if key not in self._routes:
            self._routes[key] = self._search(start, destination)
        return self._routes[key]

    def _search(self, start: Router, destination: IPv4Address | None) -> Path | Unreachable:
        """Go from router to router over sessions and imported routes until one delivers."""
        reached: dict[Router, Path] = {start: ()}
        waiting, broken = [start], ""
        deliver: Callable[[Router], Path | str | None] = (
            (lambda router: self._leave(router, learned=router != start))
            if destination is None
            else lambda router: self._connected(router, destination)
        )
        for here in waiting:
            found = deliver(here)
            if isinstance(found, tuple):
                return (*reached[here], *found)
            broken = broken or found or ""
            for there, hop in self._next_routers(here):
                if there not in reached:
                    reached[there] = (*reached[here], *hop)
                    waiting.append(there)
        where = "networks outside" if destination is None else str(destination)
        cause = broken or f"{_named(start)} has no route to {where}"
        return Unreachable(cause, self.plan.switches[start[0]].fabric)

    def _next_routers(self, here: Router) -> Iterator[tuple[Router, Path]]:
        switch, vrf = here
        own = self.intents[switch].vrfs.get(vrf or "")
        for imported in own.imports if own else ():
            yield (switch, imported), (Hop(switch, None, f"VRF {vrf}", f"VRF {imported}"),)
        for name, peer in self._peers(switch):
            other = self.intents[peer].vrfs.get(vrf or "")
            if vrf is None or (own and other and own.l3_vni == other.l3_vni):
                yield (peer, vrf), (Hop(switch, name, f"VRF {vrf}" if vrf else "routed", peer),)

    def _peers(self, switch: str) -> Iterator[tuple[str, str]]:
        """Yield port and switch of every BGP session between two switches that both ends have."""
        keys, bgp = self._keys(switch), self.intents[switch].bgp
        for name, far in self._trunks.get(switch, ()) if bgp else ():
            other = self.intents.get(far.device)
            far_key = self._keys(far.device).get(far.port, "")
            if bgp and other and other.bgp and keys.get(name) in bgp.neighbors and far_key in other.bgp.neighbors:
                yield name, far.device

    def _connected(self, router: Router, destination: IPv4Address) -> Path | None:
        """Return the last hop where a router has a subnet of the destination."""
        switch, vrf = router
        for number, vlan in self.intents[switch].vlans.items():
            held = vlan.address or vlan.anycast_gateway
            if vlan.vrf == vrf and held and destination in IPv4Interface(held).network:
                return (Hop(switch, None, f"VLAN {number}", str(destination)),)
        return None

    def _leave(self, router: Router, *, learned: bool) -> Path | str | None:
        """Return the hop to a network outside; a text where a route out is configured and does not work.

        Parameters
        ----------
        learned
            Whether another switch would have to learn the route from this one: static routes are not advertised.
        """
        switch, vrf = router
        intent = self.intents[switch]
        own = intent.vrfs.get(vrf or "")
        bgp = intent.bgp.neighbors if intent.bgp and vrf is None else own.neighbors if own else {}
        found: Path | str | None = None
        for uplink in self._uplinks.get(switch, ()):
            port = self._port(LinkEnd(switch, uplink.port))
            peer = uplink.peer if uplink.attach == "bgp" else self._keys(switch)[uplink.port]
            if port is None or port.vrf != vrf:
                continue
            if uplink.attach == "vlan":
                static = "is a static route, which no other switch learns" if intent.default_route else "has no gateway"
                found = f"the uplink {uplink.name} of {switch} {static}"
                continue
            if peer in bgp:
                return (Hop(switch, uplink.port, f"VRF {vrf}" if vrf else "routed", _outside(uplink)),)
            found = f"{switch} has no BGP session over {uplink.port}, the uplink {uplink.name}"
        return self._leave_by_default_route(switch) or found if vrf is None and not learned else found

    def _leave_by_default_route(self, switch: str) -> Path | str | None:
        """Return the hop of a switch's static default route."""
        next_hop = self.intents[switch].default_route
        if next_hop is None:
            return None
        address = IPv4Address(next_hop)
        vlans = self.intents[switch].vlans.items()
        near = (number for number, vlan in vlans if vlan.address and address in IPv4Interface(vlan.address).network)
        number = next(near, None)
        if number is None:
            return f"the next hop {next_hop} of {switch} is in no subnet that the switch has an address in"
        for (other, vlan), path in self.segment((switch, number)).items():
            for uplink in self._uplinks.get(other, ()):
                if vlan in self.vlans_on(LinkEnd(other, uplink.port))[1]:
                    return (*path, Hop(other, uplink.port, f"VLAN {vlan}", _outside(uplink, next_hop)))
        return f"VLAN {number} of {switch}, with the next hop {next_hop}, leaves over no uplink"


def _outside(uplink: UplinkPlan, next_hop: str | None = None) -> str:
    peer = next_hop or uplink.peer
    return f"{uplink.name} {peer}" if peer else uplink.name


def _named(router: Router) -> str:
    switch, vrf = router
    return f"VRF {vrf} of {switch}" if vrf else switch
