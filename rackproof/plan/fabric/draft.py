"""Fabrics: laid out by their topology, with their switches named."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

from rackproof.errors import Problems, ValuePath
from rackproof.hardware.models import NosModel, SwitchModel
from rackproof.hardware.nos_models import RoceSettings
from rackproof.plan.fabric.demand import Demand, DemandSources, ManagedSwitch, fabric_demand
from rackproof.plan.fabric.layout import Layout
from rackproof.plan.fabric.topology import topology, topology_names
from rackproof.plan.model.port_names import port_keys
from rackproof.site.derived import fabric_first_vlan, fabric_roce, fabric_role
from rackproof.site.models import Fabric, FabricRole, Site

ROUTED_FOR = ("bgp-unnumbered",)
"""What a switch that takes no configuration need not do itself: a subnet manager does it for it."""


@dataclass(frozen=True)
class FabricDraft:
    """A fabric with its layout; everything that follows is derived from it."""

    name: str
    number: int
    """Position in the site file, from 0."""
    asked: Fabric
    role: FabricRole | Literal["storage-backend"]
    model: SwitchModel
    nos: NosModel
    layout: Layout
    path: ValuePath
    owner: str = ""
    """The fabric whose switches it runs on; empty: its own."""
    roce: RoceSettings | None = None

    @property
    def on_own_switches(self) -> bool:
        """Whether the switches are its own, to be placed, powered and managed."""
        return not self.owner

    @property
    def first_vlan(self) -> int:
        """Where its VLANs count from; 0: it has none that we know of."""
        return 0 if self.role == "storage-backend" else fabric_first_vlan(self.role, self.asked)

    @cached_property
    def switch_names(self) -> tuple[str, ...]:
        """Names of the layout's switches, in order."""
        digits = self.layout.digits
        return tuple(
            f"{self.owner or self.name}-{switch.role}-{switch.index + 1:0{digits}d}" for switch in self.layout.switches
        )

    def switch_name(self, number: int) -> str:
        """Return the name of the ``number``-th switch of the layout."""
        return self.switch_names[number]

    @property
    def infiniband(self) -> bool:
        """Whether it is InfiniBand: no VLANs, no gateways, and routes come from a subnet manager."""
        return self.model.link_layer == "infiniband"

    @cached_property
    def _port_names(self) -> dict[tuple[tuple[str, str], ...], Mapping[str, str]]:
        """How a switch is split to the names of its ports."""
        return {}

    def port_names(self, number: int) -> Mapping[str, str]:
        """Return port key to what the NOS calls it, of the ``number``-th switch; of a cage that is split too."""
        split = tuple(self.breakouts(number).items())
        if split not in self._port_names:
            names = port_keys(self.nos, self.model, {}).items()
            split_names = port_keys(self.nos, self.model, dict(split)).items()
            self._port_names[split] = {key: name for name, key in (*names, *split_names)}
        return self._port_names[split]

    def breakouts(self, number: int) -> Mapping[str, str]:
        """Return front panel port to breakout mode of every port that is split on one switch."""
        return self.layout.breakouts_by_switch[number]


def managed_switches(drafts: Mapping[str, FabricDraft]) -> list[ManagedSwitch]:
    """Return the switches of fabrics that are laid out."""
    managed: list[ManagedSwitch] = []
    for draft in drafts.values():
        if draft.model.management_port != "none" and draft.on_own_switches:
            named = zip(draft.switch_names, draft.layout.switches, strict=True)
            managed += [ManagedSwitch(name, draft.name, switch.planned) for name, switch in named]
    return managed


def _suits(name: str, fabric: Fabric, role: FabricRole, nos: NosModel, problems: Problems) -> bool:
    """Return whether a fabric of this role and NOS can be built as asked; record why it cannot."""
    path: ValuePath = ("fabrics", name, "topology")
    asked = topology(fabric.topology)
    if role not in asked.ROLES:
        suited = [word for word in topology_names() if role in topology(word).ROLES]
        message = f"{fabric.topology} is for {' and '.join(asked.ROLES)}; the fabric {name} is {role}"
        problems.add(path, message, f"for {role} there are: {', '.join(suited)}")
        return False
    done_for = () if nos.configured else ROUTED_FOR
    lacking = [f for f in asked.NOS_FEATURES if nos.features.get(f) is not True and f not in done_for]
    for feature in lacking:
        reason = nos.features.get(feature, f"the catalogue does not know that it has {feature}")
        problems.add(path, f"{fabric.topology} needs {feature}, and {nos.name} has none", str(reason))
    return not lacking


def _lay_out(fabric: Fabric, demand: Demand, model: SwitchModel, problems: Problems) -> Layout:
    """Build a fabric; switches in one InfiniBand subnet, or joined to a pair, are one layer 2 domain."""
    layout = topology(fabric.topology).lay_out(demand, problems)
    if fabric.joins is None and (model.link_layer != "infiniband" or not layout.isl_cables):
        return layout
    return replace(layout, switches=tuple(replace(switch, domain=min(switch.domain, 0)) for switch in layout.switches))


def draft_fabrics(site: Site, *, oob: bool, sources: DemandSources, problems: Problems) -> dict[str, FabricDraft]:
    """Lay out the out-of-band fabrics of the site, or all others, in the order of the site file."""
    drafts: dict[str, FabricDraft] = {}
    for name, fabric in site.fabrics.items():
        role = fabric_role(name, fabric)
        if role is None or (role == "oob") != oob or fabric.shares is not None:
            continue
        roles = _roles_on_switches(site, name, role)
        nos = sources.catalogue.nos(fabric.nos)
        suited = [_suits(one, site.fabrics[one], roles[one], nos, problems) for one in roles]
        if all(suited):
            drafts |= _draft_together(site, roles, sources, problems)
    return drafts


def _roles_on_switches(site: Site, owner: str, role: FabricRole) -> dict[str, FabricRole]:
    """Return the fabrics on the switches of ``owner`` with their roles, the owner first."""
    sharing = (name for name, fabric in site.fabrics.items() if fabric.shares == owner)
    return {owner: role} | {name: fabric_role(name, site.fabrics[name]) or role for name in sharing}


def _draft_together(
    site: Site, roles: Mapping[str, FabricRole], sources: DemandSources, problems: Problems
) -> dict[str, FabricDraft]:
    """Lay out the fabrics of the same switches, the owner of the switches first."""
    owner = next(iter(roles))
    demand, *sharing = (fabric_demand(site, name, sources, problems) for name in roles)
    model = sources.catalogue.switch(site.fabrics[owner].switch)
    layout = _lay_out(site.fabrics[owner], replace(demand, sharing=tuple(sharing)), model, problems)
    parts = {name: _part(layout, name, isl_cables=name == owner) if sharing else layout for name in roles}
    return {name: _drafted(site, name, roles[name], parts[name], sources) for name in roles}


def _part(layout: Layout, name: str, *, isl_cables: bool) -> Layout:
    """Return what one fabric has of switches that several share."""
    own = tuple(attachment for attachment in layout.attachments if attachment.device_port.fabric == name)
    return replace(layout, attachments=own, isl_cables=layout.isl_cables if isl_cables else ())


def _drafted(site: Site, name: str, role: FabricRole, layout: Layout, sources: DemandSources) -> FabricDraft:
    fabric = site.fabrics[name]
    return FabricDraft(
        name=name,
        number=list(site.fabrics).index(name),
        asked=fabric,
        role=role,
        model=sources.catalogue.switch(fabric.switch),
        nos=sources.catalogue.nos(fabric.nos),
        layout=layout,
        path=("fabrics", name),
        owner=fabric.shares or "",
        roce=fabric_roce(site, name, sources.catalogue),
    )
