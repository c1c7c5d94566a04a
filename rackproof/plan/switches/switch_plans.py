"""Switches as planned: place, model and intent of each, from everything derived before."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from rackproof.plan.fabric.draft import FabricDraft
from rackproof.plan.fabric.server_ports import ServerDraft
from rackproof.plan.model.plan import ManagementIntent, SwitchIntent, SwitchPlan
from rackproof.plan.network.addressing import FabricAddresses
from rackproof.plan.network.nos_syntax import nos_version
from rackproof.plan.network.roce import NosRoce
from rackproof.plan.physical.cabling import Cabling
from rackproof.plan.physical.placement import Placement
from rackproof.plan.switches.consolidated_pair import PairContext, consolidate
from rackproof.plan.switches.intent import FabricContext, SwitchContext, build_intent, fabric_context
from rackproof.plan.switches.oob_uplinks import OobUplink, pair_ports, uplinked_oob_switch
from rackproof.plan.switches.uplink_tracking import with_tracked_uplinks
from rackproof.releases.models import Release
from rackproof.site.models import Site


@dataclass(frozen=True)
class SwitchSources:
    """Everything that the switches of a site are derived from."""

    site: Site
    release: Release
    server_drafts: Sequence[ServerDraft]
    fabrics: Sequence[FabricDraft]
    placement: Placement
    addresses: Mapping[str, FabricAddresses]
    """Fabric to everything numbered in it."""
    cabling: Cabling
    roce: Mapping[str, NosRoce]
    """Fabric to its RoCE, where it has any."""
    oob_uplinks: Sequence[OobUplink]

    @cached_property
    def contexts(self) -> Mapping[str, FabricContext]:
        """Fabric to what the intents of its switches have in common."""
        return {fabric.name: _fabric_context(self, fabric) for fabric in self.fabrics}

    def management(self, switch: str) -> ManagementIntent:
        """Return the management interface of a switch, as the out-of-band fabric that serves it numbered it."""
        key = f"{switch}:mgmt"
        host = next(fabric.hosts[key] for fabric in self.addresses.values() if key in fabric.hosts)
        return ManagementIntent(host.address, host.gateway)

    def sharing(self, fabric: FabricDraft) -> FabricDraft | None:
        """Return the fabric that shares the switches of another one; None: it has them to itself."""
        return next((other for other in self.fabrics if other.owner == fabric.name), None)


def switch_plans(sources: SwitchSources) -> Iterator[SwitchPlan]:
    """Yield every switch that is there, fabric after fabric."""
    for fabric in sources.fabrics:
        numbers = range(len(fabric.layout.switches)) if fabric.on_own_switches else ()
        yield from (_switch_plan(sources, fabric, n) for n in numbers if fabric.layout.switches[n].planned)


def redundancy_groups(switches: Iterable[SwitchPlan]) -> dict[str, tuple[str, ...]]:
    """Return redundancy group to its members."""
    members: dict[str, list[str]] = {}
    for switch in switches:
        members.setdefault(switch.redundancy_group, []).append(switch.name)
    return {group: tuple(names) for group, names in members.items()}


def _switch_plan(sources: SwitchSources, fabric: FabricDraft, number: int) -> SwitchPlan:
    switch, name = fabric.layout.switches[number], fabric.switch_name(number)
    intent = _intent(sources, fabric, number) if fabric.nos.configured else None
    return SwitchPlan(
        name=name,
        fabric=fabric.name,
        role=switch.role,
        model=fabric.model.model,
        nos=fabric.nos.model,
        position=sources.placement.positions[name],
        redundancy_group=f"{fabric.name}-{switch.group}",
        index=switch.index,
        intent=intent,
        unmanaged=fabric.asked.unmanaged,
        breakouts=intent.breakouts if intent else fabric.breakouts(number),
    )


def _intent(sources: SwitchSources, fabric: FabricDraft, number: int) -> SwitchIntent:
    """Return what a switch is configured with: its fabric, the one that shares it, and out-of-band uplinks."""
    intent = _fabric_intent(sources, fabric, fabric, number)
    if fabric.layout.consolidated:
        sharing = sources.sharing(fabric)
        shared = _fabric_intent(sources, sharing, fabric, number) if sharing else None
        intent = consolidate(_pair_context(sources, fabric, sharing, number), intent, shared)
    uplink = next((uplink for uplink in sources.oob_uplinks if uplink.oob.name == fabric.name), None)
    if uplink:
        intent = uplinked_oob_switch(uplink, number, intent, sources.cabling)
    return with_tracked_uplinks(intent, fabric.nos)


def _fabric_intent(sources: SwitchSources, part: FabricDraft, owner: FabricDraft, number: int) -> SwitchIntent:
    """Return what one fabric configures on a switch of its owner."""
    name = owner.switch_name(number)
    return build_intent(SwitchContext(sources.contexts[part.name], number, name, sources.management(name)))


def _fabric_context(sources: SwitchSources, fabric: FabricDraft) -> FabricContext:
    roce = sources.roce.get(fabric.name)
    return fabric_context(
        sources.site,
        fabric,
        sources.server_drafts,
        sources.addresses[fabric.name],
        sources.cabling,
        roce.intent if roce else None,
        nos_version(fabric.nos, sources.release),
    )


def _pair_context(sources: SwitchSources, fabric: FabricDraft, sharing: FabricDraft | None, number: int) -> PairContext:
    """Return what a switch of a consolidated pair is put together from."""
    oob_uplinks = tuple(uplink for uplink in sources.oob_uplinks if uplink.pair.name == fabric.name)
    ports, channels = pair_ports(oob_uplinks, number, sources.cabling)
    return PairContext(
        number=number,
        oob_uplinks=oob_uplinks,
        own=sources.addresses[fabric.name],
        inband=sources.addresses[sharing.name] if sharing else FabricAddresses(),
        oob=tuple(sources.addresses[uplink.oob.name] for uplink in oob_uplinks),
        dhcp=tuple(str(address) for address in sorted(sources.site.external.dhcp)),
        ports=ports,
        channels=channels,
    )
