"""From what is asked to what will be: pure, deterministic, and complete about what is wrong."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rackproof.errors import Problems
from rackproof.hardware.load import Catalogue
from rackproof.plan.fabric.demand import demand_sources
from rackproof.plan.fabric.draft import FabricDraft, draft_fabrics, managed_switches
from rackproof.plan.fabric.server_ports import ServerDraft, draft_servers
from rackproof.plan.hosts.hosted import hosted_plan
from rackproof.plan.hosts.servers import host_context, plan_servers
from rackproof.plan.hosts.storage_nodes import draft_backends, draft_storage_nodes, storage_plans
from rackproof.plan.model.notices import assumptions
from rackproof.plan.model.plan import FabricPlan, ManagementIntent, Notice, PduPlan, Plan, SwitchPlan
from rackproof.plan.network.adaptive_routing import check_adaptive_routing
from rackproof.plan.network.addressing import FabricAddresses, number_hosts, number_oob, report_collisions
from rackproof.plan.network.nos_syntax import nos_dialect
from rackproof.plan.network.roce import asked_intent, length_class_m, normalise
from rackproof.plan.network.subnet_managers import check_subnet_managers, subnet_managers
from rackproof.plan.network.underlay import check_uplinks, uplink_plans
from rackproof.plan.physical.cabling import Cabling, lay_cables
from rackproof.plan.physical.placement import Placement, check_racks, place_oob, place_servers
from rackproof.plan.physical.power import Power, plan_power
from rackproof.plan.switches.consolidated_pair import PairContext, consolidate
from rackproof.plan.switches.intent import (
    FabricContext,
    SwitchContext,
    build_intent,
    check_bonds,
    fabric_context,
    host_mtu_bytes,
)
from rackproof.plan.switches.oob_uplinks import OobUplink, pair_ports, plan_oob_uplinks, uplinked_oob_switch
from rackproof.releases.load import load_release
from rackproof.releases.models import Release
from rackproof.site.models import Site


@dataclass(frozen=True, slots=True)
class _Draft:
    """Everything derived so far; each stage is a pure function of the ones before."""

    site: Site
    server_drafts: tuple[ServerDraft, ...]
    fabrics: tuple[FabricDraft, ...]
    placement: Placement
    addresses: Mapping[str, FabricAddresses]
    cabling: Cabling
    power: Power
    oob_uplinks: tuple[OobUplink, ...]


def _addresses(
    site: Site, drafts: Sequence[FabricDraft], server_drafts: Sequence[ServerDraft], problems: Problems
) -> dict[str, FabricAddresses]:
    done: dict[str, FabricAddresses] = {}
    for draft in drafts:
        if draft.role == "storage-backend":
            done[draft.name] = FabricAddresses()
        elif draft.role == "oob":
            done[draft.name] = number_oob(site, drafts, server_drafts, draft, problems)
        else:
            done[draft.name] = number_hosts(site, draft, server_drafts, problems)
    report_collisions(done.values(), site, problems)
    return done


def _draft(site: Site, catalogue: Catalogue, problems: Problems) -> _Draft:
    server_drafts = draft_servers(site, catalogue) + draft_storage_nodes(site, catalogue)
    data = draft_fabrics(
        site, oob=False, sources=demand_sources(site, server_drafts, (), {}, catalogue), problems=problems
    )
    backends = draft_backends(site, server_drafts, catalogue, problems)
    placement = place_servers(site, server_drafts, (*data.values(), *backends.values()), catalogue, problems)
    sources = demand_sources(site, server_drafts, managed_switches(data), placement.positions, catalogue)
    oob = draft_fabrics(site, oob=True, sources=sources, problems=problems)
    place_oob(site, tuple(oob.values()), placement, problems)
    check_racks(placement, problems)
    drafts = data | oob
    fabrics = (*(drafts[name] for name in site.fabrics if name in drafts), *backends.values())
    addresses = _addresses(site, fabrics, server_drafts, problems)
    oob_uplinks = plan_oob_uplinks(drafts, catalogue, problems)
    cabling = lay_cables((*fabrics, *(uplink.view for uplink in oob_uplinks)), placement, problems)
    check_uplinks(site, fabrics, problems)
    check_adaptive_routing(site, fabrics, catalogue, problems)
    check_subnet_managers(fabrics, problems)
    check_bonds(fabrics, server_drafts, problems)
    power = plan_power(site, server_drafts, fabrics, placement, catalogue, problems)
    return _Draft(site, server_drafts, fabrics, placement, addresses, cabling, power, oob_uplinks)


def _management(draft: _Draft, switch: str) -> ManagementIntent:
    """Return the management interface of a switch, as the out-of-band fabric that serves it numbered it."""
    hosts = [a.hosts[f"{switch}:mgmt"] for a in draft.addresses.values() if f"{switch}:mgmt" in a.hosts]
    return ManagementIntent(hosts[0].address, hosts[0].gateway)


def _dialect(release: Release, fabric: FabricDraft) -> str | None:
    """Return how a fabric's NOS writes in the release of the site; None where every release writes alike."""
    component = release.components.get(fabric.nos.model)
    return nos_dialect(fabric.nos, component.version) if component else None


def _context(draft: _Draft, fabric: FabricDraft, release: Release) -> FabricContext:
    roce = fabric.asked.roce
    lossless = normalise(asked_intent(roce, fabric.model), fabric.nos)[0] if roce else None
    addresses, dialect = draft.addresses[fabric.name], _dialect(release, fabric)
    return fabric_context(draft.site, fabric, draft.server_drafts, addresses, draft.cabling, lossless, dialect)


def _switches(draft: _Draft) -> Iterator[SwitchPlan]:
    release = load_release(draft.site.release)
    for fabric in draft.fabrics:
        if not fabric.on_own_switches:
            continue
        shared = _context(draft, fabric, release)
        guest = next((other for other in draft.fabrics if other.owner == fabric.name), None)
        guests = _context(draft, guest, release) if guest else None
        for number, switch in enumerate(fabric.layout.switches):
            name = fabric.switch_name(number)
            if not switch.planned:
                continue
            management = _management(draft, name) if fabric.nos.configured else None
            intent = build_intent(SwitchContext(shared, number, name, management)) if management else None
            if intent and management and fabric.layout.consolidated:
                asked = build_intent(SwitchContext(guests, number, name, management)) if guests else None
                intent = consolidate(_pair(draft, fabric, guest, number), intent, asked)
            uplink = next((uplink for uplink in draft.oob_uplinks if uplink.oob.name == fabric.name), None)
            if intent and uplink:
                intent = uplinked_oob_switch(uplink, number, intent, draft.cabling)
            yield SwitchPlan(
                name=name,
                fabric=fabric.name,
                role=switch.role,
                model=fabric.model.model,
                nos=fabric.nos.model,
                position=draft.placement.positions[name],
                redundancy_group=f"{fabric.name}-{switch.group}",
                index=switch.index,
                intent=intent,
                unmanaged=fabric.asked.unmanaged,
                breakouts=intent.breakouts if intent else fabric.breakouts(number),
            )


def _pair(draft: _Draft, fabric: FabricDraft, guest: FabricDraft | None, number: int) -> PairContext:
    """Return what a switch of a consolidated pair is put together from."""
    oob_uplinks = tuple(uplink for uplink in draft.oob_uplinks if uplink.pair.name == fabric.name)
    ports, channels = pair_ports(oob_uplinks, number, draft.cabling)
    return PairContext(
        number=number,
        oob_uplinks=oob_uplinks,
        own=draft.addresses[fabric.name],
        inband=draft.addresses[guest.name] if guest else FabricAddresses(),
        oob=tuple(draft.addresses[uplink.oob.name] for uplink in oob_uplinks),
        dhcp=tuple(str(address) for address in sorted(draft.site.external.dhcp)),
        ports=ports,
        channels=channels,
    )


def _fabric_plan(draft: _Draft, fabric: FabricDraft) -> FabricPlan:
    roce = fabric.asked.roce
    return FabricPlan(
        name=fabric.name,
        role=fabric.role,
        topology=fabric.asked.topology,
        switches=tuple(
            fabric.switch_name(number) for number, switch in enumerate(fabric.layout.switches) if switch.planned
        ),
        subnets=tuple(draft.addresses[fabric.name].subnets),
        mtu_bytes=host_mtu_bytes(fabric),
        roce=normalise(asked_intent(roce, fabric.model), fabric.nos)[0] if roce else None,
        host_dscp=roce.host_dscp if roce else None,
        oversubscription=fabric.layout.oversubscription,
        servers_max=fabric.layout.servers_max,
        subnet_managers=tuple(subnet_managers(draft.site, fabric)),
    )


def _normalisations(draft: _Draft) -> Iterator[Notice]:
    """Yield what each NOS cannot express exactly as asked."""
    for fabric in draft.fabrics:
        if fabric.asked.roce is None:
            continue
        for loss in normalise(asked_intent(fabric.asked.roce, fabric.model), fabric.nos)[1]:
            yield Notice("normalised", fabric.name, f"{fabric.nos.name}: {loss}")
        plugs = (draft.cabling.plugs.get(name, {}) for name in fabric.switch_names)
        lengths = sorted({plug.length_m for on_switch in plugs for plug in on_switch.values()})
        for length_m in lengths:
            told = length_class_m(length_m, fabric.nos)
            if told != length_m:
                yield Notice(
                    "normalised", fabric.name, f"{fabric.nos.name}: cable of {length_m:g} m counts as {told} m"
                )


def _export_only(draft: _Draft) -> Iterator[Notice]:
    """Yield the fabrics whose switches run an export format: their configuration is rendered and never deployed."""
    for fabric in draft.fabrics:
        if fabric.on_own_switches and fabric.nos.export_only:
            yield Notice("export-only", fabric.name, f"{fabric.nos.name}: {fabric.nos.export_only}")


def _pdus(draft: _Draft) -> dict[str, PduPlan]:
    hosts = {key: host for a in draft.addresses.values() for key, host in a.hosts.items()}
    return {
        name: replace(pdu, address=hosts[f"{name}:mgmt"].address if f"{name}:mgmt" in hosts else None)
        for name, pdu in draft.power.pdus.items()
    }


def build_plan(site: Site, catalogue: Catalogue) -> Plan:
    """Derive the plan of a site whose own rules hold.

    Raises
    ------
    SiteErrors
        Everything that does not fit: ports, cables, room, power, address space.
    """
    if site.hosted:
        return hosted_plan(site, catalogue)
    problems = Problems()
    draft = _draft(site, catalogue, problems)
    problems.raise_if_fatal()
    context = host_context(draft.fabrics, draft.addresses, draft.cabling.links)
    switches = {switch.name: switch for switch in _switches(draft)}
    hosts = plan_servers(draft.server_drafts, draft.placement, context)
    storage = storage_plans(site, hosts, {fabric.name: fabric for fabric in draft.fabrics}, draft.addresses)
    groups: dict[str, tuple[str, ...]] = {}
    for switch in switches.values():
        groups[switch.redundancy_group] = (*groups.get(switch.redundancy_group, ()), switch.name)
    warnings = (Notice("warning", ".".join(map(str, w.path)), w.message) for w in problems.warnings)
    return Plan(
        site=site.site,
        release=site.release,
        racks=draft.placement.plans(),
        servers={name: host for name, host in hosts.items() if host.group not in storage},
        switches=switches,
        pdus=_pdus(draft),
        fabrics={fabric.name: _fabric_plan(draft, fabric) for fabric in draft.fabrics},
        links=tuple(draft.cabling.links),
        assemblies=tuple(draft.cabling.assemblies),
        cords=tuple(draft.power.cords),
        power=tuple(draft.power.loads),
        redundancy_groups=groups,
        notices=(*assumptions("", site), *_export_only(draft), *_normalisations(draft), *warnings),
        storage=storage,
        uplinks=tuple(uplink_plans(site, draft.fabrics)),
    )
