"""Subnets, gateways and addresses: fixed places by number, so that growth renumbers nothing.

A fabric's prefix is cut into equal subnets: one a rail (or one for all hosts) and the last one for loopbacks.
In a subnet .1 is the gateway, .2 and .3 the switches of a pair, hosts count from .16, and the upper half is kept for
the secondary interfaces of pods; service addresses of storage clusters count down from .15.  The out-of-band prefix
is one subnet in four quarters: switches, PDUs, BMCs and the installation ports of servers.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Network

from msgspec import Struct

from rackproof.errors import Problems
from rackproof.hardware.models import StorageModel
from rackproof.plan.fabric.demand import pdu_name
from rackproof.plan.fabric.draft import FabricDraft
from rackproof.plan.fabric.server_ports import DevicePort, ServerDraft
from rackproof.plan.model.plan import SubnetPlan
from rackproof.plan.network.service_vlans import service_subnets, service_vlan_members
from rackproof.site.derived import SERVICE_VLANS, floor, is_bonded, shares_subnet
from rackproof.site.models import Site

FIRST_HOST = 16
"""Below it: gateway, the switches of a pair, and room for what a person adds by hand."""
OOB_QUARTERS = ("switches", "pdus", "bmcs", "installation")


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


def _cut(prefix: IPv4Network, parts: int) -> list[IPv4Network]:
    """Return the first subnets of ``prefix`` cut into the next power of two of ``parts``; [] if it is too small."""
    bits = (parts - 1).bit_length()
    if prefix.prefixlen + bits > 30:
        return []
    return list(prefix.subnets(prefixlen_diff=bits))


def _half(subnet: IPv4Network) -> int:
    """Return the offset at which the pods' half of a subnet begins."""
    return subnet.num_addresses // 2


def _subnet_name(draft: FabricDraft, domain: int, rail: int) -> str:
    name = (
        "hosts"
        if shares_subnet(draft.name, draft.asked)
        else f"rail{rail}"
        if draft.role == "backend"
        else f"hosts{rail}"
    )
    return name if len(draft.layout.domains) == 1 else f"{name}.{domain + 1}"


def _subnet_plan(draft: FabricDraft, key: tuple[int, int], subnet: IPv4Network) -> SubnetPlan:
    domain, rail = key
    half = _half(subnet)
    return SubnetPlan(
        fabric=draft.name,
        name=_subnet_name(draft, domain, rail),
        vlan=None if draft.infiniband else draft.first_vlan + rail,
        prefix=str(subnet),
        gateway=None if draft.infiniband else str(subnet[1]),
        hosts=f"{subnet[FIRST_HOST]}-{subnet[half - 1]}",
        pods=f"{subnet[half]}-{subnet[-2]}",
        switches=tuple(draft.switch_name(number) for number in draft.layout.domains[domain]),
    )


def _service_subnet(draft: FabricDraft, name: str, subnet: IPv4Network) -> SubnetPlan:
    """Return a subnet of a consolidated pair that servers reach over a tagged VLAN."""
    return SubnetPlan(
        fabric=draft.name,
        name=name,
        vlan=draft.first_vlan + SERVICE_VLANS[name],
        prefix=str(subnet),
        gateway=str(subnet[1]),
        hosts=f"{subnet[FIRST_HOST]}-{subnet[-2]}",
        pods=None,
        switches=tuple(draft.switch_names),
    )


def _loopbacks(draft: FabricDraft, subnet: IPv4Network) -> SubnetPlan:
    return SubnetPlan(draft.name, "loopbacks", None, str(subnet), None, f"{subnet[1]}-{subnet[-2]}", None)


def number_hosts(
    site: Site, draft: FabricDraft, server_drafts: Sequence[ServerDraft], problems: Problems
) -> FabricAddresses:
    """Number the hosts, subnets and loopbacks of a backend or frontend."""
    done = FabricAddresses()
    if not draft.layout.switches:
        return done
    attached = [server_draft for server_draft in server_drafts if server_draft.ports_on(draft.name)]
    rows = [list(endpoints(draft, server_draft)) for server_draft in attached]
    keys = sorted({endpoint.subnet for row in rows for endpoint in row})
    places = max((endpoint.place for row in rows for endpoint in row), default=0) + 1
    index_in_domain = _indices(rows)
    hosts = places * (1 + max(index_in_domain.values(), default=0))
    more = service_subnets(draft)
    cut = _cut(draft.asked.prefix, len(keys) + len(more) + 1)
    if not cut or FIRST_HOST + hosts > _half(cut[0]) or len(draft.layout.switches) > cut[0].num_addresses - 2:
        _report_small(draft, len(keys) + len(more), max(hosts, len(draft.layout.switches) // 2), problems)
        return done
    nets = dict(zip(keys, cut, strict=False))
    done.subnets = [_subnet_plan(draft, key, net) for key, net in nets.items()]
    plans = dict(zip(keys, done.subnets, strict=True))
    done.subnets += [_service_subnet(draft, name, net) for name, net in zip(more, cut[len(keys) :], strict=False)]
    if not draft.infiniband:
        done.subnets.append(_loopbacks(draft, cut[-1]))
        first = int(cut[-1].network_address) + 1
        done.loopbacks = {number: dotted(first + number) for number in range(len(draft.layout.switches))}
    for server_draft, row in zip(attached, rows, strict=True):
        planned, pooled = server_draft.planned, isinstance(server_draft.model, StorageModel)
        for endpoint in row if planned or pooled else ():
            place = FIRST_HOST + index_in_domain[endpoint.subnet[0], server_draft.name] * places + endpoint.place
            key, plan = endpoint.key, plans[endpoint.subnet]
            known = done.hosts if planned else done.kept
            known[key] = _host(site, key, nets[endpoint.subnet], place, plan.gateway, plan.vlan, problems)
            done.endpoints += [endpoint] if planned else []
    _number_services(site, draft, server_drafts, done, problems)
    _number_clusters(site, draft, done)
    return done


def service_key(cluster: str, subnet: str) -> str:
    """Return the name over the whole site of a cluster's service address in a subnet."""
    return f"{cluster}:ssip.{subnet}"


def _number_clusters(site: Site, draft: FabricDraft, done: FabricAddresses) -> None:
    """Give every storage cluster a service address in each subnet of hosts: below the hosts, counted down."""
    for number, asked in enumerate(site.storage):
        for subnet in done.subnets if asked.fabric == draft.name else ():
            if subnet.gateway is not None:
                address = f"{IPv4Network(subnet.prefix)[FIRST_HOST - 1 - number]}"
                done.hosts[service_key(asked.name, subnet.name)] = HostAddress(address, subnet.gateway, subnet.vlan)


def _number_services(
    site: Site, draft: FabricDraft, server_drafts: Sequence[ServerDraft], done: FabricAddresses, problems: Problems
) -> None:
    """Number what takes a service VLAN tagged: fewer than all hosts, for which a subnet of this size has room twice."""
    for server_draft in service_vlan_members(draft, server_drafts, done.subnets):
        net, plan = IPv4Network(server_draft.subnet.prefix), server_draft.subnet
        host = _host(site, server_draft.key, net, FIRST_HOST + server_draft.number, plan.gateway, plan.vlan, problems)
        if server_draft.planned:
            done.hosts[server_draft.key] = done.services[server_draft.device] = host
        elif server_draft.pooled:
            done.kept[server_draft.key] = host


def dotted(address: int) -> str:
    """Return an IPv4 address as it is written (three times as fast as ``ipaddress`` does it)."""
    return f"{address >> 24}.{address >> 16 & 255}.{address >> 8 & 255}.{address & 255}"


def _host(
    site: Site, key: str, subnet: IPv4Network, place: int, gateway: str | None, vlan: int | None, problems: Problems
) -> HostAddress:
    """Return the address of an endpoint: pinned, or the ``place``-th of its subnet."""
    if key in site.pin.addresses:
        _check_pin(site, key, subnet, problems)
        return HostAddress(f"{site.pin.addresses[key]}/{subnet.prefixlen}", gateway, vlan)
    return HostAddress(f"{dotted(int(subnet.network_address) + place)}/{subnet.prefixlen}", gateway, vlan)


def _indices(rows: Sequence[Sequence[Endpoint]]) -> dict[tuple[int, str], int]:
    """Return (domain, server) to the server's number in that domain, places for growth included."""
    seen: Counter[int] = Counter()
    indices: dict[tuple[int, str], int] = {}
    for row in rows:
        for domain, device in dict.fromkeys((endpoint.subnet[0], endpoint.device) for endpoint in row):
            indices[domain, device] = seen[domain]
            seen[domain] += 1
    return indices


def _report_small(draft: FabricDraft, subnets: int, hosts: int, problems: Problems) -> None:
    host_bits = (2 * (FIRST_HOST + hosts) - 1).bit_length()
    needed = 32 - host_bits - subnets.bit_length()
    problems.add(
        (*draft.path, "prefix"),
        f"{draft.asked.prefix} has no room for {subnets} subnet(s) with {hosts} host address(es), pods and loopbacks",
        f"take a /{needed} or larger",
    )


def _check_pin(site: Site, key: str, subnet: IPv4Network, problems: Problems) -> None:
    pinned = site.pin.addresses[key]
    if pinned not in subnet or pinned in {subnet[0], subnet[1], subnet[-1]}:
        problems.add(
            ("pin", "addresses", key),
            f"{pinned} is no host address of {subnet}, where {key} stands",
            f"take one from {subnet[2]} to {subnet[-2]}",
        )


class _OobRow(Struct, frozen=True, gc=False):
    """A device that an out-of-band fabric addresses."""

    key: str
    domain: int
    quarter: int
    number: int
    """Within its domain and quarter, places for growth included."""
    planned: bool


def _oob_keys(
    site: Site, drafts: Sequence[FabricDraft], server_drafts: Sequence[ServerDraft], draft: FabricDraft
) -> Iterator[tuple[str, str, int, bool]]:
    """Yield (device, port, quarter, planned) of everything that may stand on an out-of-band fabric."""
    for other in sorted((d for d in drafts if d.on_own_switches), key=lambda other: other.name != draft.name):
        for number, switch in enumerate(other.layout.switches):
            yield other.switch_name(number), "mgmt", 0, switch.planned
    for rack in floor(site):
        for number in range(rack.asked.pdus.count):
            yield pdu_name(rack.name, number), "mgmt", 1, True
    for server_draft in server_drafts:
        for device_port in server_draft.ports_on(draft.name):
            yield server_draft.name, device_port.port, 3 if device_port.port == "lom0" else 2, server_draft.planned


def _oob_rows(
    site: Site, drafts: Sequence[FabricDraft], server_drafts: Sequence[ServerDraft], draft: FabricDraft
) -> list[_OobRow]:
    seen: Counter[tuple[int, int]] = Counter()
    rows = []
    domains = draft.layout.port_domains
    for device, port, quarter, planned in _oob_keys(site, drafts, server_drafts, draft):
        domain = domains.get((device, port))
        if domain is not None:
            rows.append(_OobRow(f"{device}:{port}", domain, quarter, seen[domain, quarter], planned))
            seen[domain, quarter] += 1
    return rows


def _oob_subnet(draft: FabricDraft, domain: int, subnet: IPv4Network) -> SubnetPlan:
    alone = len(draft.layout.domains) == 1
    return SubnetPlan(
        fabric=draft.name,
        name="management" if alone else f"management.{domain + 1}",
        vlan=draft.first_vlan,
        prefix=str(subnet),
        gateway=str(subnet[1]),
        hosts=f"{subnet[FIRST_HOST]}-{subnet[-2]}",
        pods=None,
        switches=tuple(draft.switch_name(number) for number in draft.layout.domains[domain]),
    )


def number_oob(
    site: Site,
    drafts: Sequence[FabricDraft],
    server_drafts: Sequence[ServerDraft],
    draft: FabricDraft,
    problems: Problems,
) -> FabricAddresses:
    """Number everything an out-of-band fabric serves: quarters of one subnet a layer 2 domain."""
    done = FabricAddresses()
    if not draft.layout.switches:
        return done
    rows = _oob_rows(site, drafts, server_drafts, draft)
    domains = list(draft.layout.domains)
    fullest = max((row.number for row in rows), default=0) + 1
    cut = _cut(draft.asked.prefix, len(domains)) if domains else []
    if not cut or cut[0].num_addresses // 4 < FIRST_HOST + fullest + 1:
        needed = 32 - (4 * (FIRST_HOST + fullest + 1) - 1).bit_length() - max(len(domains) - 1, 0).bit_length()
        problems.add(
            (*draft.path, "prefix"),
            f"{draft.asked.prefix} has no room for {fullest} device(s) of a kind in each quarter "
            f"({', '.join(OOB_QUARTERS)}) of {len(domains)} subnet(s)",
            f"take a /{needed} or larger",
        )
        return done
    nets = dict(zip(domains, cut, strict=False))
    done.subnets = [_oob_subnet(draft, domain, net) for domain, net in nets.items()]
    vlan = done.subnets[0].vlan or 0
    gateways = {domain: str(net[1]) for domain, net in nets.items()}
    for row in rows:
        if row.planned:
            subnet = nets[row.domain]
            place = row.quarter * (subnet.num_addresses // 4) + FIRST_HOST + row.number
            done.hosts[row.key] = _host(site, row.key, subnet, place, gateways[row.domain], vlan, problems)
    return done


def report_collisions(all_addresses: Iterable[FabricAddresses], site: Site, problems: Problems) -> None:
    """Record every address two devices would share: only a pin can bring that about."""
    owners: dict[str, str] = {}
    for addresses in all_addresses:
        for key, host in addresses.hosts.items():
            address = host.address.partition("/")[0]
            other = owners.setdefault(address, key)
            if other != key:
                pinned = key if key in site.pin.addresses else other
                problems.add(("pin", "addresses", pinned), f"{address} is used by {other} and {key}", "pin another one")
