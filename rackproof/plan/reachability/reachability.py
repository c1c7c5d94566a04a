"""What reaches what over the planned network: management stations, and the services that the site file names.

Stations reach every switch, BMC and PDU; switches reach name, time and log servers, and hosts name and time servers.
Networks outside are taken for one routed network: they route to every prefix of the site that an uplink leads to.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import Final

from msgspec import Struct

from rackproof.errors import Problems, ValuePath
from rackproof.hardware.load import Catalogue
from rackproof.plan.model.plan import LinkEnd, Notice, Plan, ServerPlan
from rackproof.plan.model.reachability import Flow, Hop, Plugged, ServiceKind, ServicePlan
from rackproof.plan.reachability.forwarding import Path, PlannedNetwork, Unreachable
from rackproof.site.models import Site

OUTSIDE: Final = "networks outside"
OF_SWITCHES: Final[tuple[ServiceKind, ...]] = ("dns", "ntp", "syslog")
OF_HOSTS: Final[tuple[ServiceKind, ...]] = ("dns", "ntp")
INSTALLATION_PORT: Final = "lom0"
"""Port of a server without ports towards clients, over which its installer set the default route."""


class _Source(Struct, frozen=True, gc=False):
    """An interface of a device, where it is plugged in."""

    device: str
    port: str
    address: str
    """With prefix length."""
    gateway: str | None
    end: LinkEnd
    fabric: str


@dataclass(frozen=True, slots=True)
class _Station:
    """Where a management station is."""

    peer: str
    destination: IPv4Address | None
    """None: networks outside."""


@dataclass(frozen=True)
class _Walks:
    """Ways that many devices share: they are walked once."""

    network: PlannedNetwork
    inside: Sequence[IPv4Network]
    """Prefixes of the site's subnets."""
    _known: dict[tuple[str, int, str | None, IPv4Address | None], Path | Unreachable] = field(default_factory=dict)

    def way(self, source: _Source, destination: IPv4Address | None) -> tuple[Plugged, Path | Unreachable]:
        """Return where a device is plugged in, and the hops from there to an address or to networks outside (None)."""
        vlan = self.network.vlans_on(source.end)[0]
        plugged = Plugged(source.end.device, source.end.port, vlan)
        if vlan is None:
            return plugged, Unreachable(f"{source.end} carries no untagged VLAN", source.fabric)
        key = source.end.device, vlan, source.gateway, destination
        if key not in self._known:
            self._known[key] = self._routed(source, vlan, destination)
        return plugged, self._known[key]

    def _routed(self, source: _Source, vlan: int, destination: IPv4Address | None) -> Path | Unreachable:
        if destination is not None and destination in IPv4Interface(source.address).network:
            return ()
        if source.gateway is None:
            return Unreachable(f"{source.device} {source.port} has no gateway", source.fabric)
        found = self.network.gateway((source.end.device, vlan), source.gateway)
        if found is None:
            cause = f"no switch has the gateway {source.gateway} in VLAN {vlan} of {source.end.device}"
            return Unreachable(cause, source.fabric)
        router, path = found
        rest = self.network.route(router, self._seen_from_inside(destination))
        if isinstance(rest, Unreachable) and destination is not None:
            rest = self._over_outside(router, destination, rest)
        return rest if isinstance(rest, Unreachable) else (*path, *rest)

    def _seen_from_inside(self, destination: IPv4Address | None) -> IPv4Address | None:
        """Return a destination; None where it is outside, whatever its address."""
        known = destination is not None and any(destination in prefix for prefix in self.inside)
        return destination if known else None

    def _over_outside(
        self, router: tuple[str, str | None], destination: IPv4Address, failed: Unreachable
    ) -> Path | Unreachable:
        """Return the way over networks outside to another fabric of the site; both must have an uplink."""
        out = self.network.route(router, None)
        if isinstance(out, Unreachable) or self._seen_from_inside(destination) is None:
            return failed
        for far in self.network.routers(destination):
            if not isinstance(self.network.route(far, None), Unreachable):
                return (*out, Hop(OUTSIDE, None, "routed", far[0]), Hop(far[0], None, "routed", str(destination)))
        return failed


def services(site: Site) -> Iterator[ServicePlan]:
    """Yield the addresses that devices must reach."""
    external = site.external
    named: dict[ServiceKind, tuple[IPv4Address, ...]] = {
        "management": external.management,
        "dns": external.dns,
        "ntp": external.ntp,
        "syslog": external.syslog,
    }
    for kind, addresses in named.items():
        for number, address in enumerate(addresses):
            yield ServicePlan(kind, str(address), number)


def flows(plan: Plan, catalogue: Catalogue) -> Iterator[Flow]:
    """Yield every flow that the site needs, reached or not: management first, then services of switches and hosts."""
    walks = _Walks(PlannedNetwork(plan, catalogue), _prefixes(plan))
    managed = tuple(_managed(plan))
    for station in _stations(plan, managed):
        for source in managed:
            yield _flow(walks, source, "management", station.peer, station.destination)
    own = [source for source in managed if source.device in plan.switches]
    for wanted, sources in ((OF_SWITCHES, own), (OF_HOSTS, list(_hosts(plan, managed)))):
        for service in plan.services:
            for source in sources if service.kind in wanted else ():
                yield _flow(walks, source, service.kind, service.address, IPv4Address(service.address))


def _flow(walks: _Walks, source: _Source, kind: ServiceKind, peer: str, destination: IPv4Address | None) -> Flow:
    plugged, way = walks.way(source, destination)
    address = source.address.partition("/")[0]
    if isinstance(way, Unreachable):
        return Flow(source.device, source.port, address, kind, peer, plugged, (), way.cause, way.fabric)
    return Flow(source.device, source.port, address, kind, peer, plugged, way)


def _prefixes(plan: Plan) -> tuple[IPv4Network, ...]:
    subnets = (subnet for fabric in plan.fabrics.values() for subnet in fabric.subnets)
    return tuple(IPv4Network(subnet.prefix) for subnet in subnets)


# --- Devices -----------------------------------------------------------------------------------------------------


def _managed(plan: Plan) -> Iterator[_Source]:
    """Yield every management interface that is cabled and has an address."""
    hosts, gateways = plan.hosts(), _oob_gateways(plan)
    for link in plan.links:
        if link.kind == "management":
            address, gateway = _management_address(plan, hosts.get(link.b.device), link.b, gateways.get(link.a.device))
            if address:
                yield _Source(link.b.device, link.b.port, address, gateway, link.a, link.fabric)


def _oob_gateways(plan: Plan) -> dict[str, tuple[str, str]]:
    """Return out-of-band switch to the gateway and the prefix length of its subnet, which PDUs are told by hand."""
    found: dict[str, tuple[str, str]] = {}
    for fabric in plan.fabrics.values():
        for subnet in fabric.subnets if fabric.role == "oob" else ():
            if subnet.gateway is not None:
                row = subnet.gateway, subnet.prefix.partition("/")[2]
                found |= dict.fromkeys(subnet.switches, row)
    return found


def _management_address(
    plan: Plan, host: ServerPlan | None, end: LinkEnd, subnet: tuple[str, str] | None
) -> tuple[str | None, str | None]:
    """Return address, with prefix length, and gateway of a management interface."""
    if host is not None:
        port = host.ports[end.port]
        return port.address, port.gateway
    switch = plan.switches.get(end.device)
    if switch is not None:
        own = switch.intent.management if switch.intent else None
        return (own.address, own.gateway) if own else (None, None)
    pdu = plan.pdus.get(end.device)
    return (pdu.address if pdu else None), (subnet[0] if subnet else None)


def _hosts(plan: Plan, managed: Sequence[_Source]) -> Iterator[_Source]:
    """Yield the ports that servers have their default route over, each leg of a bond."""
    installation = {source.device: source for source in managed if source.port == INSTALLATION_PORT}
    for server in plan.servers.values():
        legs = tuple(_default_legs(plan, server))
        yield from legs or ((installation[server.name],) if server.name in installation else ())


def _default_legs(plan: Plan, server: ServerPlan) -> Iterator[_Source]:
    """Yield the ports of a server's default route: its first port towards clients, and all ports of that bond."""
    ports = (port for port in server.ports.values() if plan.fabrics[port.fabric].role == "frontend")
    first = next((port for port in ports if port.bond or port.address), None)
    if first is None:
        return
    holder = server.bonds[first.bond] if first.bond else first
    for name in server.bonds[first.bond].members if first.bond else (first.name,):
        port = server.ports[name]
        if port.switch and port.switch_port and holder.address:
            end = LinkEnd(port.switch, port.switch_port)
            yield _Source(server.name, name, holder.address, holder.gateway, end, port.fabric)


# --- Stations ----------------------------------------------------------------------------------------------------


def _stations(plan: Plan, managed: Sequence[_Source]) -> Iterator[_Station]:
    """Yield the stations that the site file names; without one any outside, or in the first out-of-band subnet."""
    named = [service for service in plan.services if service.kind == "management"]
    for service in named:
        yield _Station(service.address, IPv4Address(service.address))
    if not named and managed:
        if _leads_out(plan, managed):
            yield _Station(OUTSIDE, None)
        else:
            subnet = IPv4Interface(managed[0].address).network
            yield _Station(str(subnet), subnet[1])


def _leads_out(plan: Plan, managed: Sequence[_Source]) -> bool:
    """Return whether any out-of-band fabric has an uplink, or joins a pair that has one."""
    oob = {source.fabric for source in managed}
    joined = any(link.kind == "inter-switch" and link.fabric in oob for link in plan.links)
    return any(uplink.fabric in oob for uplink in plan.uplinks) or (joined and bool(plan.uplinks))


# --- Errors ------------------------------------------------------------------------------------------------------


def check_reachability(plan: Plan, catalogue: Catalogue, problems: Problems) -> Iterator[Notice]:
    """Record what cannot be reached, one error a cause, and yield what a reader of the plan must know.

    A site file without any uplink does not describe networks outside: what lies there is then a warning, no error.
    """
    failed: dict[tuple[str, str, str], list[Flow]] = {}
    stations: dict[str, None] = {}
    for flow in flows(plan, catalogue):
        if flow.kind == "management":
            stations[flow.peer] = None
        if flow.cause is not None:
            kind = "management" if flow.kind == "management" else "services"
            alike = flow.cause.replace(flow.plugged.switch, "")  # switches with the same defect are one error
            failed.setdefault((kind, flow.fabric, alike), []).append(flow)
    named = {service.address: service for service in plan.services}
    for (_, fabric, _), rows in failed.items():
        service = named.get(rows[0].peer)
        path: ValuePath = ("external", service.kind, service.number) if service else ("fabrics", fabric, "topology")
        message = f"{_who(rows)} cannot reach {_what(rows)}: {rows[0].cause}"
        (problems.add if plan.uplinks else problems.warn)(path, message, _hint(plan, fabric))
    yield from _station_notices(plan, stations)


def _hint(plan: Plan, fabric: str) -> str:
    """Return what gives a fabric a way out."""
    own = (uplink for uplink in plan.uplinks if uplink.fabric == fabric and uplink.attach == "vlan")
    without = next((uplink.name for uplink in own if uplink.peer is None), None)
    if without is not None:
        return f"set gateway of the uplink {without}: the next hop in its VLAN"
    return f"add an uplink with fabric: {fabric} to external.uplinks"


def _station_notices(plan: Plan, stations: Iterable[str]) -> Iterator[Notice]:
    """Yield where a management station must be, as the site file names none."""
    if any(service.kind == "management" for service in plan.services):
        return
    for peer in stations:
        text = (
            "the site file names no management station: it may be anywhere outside the site"
            if peer == OUTSIDE
            else f"no uplink leads out of band: a management station needs an address of {peer} on its switch"
        )
        yield Notice("reachability", "external.management", text)


def _who(rows: Sequence[Flow]) -> str:
    """Return the devices of flows: the first, and how many more."""
    devices = list(dict.fromkeys(flow.device for flow in rows))
    return devices[0] + (f" and {len(devices) - 1} more device(s)" if len(devices) > 1 else "")


def _what(rows: Sequence[Flow]) -> str:
    """Return the services of flows with their addresses."""
    kinds = dict.fromkeys((flow.kind, flow.peer) for flow in rows)
    return ", ".join(f"{'management station' if kind == 'management' else kind} {peer}" for kind, peer in kinds)
