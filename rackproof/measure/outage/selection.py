"""Selects what disruptive checks take down; the user confirms the selection before a run."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from rackproof.measure.outage.device_outage import LEG_DOWN_S, Watch, bond_addresses, bond_ports, ring
from rackproof.measure.outage.storage_loss import clusters_on, lost_node
from rackproof.measure.traffic.participants import TrafficSite
from rackproof.plan.model.plan import Plan, SwitchRole
from rackproof.plural import listed

NAMED: Final = 8
"""Devices that a sentence names."""


def lost_leg(site: TrafficSite, fabric: str) -> Watch | None:
    """Return the host whose legs are taken down on a fabric, and the host that pings it; None: it takes two hosts."""
    return next(iter(ring(bond_addresses(site.plan, site.servers, fabric))), None)


def lost_switch(plan: Plan, fabric: str, role: SwitchRole) -> str | None:
    """Return the first configured switch of a role with redundant peers; None: there is none."""
    for members in plan.redundancy_groups.values():
        ours = [plan.switches[name] for name in members if name in plan.switches]
        group = [one.name for one in ours if one.intent and (one.role, one.fabric) == (role, fabric)]
        if len(group) > 1:
            return group[0]
    return None


def disruptions(
    site: TrafficSite, reached: Collection[str], soak_hours: float, restarted: Sequence[str]
) -> Iterator[str]:
    """Yield a sentence on each disruption of a site by a run with all disruptive checks.

    Parameters
    ----------
    site
        The site.
    reached
        Devices in access.yaml.
    soak_hours
        Duration of the soak; 0: no soak.
    restarted
        Devices that a cold start restarts.
    """
    if restarted:
        yield f"all at once, {listed(restarted, NAMED)} restart"
    for fabric in site.plan.fabrics:
        yield from _fabric_disruptions(site, fabric, reached)
    if soak_hours and site.ports:
        yield f"all rails are busy for {soak_hours:g} hours"


def _fabric_disruptions(site: TrafficSite, fabric: str, reached: Collection[str]) -> Iterator[str]:
    if watch := lost_leg(site, fabric):
        legs = " and then ".join(bond_ports(site.plan, watch.other, fabric))
        yield f"{watch.other} has {legs} down for {LEG_DOWN_S:g} s"
        if leaf := lost_switch(site.plan, fabric, "leaf"):
            yield f"{leaf} restarts"
    if any(port.fabric == fabric for port in site.ports.values()) and (
        spine := lost_switch(site.plan, fabric, "spine")
    ):
        yield f"{spine} restarts"
    for cluster in clusters_on(site.plan, fabric):
        if len(cluster.nodes) > 1 and (node := lost_node(cluster, reached)):
            yield f"{node} restarts; who mounts from it waits"
