"""Servers as planned: their ports, bonds and addresses."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rackproof.plan.fabric.draft import FabricDraft
from rackproof.plan.fabric.server_ports import ServerSeat, Socket
from rackproof.plan.model.plan import BondPlan, HostPort, HostVlan, Link, LinkEnd, ServerPlan
from rackproof.plan.network.addressing import Endpoint, FabricAddresses
from rackproof.plan.physical.placement import Placement
from rackproof.plan.switches.intent import host_mtu_of
from rackproof.site.derived import vlan_port


@dataclass(frozen=True, slots=True)
class HostContext:
    """What servers are derived from."""

    drafts: Mapping[str, FabricDraft]
    addresses: Mapping[str, FabricAddresses]
    ends: Mapping[tuple[str, str], LinkEnd]
    """(server, port) to the switch port at the other end."""
    bonds: Mapping[tuple[str, str], Endpoint]
    """(server, port) to the bond it belongs to."""
    bonds_of: Mapping[str, Sequence[tuple[FabricAddresses, Endpoint]]]
    """Server to its bonds."""


def host_context(
    drafts: Sequence[FabricDraft], addresses: Mapping[str, FabricAddresses], links: Sequence[Link]
) -> HostContext:
    """Index the plan so far by server port."""
    bonded = [(fabric, one) for fabric in addresses.values() for one in fabric.endpoints if one.bonded]
    bonds = {(socket.device, socket.port): one for _, one in bonded for socket in one.members}
    bonds_of: dict[str, list[tuple[FabricAddresses, Endpoint]]] = {}
    for fabric, endpoint in bonded:
        bonds_of.setdefault(endpoint.device, []).append((fabric, endpoint))
    ends = {(link.b.device, link.b.port): link.a for link in links}
    return HostContext({draft.name: draft for draft in drafts}, addresses, ends, bonds, bonds_of)


def _port(context: HostContext, socket: Socket) -> HostPort | None:
    end = context.ends.get((socket.device, socket.port))
    if end is None:
        return None
    bond = context.bonds.get((socket.device, socket.port))
    fabric = context.addresses[socket.fabric]
    own = None if bond else fabric.hosts.get(f"{socket.device}:{socket.port}")
    shared = fabric.hosts.get(bond.key) if bond else own
    return HostPort(
        name=socket.port,
        fabric=socket.fabric,
        nic=socket.nic,
        slot=socket.slot.slot if socket.slot else None,
        port=socket.number,
        speed_gbps=socket.speed_gbps,
        address=own.address if own else None,
        gateway=own.gateway if own else None,
        bond=bond.name if bond else None,
        mtu_bytes=host_mtu_of(context.drafts[socket.fabric]),
        switch=end.device,
        switch_port=end.port,
        vlan=shared.vlan if shared else None,
        rail=socket.rail,
        gpus=socket.slot.gpus if socket.slot else (),
    )


def _bonds(context: HostContext, server: str) -> Iterator[tuple[str, BondPlan]]:
    for fabric, endpoint in context.bonds_of.get(server, ()):
        host = fabric.hosts[endpoint.key]
        yield endpoint.name, BondPlan(tuple(socket.port for socket in endpoint.members), host.address, host.gateway)


def _vlans(context: HostContext, server: str) -> Iterator[tuple[str, HostVlan]]:
    """Yield the VLANs that a server takes tagged, over the first of its bonds in their fabric."""
    for fabric, endpoint in context.bonds_of.get(server, ()):
        host, name = fabric.services.get(server), endpoint.members[0].fabric
        if host is not None and host.vlan is not None:
            mtu_bytes = host_mtu_of(context.drafts[name])
            yield vlan_port(host.vlan), HostVlan(name, endpoint.name, host.vlan, host.address, host.gateway, mtu_bytes)


def plan_servers(seats: Sequence[ServerSeat], placement: Placement, context: HostContext) -> dict[str, ServerPlan]:
    """Return every server that is there, with all its ports."""
    servers = {}
    for seat in seats:
        if not seat.planned or seat.name not in placement.positions:
            continue
        ports = {socket.port: _port(context, socket) for socket in seat.sockets}
        servers[seat.name] = ServerPlan(
            name=seat.name,
            group=seat.group,
            model=seat.model.model,
            position=placement.positions[seat.name],
            ports={name: port for name, port in ports.items() if port},
            bonds=dict(_bonds(context, seat.name)),
            vlans=dict(_vlans(context, seat.name)),
        )
    return servers
