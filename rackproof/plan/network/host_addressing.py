"""Number the hosts of a fabric: fixed places by number.

A fabric's prefix is cut into equal subnets: one a rail (or one for all hosts) and the last one for loopbacks.
In a subnet .1 is the gateway, .2 and .3 the switches of a pair, hosts count from .16, and the upper half is kept for
the secondary interfaces of pods; service addresses of storage clusters count down from .15.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network
from itertools import chain

from rackproof.errors import Problems
from rackproof.hardware.models import StorageModel
from rackproof.plan.fabric.draft import FabricDraft
from rackproof.plan.fabric.server_ports import ServerDraft
from rackproof.plan.model.plan import SubnetPlan
from rackproof.plan.network.addressing import (
    FIRST_HOST,
    Endpoint,
    FabricAddresses,
    HostAddress,
    cut_prefix,
    endpoints,
    host_address,
    loopback_subnet,
    loopbacks,
    service_key,
)
from rackproof.plan.network.service_vlans import service_subnets, service_vlan_members
from rackproof.site.derived import SERVICE_VLANS, shares_subnet
from rackproof.site.models import Site


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


@dataclass(frozen=True, slots=True)
class _HostRows:
    """What a fabric numbers of its servers, places for growth included."""

    server_drafts: Sequence[ServerDraft]
    """Servers with a port on the fabric."""
    endpoints: Sequence[Sequence[Endpoint]]
    """Of each of these servers."""
    subnets: Sequence[tuple[int, int]]
    """Layer 2 domain and rail of every subnet of hosts."""
    places: int
    """Addresses that a server has in one subnet, at most."""
    numbers: Mapping[tuple[int, str], int]
    """(domain, server) to the server's number in that domain."""

    @property
    def hosts(self) -> int:
        """Host addresses that a subnet needs, at most."""
        return self.places * (1 + max(self.numbers.values(), default=0))

    def place(self, endpoint: Endpoint) -> int:
        """Return the number of an endpoint's address in its subnet."""
        return FIRST_HOST + self.numbers[endpoint.subnet[0], endpoint.device] * self.places + endpoint.place


def number_hosts(
    site: Site, draft: FabricDraft, server_drafts: Sequence[ServerDraft], problems: Problems
) -> FabricAddresses:
    """Number the hosts, subnets and loopbacks of a backend or frontend."""
    rows = _host_rows(draft, server_drafts)
    subnets = _cut_subnets(draft, rows, problems) if draft.layout.switches else []
    if not subnets:
        return FabricAddresses()
    done = FabricAddresses(subnets=_subnet_plans(draft, rows, subnets))
    done.loopbacks = {} if draft.infiniband else loopbacks(draft, subnets[-1])
    _number_endpoints(site, rows, subnets, done, problems)
    _number_services(site, draft, server_drafts, done, problems)
    _number_clusters(site, draft, done)
    return done


def _host_rows(draft: FabricDraft, server_drafts: Sequence[ServerDraft]) -> _HostRows:
    """Return the endpoints of every server on a fabric, with what their addresses are counted by."""
    attached = [server_draft for server_draft in server_drafts if server_draft.ports_on(draft.name)]
    rows = [list(endpoints(draft, server_draft)) for server_draft in attached]
    every = list(chain.from_iterable(rows))
    return _HostRows(
        server_drafts=attached,
        endpoints=rows,
        subnets=sorted({endpoint.subnet for endpoint in every}),
        places=max((endpoint.place for endpoint in every), default=0) + 1,
        numbers=_server_numbers(rows),
    )


def _server_numbers(rows: Sequence[Sequence[Endpoint]]) -> dict[tuple[int, str], int]:
    """Return (domain, server) to the server's number in that domain, places for growth included."""
    seen: Counter[int] = Counter()
    indices: dict[tuple[int, str], int] = {}
    for row in rows:
        for domain, device in dict.fromkeys((endpoint.subnet[0], endpoint.device) for endpoint in row):
            indices[domain, device] = seen[domain]
            seen[domain] += 1
    return indices


def _cut_subnets(draft: FabricDraft, rows: _HostRows, problems: Problems) -> list[IPv4Network]:
    """Return the equal subnets of a fabric's prefix: of hosts, of service VLANs, and the last one for loopbacks.

    A prefix that is too small is recorded, and nothing is returned.
    """
    wanted = len(rows.subnets) + len(service_subnets(draft))
    switches = len(draft.layout.switches)
    subnets = cut_prefix(draft.asked.prefix, wanted + 1)
    if subnets and FIRST_HOST + rows.hosts <= _half(subnets[0]) and switches <= subnets[0].num_addresses - 2:
        return subnets
    _report_small(draft, wanted, max(rows.hosts, switches // 2), problems)
    return []


def _subnet_plans(draft: FabricDraft, rows: _HostRows, subnets: Sequence[IPv4Network]) -> list[SubnetPlan]:
    """Return the subnets of hosts, of service VLANs and of loopbacks, as planned."""
    services = zip(service_subnets(draft), subnets[len(rows.subnets) :], strict=False)
    plans = [_subnet_plan(draft, key, subnet) for key, subnet in zip(rows.subnets, subnets, strict=False)]
    plans += [_service_subnet(draft, name, subnet) for name, subnet in services]
    return plans if draft.infiniband else [*plans, loopback_subnet(draft, subnets[-1])]


def _number_endpoints(
    site: Site, rows: _HostRows, subnets: Sequence[IPv4Network], done: FabricAddresses, problems: Problems
) -> None:
    """Number the endpoints of servers that are there, and of storage nodes that their cluster grows to."""
    by_key = {key: (subnet, plan) for key, subnet, plan in zip(rows.subnets, subnets, done.subnets, strict=False)}
    for server_draft, row in zip(rows.server_drafts, rows.endpoints, strict=True):
        if server_draft.planned:
            done.endpoints += row
        elif not isinstance(server_draft.model, StorageModel):
            continue
        known = done.hosts if server_draft.planned else done.kept
        for endpoint in row:
            subnet, plan = by_key[endpoint.subnet]
            key, place = endpoint.key, rows.place(endpoint)
            known[key] = host_address(site, key, subnet, place, plan.gateway, plan.vlan, problems)


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
        host = host_address(
            site, server_draft.key, net, FIRST_HOST + server_draft.number, plan.gateway, plan.vlan, problems
        )
        if server_draft.planned:
            done.hosts[server_draft.key] = done.services[server_draft.device] = host
        elif server_draft.pooled:
            done.kept[server_draft.key] = host


def _report_small(draft: FabricDraft, subnets: int, hosts: int, problems: Problems) -> None:
    host_bits = (2 * (FIRST_HOST + hosts) - 1).bit_length()
    needed = 32 - host_bits - subnets.bit_length()
    problems.add(
        (*draft.path, "prefix"),
        f"{draft.asked.prefix} has no room for {subnets} subnet(s) with {hosts} host address(es), pods and loopbacks",
        f"take a /{needed} or larger",
    )
