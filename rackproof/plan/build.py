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
from rackproof.plan.model.plan import Notice, Plan, ServerPlan, SwitchPlan
from rackproof.plan.network.adaptive_routing import check_adaptive_routing
from rackproof.plan.network.addressing import FabricAddresses
from rackproof.plan.network.asns import check_asns
from rackproof.plan.network.fabric_plans import fabric_plans
from rackproof.plan.network.number_fabrics import addressed_pdus, number_fabrics
from rackproof.plan.network.pins import check_pins
from rackproof.plan.network.roce import NosRoce, nos_roce
from rackproof.plan.network.roce_notices import recommendation_notices
from rackproof.plan.network.services import check_idle_uplinks, check_services
from rackproof.plan.network.subnet_managers import check_subnet_managers
from rackproof.plan.network.underlay import check_uplinks, uplink_plans
from rackproof.plan.physical.cabling import Cabling, lay_cables
from rackproof.plan.physical.placement import Placement, check_racks, place_oob, place_servers
from rackproof.plan.physical.power import Power, plan_power
from rackproof.plan.reachability.reachability import check_reachability, services
from rackproof.plan.switches.intent import check_bonds
from rackproof.plan.switches.notices import export_only_notices, normalisation_notices, release_notices
from rackproof.plan.switches.oob_uplinks import OobUplink, plan_oob_uplinks
from rackproof.plan.switches.switch_plans import SwitchSources, redundancy_groups, switch_plans
from rackproof.plan.switches.uplink_tracking import check_uplink_tracking
from rackproof.releases.load import load_release
from rackproof.site.models import Site


@dataclass(frozen=True, slots=True)
class _Draft:
    """Everything derived before devices are planned; each stage is a pure function of the ones before."""

    site: Site
    server_drafts: tuple[ServerDraft, ...]
    fabrics: tuple[FabricDraft, ...]
    placement: Placement
    addresses: Mapping[str, FabricAddresses]
    cabling: Cabling
    power: Power
    oob_uplinks: tuple[OobUplink, ...]
    roce: Mapping[str, NosRoce]


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
    plan = _plan(draft)
    notices = tuple(check_reachability(plan, catalogue, problems))
    problems.raise_if_fatal()
    return replace(plan, notices=(*plan.notices, *notices, *_warnings(problems)))


def _draft(site: Site, catalogue: Catalogue, problems: Problems) -> _Draft:
    server_drafts = (*draft_servers(site, catalogue), *draft_storage_nodes(site, catalogue))
    sources = demand_sources(site, server_drafts, (), {}, catalogue)
    data = draft_fabrics(site, oob=False, sources=sources, problems=problems)
    backends = draft_backends(site, server_drafts, catalogue, problems)
    placement = place_servers(site, server_drafts, (*data.values(), *backends.values()), catalogue, problems)
    sources = demand_sources(site, server_drafts, managed_switches(data), placement.positions, catalogue)
    oob = draft_fabrics(site, oob=True, sources=sources, problems=problems)
    place_oob(site, tuple(oob.values()), placement, problems)
    check_racks(placement, problems)
    drafts = data | oob
    fabrics = (*(drafts[name] for name in site.fabrics if name in drafts), *backends.values())
    addresses = number_fabrics(site, fabrics, server_drafts, problems)
    oob_uplinks = plan_oob_uplinks(drafts, catalogue, problems)
    cabling = lay_cables((*fabrics, *(uplink.view for uplink in oob_uplinks)), placement, problems)
    _check_network(site, fabrics, server_drafts, catalogue, problems)
    check_pins(site, fabrics, server_drafts, addresses, catalogue, problems)
    power = plan_power(site, server_drafts, fabrics, placement, catalogue, problems)
    roce = nos_roce(fabrics)
    return _Draft(site, server_drafts, fabrics, placement, addresses, cabling, power, oob_uplinks, roce)


def _check_network(
    site: Site,
    fabrics: Sequence[FabricDraft],
    server_drafts: Sequence[ServerDraft],
    catalogue: Catalogue,
    problems: Problems,
) -> None:
    check_uplinks(site, fabrics, problems)
    check_asns(site, fabrics, problems)
    check_services(site, problems)
    check_idle_uplinks(fabrics, problems)
    check_adaptive_routing(site, fabrics, catalogue, problems)
    check_subnet_managers(fabrics, problems)
    check_bonds(fabrics, server_drafts, problems)
    check_uplink_tracking(site, fabrics, problems)


def _plan(draft: _Draft) -> Plan:
    site, fabrics, addresses = draft.site, draft.fabrics, draft.addresses
    switches = _switches(draft)
    hosts = _hosts(draft)
    storage = storage_plans(site, hosts, {fabric.name: fabric for fabric in fabrics}, addresses)
    return Plan(
        site=site.site,
        release=site.release,
        racks=draft.placement.plans(),
        servers={name: host for name, host in hosts.items() if host.group not in storage},
        switches=switches,
        pdus={pdu.name: pdu for pdu in addressed_pdus(draft.power.pdus, addresses.values())},
        fabrics={fabric.name: fabric for fabric in fabric_plans(site, fabrics, addresses, draft.roce)},
        links=tuple(draft.cabling.links),
        assemblies=tuple(draft.cabling.assemblies),
        cords=tuple(draft.power.cords),
        power=tuple(draft.power.loads),
        redundancy_groups=redundancy_groups(switches.values()),
        notices=tuple(_notices(draft)),
        storage=storage,
        uplinks=tuple(uplink_plans(site, fabrics)),
        services=tuple(services(site)),
    )


def _switches(draft: _Draft) -> dict[str, SwitchPlan]:
    """Return every switch that is there."""
    sources = SwitchSources(
        site=draft.site,
        release=load_release(draft.site.release),
        server_drafts=draft.server_drafts,
        fabrics=draft.fabrics,
        placement=draft.placement,
        addresses=draft.addresses,
        cabling=draft.cabling,
        roce=draft.roce,
        oob_uplinks=draft.oob_uplinks,
    )
    return {switch.name: switch for switch in switch_plans(sources)}


def _hosts(draft: _Draft) -> dict[str, ServerPlan]:
    """Return every server and storage node that is there."""
    context = host_context(draft.fabrics, draft.addresses, draft.cabling.links)
    return plan_servers(draft.server_drafts, draft.placement, context)


def _notices(draft: _Draft) -> Iterator[Notice]:
    """Yield what a reader of the plan must know, apart from what its check finds."""
    yield from assumptions("", draft.site)
    yield from export_only_notices(draft.fabrics)
    yield from release_notices(draft.fabrics, load_release(draft.site.release))
    yield from recommendation_notices(draft.fabrics)
    yield from normalisation_notices(draft.fabrics, draft.roce, draft.cabling)


def _warnings(problems: Problems) -> Iterator[Notice]:
    """Yield what stops nothing and deserves a look."""
    for warning in problems.warnings:
        yield Notice("warning", ".".join(map(str, warning.path)), warning.message)
