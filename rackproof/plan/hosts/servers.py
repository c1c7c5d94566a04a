"""Servers as planned: their ports, bonds and addresses."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rackproof.plan.fabric.draft import FabricDraft
from rackproof.plan.fabric.server_ports import DevicePort, ServerDraft
from rackproof.plan.model.plan import BondPlan, HostPort, HostVlan, Link, LinkEnd, ServerPlan
from rackproof.plan.network.addressing import Endpoint, FabricAddresses
from rackproof.plan.network.mtu import host_mtu_bytes
from rackproof.plan.physical.placement import Placement
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
    bonds_by_server: Mapping[str, Sequence[tuple[FabricAddresses, Endpoint]]]
    """Server to its bonds."""


def host_context(
    drafts: Sequence[FabricDraft], addresses: Mapping[str, FabricAddresses], links: Sequence[Link]
) -> HostContext:
    """Index the plan so far by server port."""
    bonds: dict[tuple[str, str], Endpoint] = {}
    bonds_by_server: dict[str, list[tuple[FabricAddresses, Endpoint]]] = {}
    for fabric in addresses.values():
        for bond in (endpoint for endpoint in fabric.endpoints if endpoint.bonded):
            bonds |= {(member.device, member.port): bond for member in bond.members}
            bonds_by_server.setdefault(bond.device, []).append((fabric, bond))
    ends = {(link.b.device, link.b.port): link.a for link in links}
    return HostContext({draft.name: draft for draft in drafts}, addresses, ends, bonds, bonds_by_server)


def _port(context: HostContext, device_port: DevicePort) -> HostPort | None:
    end = context.ends.get((device_port.device, device_port.port))
    if end is None:
        return None
    bond = context.bonds.get((device_port.device, device_port.port))
    fabric = context.addresses[device_port.fabric]
    own = None if bond else fabric.hosts.get(f"{device_port.device}:{device_port.port}")
    shared = fabric.hosts.get(bond.key) if bond else own
    return HostPort(
        name=device_port.port,
        fabric=device_port.fabric,
        nic=device_port.nic,
        slot=device_port.slot.slot if device_port.slot else None,
        port=device_port.number,
        speed_gbps=device_port.speed_gbps,
        address=own.address if own else None,
        gateway=own.gateway if own else None,
        bond=bond.name if bond else None,
        mtu_bytes=host_mtu_bytes(context.drafts[device_port.fabric]),
        switch=end.device,
        switch_port=end.port,
        vlan=shared.vlan if shared else None,
        rail=device_port.rail,
        gpus=device_port.slot.gpus if device_port.slot else (),
    )


def _bonds(context: HostContext, server: str) -> Iterator[tuple[str, BondPlan]]:
    for fabric, endpoint in context.bonds_by_server.get(server, ()):
        host = fabric.hosts[endpoint.key]
        yield (
            endpoint.name,
            BondPlan(tuple(device_port.port for device_port in endpoint.members), host.address, host.gateway),
        )


def _vlans(context: HostContext, server: str) -> Iterator[tuple[str, HostVlan]]:
    """Yield the VLANs that a server takes tagged, over the first of its bonds in their fabric."""
    for fabric, endpoint in context.bonds_by_server.get(server, ()):
        host, name = fabric.services.get(server), endpoint.members[0].fabric
        if host is not None and host.vlan is not None:
            mtu_bytes = host_mtu_bytes(context.drafts[name])
            yield vlan_port(host.vlan), HostVlan(name, endpoint.name, host.vlan, host.address, host.gateway, mtu_bytes)


def plan_servers(
    server_drafts: Sequence[ServerDraft], placement: Placement, context: HostContext
) -> dict[str, ServerPlan]:
    """Return every server that is there, with all its ports."""
    servers = {}
    for server_draft in server_drafts:
        if not server_draft.planned or server_draft.name not in placement.positions:
            continue
        ports = {device_port.port: _port(context, device_port) for device_port in server_draft.device_ports}
        servers[server_draft.name] = ServerPlan(
            name=server_draft.name,
            group=server_draft.group,
            model=server_draft.model.model,
            position=placement.positions[server_draft.name],
            ports={name: port for name, port in ports.items() if port},
            bonds=dict(_bonds(context, server_draft.name)),
            vlans=dict(_vlans(context, server_draft.name)),
        )
    return servers
