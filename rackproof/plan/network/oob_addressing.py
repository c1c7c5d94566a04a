"""Number an out-of-band fabric: one subnet a layer 2 domain, in four quarters.

The quarters are switches, PDUs, BMCs and the installation ports of servers.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Network

from msgspec import Struct

from rackproof.errors import Problems
from rackproof.plan.fabric.demand import pdu_name
from rackproof.plan.fabric.draft import FabricDraft
from rackproof.plan.fabric.server_ports import ServerDraft
from rackproof.plan.model.plan import SubnetPlan
from rackproof.plan.network.addressing import (
    FIRST_HOST,
    FabricAddresses,
    cut_prefix,
    host_address,
    loopback_subnet,
    loopbacks,
)
from rackproof.site.derived import floor
from rackproof.site.models import Site

OOB_QUARTERS = ("switches", "pdus", "bmcs", "installation")


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
    parts = len(domains) + bool(draft.layout.isl_cables)
    cut = cut_prefix(draft.asked.prefix, parts) if domains else []
    if not cut or cut[0].num_addresses // 4 < FIRST_HOST + fullest + 1:
        needed = 32 - (4 * (FIRST_HOST + fullest + 1) - 1).bit_length() - max(parts - 1, 0).bit_length()
        problems.add(
            (*draft.path, "prefix"),
            f"{draft.asked.prefix} has no room for {fullest} device(s) of a kind in each quarter "
            f"({', '.join(OOB_QUARTERS)}) of {parts} subnet(s)",
            f"take a /{needed} or larger",
        )
        return done
    nets = dict(zip(domains, cut, strict=False))
    done.subnets = [_oob_subnet(draft, domain, net) for domain, net in nets.items()]
    vlan = done.subnets[0].vlan or 0
    if draft.layout.isl_cables:
        done.subnets.append(loopback_subnet(draft, cut[-1]))
        done.loopbacks = loopbacks(draft, cut[-1])
    gateways = {domain: str(net[1]) for domain, net in nets.items()}
    for row in rows:
        if row.planned:
            subnet = nets[row.domain]
            place = row.quarter * (subnet.num_addresses // 4) + FIRST_HOST + row.number
            done.hosts[row.key] = host_address(site, row.key, subnet, place, gateways[row.domain], vlan, problems)
    return done
