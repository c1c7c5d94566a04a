"""What a fabric numbers, and how an address follows from a number: growth renumbers nothing.

How the prefix of hosts is cut is in `host_addressing.py`, that of an out-of-band fabric in `oob_addressing.py`.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Network

from msgspec import Struct

from rackproof.errors import Problems
from rackproof.plan.fabric.draft import FabricDraft
from rackproof.plan.fabric.server_ports import DevicePort, ServerDraft
from rackproof.plan.model.plan import SubnetPlan
from rackproof.site.derived import is_bonded, shares_subnet
from rackproof.site.models import Site

FIRST_HOST = 16
"""Below it: gateway, the switches of a pair, and addresses to assign by hand."""


class Endpoint(Struct, frozen=True, gc=False):
    """What a server addresses on a fabric: a port, or a bond of ports."""

    device: str
    name: str
    members: tuple[DevicePort, ...]
    subnet: tuple[int, int]
    """Layer 2 domain and rail of its subnet; rail 0 where all rails share one."""
    place: int = 0
    """Number among the server's endpoints in that subnet, from 0."""

    @property
    def key(self) -> str:
        """Name over the whole site: gpu-001:rail0."""
        return f"{self.device}:{self.name}"

    @property
    def bonded(self) -> bool:
        """Whether it is a bond rather than a port."""
        return len(self.members) > 1


class HostAddress(Struct, frozen=True, gc=False):
    """An endpoint's address."""

    address: str
    """With prefix length."""
    gateway: str | None
    vlan: int | None
    """Neither on InfiniBand."""


@dataclass(slots=True)
class FabricAddresses:
    """Everything numbered in one fabric."""

    subnets: list[SubnetPlan] = field(default_factory=list)
    endpoints: list[Endpoint] = field(default_factory=list)
    hosts: dict[str, HostAddress] = field(default_factory=dict)
    """Endpoint ("gpu-001:rail0") or device ("r1-pdu-1:mgmt") to its address."""
    kept: dict[str, HostAddress] = field(default_factory=dict)
    """Endpoint of a storage node that is not there yet to its address: it belongs to the cluster's pool already."""
    services: dict[str, HostAddress] = field(default_factory=dict)
    """Device to its address in the service VLAN that it takes tagged."""
    loopbacks: dict[int, str] = field(default_factory=dict)
    """Switch number to loopback address, without prefix length."""


def endpoints(draft: FabricDraft, server_draft: ServerDraft) -> Iterator[Endpoint]:
    """Yield what one server addresses on a fabric, in order; rails of one domain share no subnet unless asked."""
    device_ports = server_draft.ports_on(draft.name)
    shared, domains = shares_subnet(draft.name, draft.asked), draft.layout.port_domains
    places: Counter[tuple[int, int]] = Counter()
    for number, members in enumerate(_members(draft, device_ports)):
        first = members[0]
        bonded = len(members) > 1
        key = (domains.get((first.device, first.port), 0), 0 if shared else number)
        yield Endpoint(
            server_draft.name, f"{draft.name}-bond{number}" if bonded else first.port, members, key, places[key]
        )
        places[key] += 1


def _members(draft: FabricDraft, device_ports: Sequence[DevicePort]) -> list[tuple[DevicePort, ...]]:
    """Return the ports of a server that are addressed together where they form a bond.

    In a backend those of each NIC, a rail or two; elsewhere all of them, so that a NIC may fail too.
    """
    if not is_bonded(draft.name, draft.asked):
        return [(device_port,) for device_port in device_ports]
    if draft.role != "backend":
        return [tuple(device_ports)] if device_ports else []
    slots = dict.fromkeys(device_port.slot.slot for device_port in device_ports if device_port.slot)
    return [tuple(s for s in device_ports if s.slot and s.slot.slot == slot) for slot in slots]


def service_key(cluster: str, subnet: str) -> str:
    """Return the name over the whole site of a cluster's service address in a subnet."""
    return f"{cluster}:ssip.{subnet}"


def cut_prefix(prefix: IPv4Network, parts: int) -> list[IPv4Network]:
    """Return the first subnets of ``prefix`` cut into the next power of two of ``parts``; [] if it is too small."""
    bits = (parts - 1).bit_length()
    if prefix.prefixlen + bits > 30:
        return []
    return list(prefix.subnets(prefixlen_diff=bits))


def dotted(address: int) -> str:
    """Return an IPv4 address as it is written (three times as fast as ``ipaddress`` does it)."""
    return f"{address >> 24}.{address >> 16 & 255}.{address >> 8 & 255}.{address & 255}"


def loopback_subnet(draft: FabricDraft, subnet: IPv4Network) -> SubnetPlan:
    """Return the subnet of a fabric's loopbacks."""
    return SubnetPlan(draft.name, "loopbacks", None, str(subnet), None, f"{subnet[1]}-{subnet[-2]}", None)


def loopbacks(draft: FabricDraft, subnet: IPv4Network) -> dict[int, str]:
    """Return switch number to loopback address."""
    first = int(subnet.network_address) + 1
    return {number: dotted(first + number) for number in range(len(draft.layout.switches))}


def host_address(
    site: Site, key: str, subnet: IPv4Network, place: int, gateway: str | None, vlan: int | None, problems: Problems
) -> HostAddress:
    """Return the address of an endpoint: pinned, or the ``place``-th of its subnet."""
    if key in site.pin.addresses:
        _check_pin(site, key, subnet, problems)
        return HostAddress(f"{site.pin.addresses[key]}/{subnet.prefixlen}", gateway, vlan)
    return HostAddress(f"{dotted(int(subnet.network_address) + place)}/{subnet.prefixlen}", gateway, vlan)


def _check_pin(site: Site, key: str, subnet: IPv4Network, problems: Problems) -> None:
    pinned = site.pin.addresses[key]
    if pinned not in subnet or pinned in {subnet[0], subnet[1], subnet[-1]}:
        problems.add(
            ("pin", "addresses", key),
            f"{pinned} is no host address of {subnet}, where {key} stands",
            f"take one from {subnet[2]} to {subnet[-2]}",
        )
