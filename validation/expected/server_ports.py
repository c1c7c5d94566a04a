"""What the suites about a server's ports share: their subjects, remedies, and facts that one port cannot give."""

from collections.abc import Callable, Collection
from typing import ParamSpec, TypeVar

from rackproof.facts.fact import FactError
from rackproof.plan.hosts.ports import VIRTIO_DRIVER
from rackproof.plan.model.host import AddressedPort, NamedPort
from rackproof.plan.model.plan import HostPort
from validation.expected.fixtures import Judge, Server

P = ParamSpec("P")
T = TypeVar("T")


def port_subject(server: Server, port: str) -> str:
    """Return how results name a port: ``gpu-001:rail3``."""
    return f"{server.name}:{port}"


def port_rail(server: Server, port: str) -> int | None:
    """Return the number of the rail of a port or bond; None: it is on none."""
    planned = server.plan.ports.get(port)
    return planned.rail if planned else None


def up_remedy(server: Server) -> str:
    """Return what sets a server to what the plan says."""
    return f"`rackproof up {server.site.plan.site} --only {server.name}` sets it"


def fact_or_error(judge: Judge, subject: str, ask: Callable[P, T], *args: P.args, **named: P.kwargs) -> T | None:
    """Return what a subject tells when asked; None, and an error for it alone, where it does not."""
    try:
        return ask(*args, **named)
    except FactError as error:
        judge.error_from(subject, error)
        return None


def is_virtual_adapter(port: str, server: Server) -> bool:
    """Whether a virtual adapter of a lab stands in for the one of the plan."""
    return any(one.name == port and one.driver == VIRTIO_DRIVER for one in server.intent.ports)


def ethernet_ports(server: Server) -> tuple[tuple[NamedPort, HostPort], ...]:
    """Return the ports of a server that carry Ethernet, and not InfiniBand, with what they are plugged into."""
    fabrics = server.site.plan.fabrics
    both = ((port, server.plan.ports[port.name]) for port in server.intent.ports)
    return tuple((port, planned) for port, planned in both if not fabrics[planned.fabric].subnet_managers)


def port_bond(server: Server, port: str) -> AddressedPort | None:
    """Return the bond that a port is a member of."""
    return next((one for one in server.intent.addresses if port in one.members), None)


def shares_rdma_device(server: Server, port: str, devices: Collection[str]) -> bool:
    """Whether a port has no RDMA device because another member of its bond has one for all of them.

    Adapters whose driver joins the ports of a bond have one RDMA device, at the first of them (NVIDIA: RoCE LAG).
    """
    bond = port_bond(server, port)
    names = {one.name: one.rdma_device for one in server.intent.ports}
    return bond is not None and names[port] not in devices and any(names[one] in devices for one in bond.members)
