"""Builds the steps of a site: one for each switch, and a fabric gate where switches are linked to each other."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from rackproof.connect.ssh import Target
from rackproof.deploy.events import Report, unreported
from rackproof.deploy.switch.fabric_gate import FabricGateStep
from rackproof.deploy.switch.job import SwitchOptions, SwitchTask
from rackproof.deploy.switch.operational_state import PlannedNeighbour
from rackproof.deploy.switch.step import SwitchStep
from rackproof.errors import BadInputError
from rackproof.hardware.load import Catalogue
from rackproof.plan.model.plan import Link, Plan, SwitchIntent

MOST_NAMES = 60
"""Names that a hint lists at most."""


@dataclass(frozen=True, slots=True)
class SwitchOrder:
    """One switch to deploy, independent of a site file."""

    target: Target
    nos: str
    """Name in the catalogue."""
    model: str
    """Name in the catalogue."""
    intent: SwitchIntent
    redundancy_group: str
    unmanaged: tuple[str, ...] = ()
    neighbours: Mapping[str, PlannedNeighbour] = field(default_factory=dict)
    """Port, as the NOS names it, to its planned peer end; empty: the cabling is not compared."""
    site_devices: frozenset[str] = frozenset()
    site: str = ""
    """Name of the site, for the lock on the switch."""


def switch_step(
    order: SwitchOrder,
    catalogue: Catalogue,
    options: SwitchOptions | None = None,
    confirmed: set[str] | None = None,
    report: Report = unreported,
) -> SwitchStep:
    """Return the step that deploys one switch.

    Parameters
    ----------
    order
        The switch and its intent.
    catalogue
        Describes its model and NOS.
    options, confirmed, report
        See `SwitchStep`.

    Raises
    ------
    BadInputError
        The catalogue lacks the model or the NOS, or the NOS has no deploy driver.
    """
    task = SwitchTask(
        target=order.target,
        nos=catalogue.nos(order.nos),
        model=catalogue.switch(order.model),
        intent=order.intent,
        redundancy_group=order.redundancy_group,
        unmanaged=order.unmanaged,
        neighbours=order.neighbours,
        site_devices=order.site_devices,
        site=order.site,
    )
    return SwitchStep(task, options, confirmed, report)


def switch_orders(plan: Plan, targets: Mapping[str, Target]) -> tuple[SwitchOrder, ...]:
    """Return an order for every switch of a plan that has a target, in the plan's order."""
    neighbours = planned_neighbours(plan)
    devices = frozenset(plan.switches) | frozenset(plan.hosts())
    return tuple(
        SwitchOrder(
            target=targets[name],
            nos=switch.nos,
            model=switch.model,
            intent=switch.intent,
            redundancy_group=switch.redundancy_group,
            unmanaged=switch.unmanaged,
            neighbours=neighbours.get(name, {}),
            site_devices=devices,
            site=plan.site,
        )
        for name, switch in plan.switches.items()
        if name in targets and switch.intent is not None
    )


def planned_neighbours(plan: Plan) -> dict[str, dict[str, PlannedNeighbour]]:
    """Return the planned peer end of each port of each switch."""
    found: dict[str, dict[str, PlannedNeighbour]] = {name: {} for name in plan.switches}
    for link in plan.links:
        for end, peer_end in ((link.a, link.b), (link.b, link.a)):
            if end.device in found:
                neighbour = PlannedNeighbour(peer_end.device, peer_end.port, joins_switches(plan, link))
                found[end.device][end.port] = neighbour
    return found


def joins_switches(plan: Plan, link: Link) -> bool:
    """Whether a link joins front-panel ports of two switches that Rackproof deploys."""
    return link.kind != "management" and all(_configured(plan, end.device) for end in (link.a, link.b))


def _configured(plan: Plan, device: str) -> bool:
    return device in plan.switches and plan.switches[device].intent is not None


def selected(plan: Plan, only: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the selected switches; nothing selected: all that have an intent.

    Parameters
    ----------
    only
        Names of switches, of fabrics, and of redundancy groups: the scalable units of a rail-optimized fabric. Names
        of servers and of their groups are valid, and select no switch.

    Raises
    ------
    BadInputError
        A name is none of these in the plan, or chooses a switch whose NOS is export only.
    """
    wanted = frozenset(only)
    groups = dict.fromkeys(server.group for server in plan.servers.values())
    known = (*plan.fabrics, *plan.switches, *groups, *plan.servers)
    for name in sorted(wanted - set(known) - set(plan.redundancy_groups)):
        shown = f"{', '.join(known[:MOST_NAMES])}{', ...' if len(known) > MOST_NAMES else ''}"
        raise BadInputError(f"{name} is neither a fabric nor a switch nor a server of {plan.site}", f"it has {shown}")
    for name in plan.export_only():
        if chosen := sorted(wanted & _choosing_names(plan, name)):
            message = f"{chosen[0]} is export only: Rackproof writes its configuration and does not deploy it"
            raise BadInputError(message, "leave it out; `rackproof render` writes the configuration")
    return tuple(name for name in plan.intents() if not wanted or wanted & _choosing_names(plan, name))


def _choosing_names(plan: Plan, switch: str) -> frozenset[str]:
    """Return the names that choose a switch: its own, that of its fabric and that of its redundancy group."""
    planned = plan.switches[switch]
    return frozenset((switch, planned.fabric, planned.redundancy_group))


def selected_servers(plan: Plan, only: Iterable[str], reached: Iterable[str]) -> tuple[str, ...]:
    """Return the names of the selected servers; nothing selected: all that access.yaml names.

    Parameters
    ----------
    only
        Names of servers, and of their groups.
    reached
        Names of the devices in access.yaml; a group selects its servers among them, and the name
        of a server always selects it.
    """
    wanted, known = frozenset(only), frozenset(reached)
    return tuple(
        name
        for name, server in plan.servers.items()
        if name in wanted or (name in known and (not wanted or server.group in wanted))
    )


def fabric_gates(plan: Plan, steps: Mapping[str, SwitchStep], options: SwitchOptions) -> tuple[FabricGateStep, ...]:
    """Return the fabric gates of the fabrics whose switches are all deployed now and are linked to each other."""
    joined = {link.fabric for link in plan.links if joins_switches(plan, link)}
    return tuple(
        FabricGateStep(fabric.name, [steps[name] for name in fabric.switches], options.timeouts)
        for fabric in plan.fabrics.values()
        if fabric.name in joined and all(name in steps for name in fabric.switches)
    )
