"""A host's network ports: names by slot, addresses, and which table answers for which address."""

from collections.abc import Iterator
from functools import cache
from ipaddress import IPv4Interface, IPv4Network, collapse_addresses
from typing import Final

from rackproof.hardware.load import Catalogue
from rackproof.hardware.models import NicModel
from rackproof.plan.model.host import AddressedPort, NamedPort
from rackproof.plan.model.plan import FabricPlan, HostPort, HostVlan, Plan, ServerPlan
from rackproof.site.as_built import AsBuilt, AsBuiltPort

RAIL_TABLE: Final = 100
"""Routing table of rail 0; the others follow by number (253 to 255 are the kernel's: rt_tables, iproute2)."""
OTHER_TABLE: Final = 200
"""Routing table of the second addressed port towards clients; the others follow."""
VIRTIO_DRIVER: Final = "virtio_net"
"""Driver of a virtual machine's adapter (Linux, drivers/net/virtio_net.c)."""
DATA_ROLES: Final = ("backend", "frontend")
"""Fabrics whose ports are named and addressed.

The installation port (lom0) is left as the installer set it up: it is what a host is reached by while its other ports
get their names.
"""


def data_ports(plan: Plan, server: ServerPlan) -> tuple[HostPort, ...]:
    """Return the ports of a server that carry data: rails, and ports towards clients and storage."""
    return tuple(port for port in server.ports.values() if plan.fabrics[port.fabric].role in DATA_ROLES)


def rdma_device(plan: Plan, port: HostPort, catalogue: Catalogue) -> str | None:
    """Return what the RDMA device of a port is called; None where it carries no RDMA.

    Rails carry RDMA, over RoCE or InfiniBand; so does every other port of a fabric with RoCE.
    """
    able = catalogue.nic(port.nic).rdma_driver is not None
    carries = port.rail is not None or plan.fabrics[port.fabric].roce is not None
    return f"rdma_{port.name}" if able and carries else None


def driver_and_device(nic: NicModel, found: AsBuiltPort | None) -> tuple[str, str | None]:
    """Return driver and PCI device of an adapter: the model's, or those of what stands in for it in a lab."""
    if found is not None and found.stands_in:
        return VIRTIO_DRIVER, found.device_id.partition(":")[2]
    return nic.driver, nic.device_id


def named_ports(plan: Plan, server: ServerPlan, catalogue: Catalogue, as_built: AsBuilt) -> Iterator[NamedPort]:
    """Yield what every port is called; a hosted machine's ports keep the names its provider gave them."""
    for port in data_ports(plan, server) if server.position else ():
        found = as_built.port(server.name, port.name)
        yield NamedPort(
            name=port.name,
            slot=port.slot,
            port=port.port,
            driver=driver_and_device(catalogue.nic(port.nic), found)[0],
            rdma_device=rdma_device(plan, port, catalogue),
            pci_address=found.pci_address if found else None,
            mac_address=found.mac_address if found else None,
        )


def addressed_ports(plan: Plan, server: ServerPlan) -> Iterator[AddressedPort]:
    """Yield every port, bond and VLAN with an address, rails first.

    Each rail has a table of its own for what comes from its address: a host with several ports in one fabric would
    else answer over whichever its main table finds first. The first port towards clients has the default route.
    """
    others = 0
    for port in data_ports(plan, server):
        address, gateway = _address_and_gateway(server, port)
        if address is None or not _leads_bond(server, port):
            continue
        table = _table(port.rail, others, gateway)
        yield _addressed(plan.fabrics[port.fabric], server, port, address, gateway, table)
        others += port.rail is None
    for place, (name, vlan) in enumerate(server.vlans.items(), start=others):
        yield _tagged(name, vlan, OTHER_TABLE + place, plan.fabrics[vlan.fabric])


def _address_and_gateway(server: ServerPlan, port: HostPort) -> tuple[str | None, str | None]:
    """Return address and gateway of a port, or of the bond it belongs to."""
    holder = server.bonds[port.bond] if port.bond is not None else port
    return holder.address, holder.gateway


def _leads_bond(server: ServerPlan, port: HostPort) -> bool:
    """Return whether a port stands alone or is the first of its bond."""
    return port.bond is None or server.bonds[port.bond].members[0] == port.name


def _table(rail: int | None, others: int, gateway: str | None) -> int | None:
    """Return the routing table of a port; None: the main one, of the first port towards clients with a gateway."""
    if rail is not None:
        return RAIL_TABLE + rail
    return None if others == 0 and gateway is not None else OTHER_TABLE + others


def _addressed(
    fabric: FabricPlan, server: ServerPlan, port: HostPort, address: str, gateway: str | None, table: int | None
) -> AddressedPort:
    return AddressedPort(
        name=port.bond or port.name,
        address=address,
        gateway=gateway,
        mtu_bytes=port.mtu_bytes,
        default_route=table is None,
        table=table,
        rail=port.rail,
        to=_beyond(fabric, address) if table is not None and gateway else (),
        members=server.bonds[port.bond].members if port.bond is not None else (),
    )


def _tagged(name: str, vlan: HostVlan, table: int, fabric: FabricPlan) -> AddressedPort:
    """Return a VLAN that is taken tagged: what comes from its address leaves through it."""
    return AddressedPort(
        name=name,
        address=vlan.address,
        gateway=vlan.gateway,
        mtu_bytes=vlan.mtu_bytes,
        default_route=False,
        table=table,
        rail=None,
        to=_beyond(fabric, vlan.address) if vlan.gateway else (),
        link=vlan.link,
        vlan=vlan.vlan,
    )


def _beyond(fabric: FabricPlan, address: str) -> tuple[str, ...]:
    """Return the prefixes of a fabric's hosts that lie outside the subnet of ``address``."""
    own = IPv4Interface(address).network
    return tuple(str(prefix) for prefix in _host_prefixes(fabric) if prefix != own)


def _host_prefixes(fabric: FabricPlan) -> tuple[IPv4Network, ...]:
    """Return the subnets of a fabric that have a gateway, put together where they touch."""
    return _collapsed(tuple(subnet.prefix for subnet in fabric.subnets if subnet.gateway is not None))


@cache
def _collapsed(prefixes: tuple[str, ...]) -> tuple[IPv4Network, ...]:
    """Return prefixes put together; the same for every server of a fabric."""
    return tuple(collapse_addresses(IPv4Network(prefix) for prefix in prefixes))
