"""Leaves and spines: two tiers, and a third where two are full.

A leaf's hosts use its cages from the first one up, its uplinks use as many of the last ones as the hosts need.  Every
leaf is cabled to every spine alike, cage to cage.  Where the leaves are more than the spines have cages, leaves are
gathered in pods with as many spines as a leaf has uplink cages, and a third tier joins the pods plane by plane: spine
number n of every pod meets the super-spines of plane n.
"""

from collections.abc import Sequence
from itertools import chain, product

from rackproof.errors import Problems
from rackproof.plan.fabric.cable_fit import Fit
from rackproof.plan.fabric.clos_options import clos_options
from rackproof.plan.fabric.clos_sizing import ClosSize, LeafPlan, LeafPlanner, Tiers, server_numbers, size_clos
from rackproof.plan.fabric.demand import Demand
from rackproof.plan.fabric.layout import NO_HOSTS, InterSwitchCable, Layout, LayoutSwitch
from rackproof.plan.fabric.port_allocation import Attachment, SwitchPorts
from rackproof.plan.fabric.server_ports import DevicePort
from rackproof.plan.model.port_names import front_panel_port


def _switches(tiers: Tiers, plan: LeafPlan, attachments: Sequence[Attachment]) -> list[LayoutSwitch]:
    """Return leaves, then spines pod by pod, then super-spines plane by plane.

    Leaves have an ASN each, the spines of a pod share one, super-spines share one (RFC 7938, section 5.2.1): a route
    never passes a tier twice.
    """
    planned = {attachment.switch for attachment in attachments if attachment.device_port.planned}
    near = (
        {a.switch: a.device_port.device for a in reversed(attachments) if a.device_port.kind != "uplink"}
        if plan.in_rack
        else {}
    )
    live_pods = {leaf // tiers.leaves_per_pod for leaf in planned}
    planes = tiers.spines_per_pod if tiers.super_spines_per_plane else 0
    leaves = [
        LayoutSwitch(
            role="leaf",
            index=n,
            group=f"unit-{n // plan.leaves_per_unit + 1:02d}",
            domain=n,
            asn=1000 + n,
            planned=n in planned,
            near=near.get(n),
            pod=n // tiers.leaves_per_pod,
        )
        for n in range(tiers.leaves)
    ]
    spines = [
        LayoutSwitch("spine", n, f"pod-{pod + 1:02d}", NO_HOSTS, 1 + pod, pod in live_pods, pod=pod)
        for n, pod in ((n, n // tiers.spines_per_pod) for n in range(tiers.pods * tiers.spines_per_pod))
    ]
    super_spines = [
        LayoutSwitch("super-spine", n, f"plane-{n // tiers.super_spines_per_plane + 1:02d}", NO_HOSTS, pod=tiers.pods)
        for n in range(planes * tiers.super_spines_per_plane)
    ]
    return [*leaves, *spines, *super_spines]


def _leaf_isl_cables(tiers: Tiers, size: ClosSize, mode: str | None) -> list[InterSwitchCable]:
    """Return the cables between leaves and the spines of their pods."""
    isl_cables = []
    first, first_up = size.cages.first, size.cages.first + size.cages.cages - tiers.uplinks
    for leaf in range(tiers.leaves):
        pod, place = divmod(leaf, tiers.leaves_per_pod)
        for spine in range(tiers.spines_per_pod):
            number = tiers.leaves + pod * tiers.spines_per_pod + spine
            for cage in range(tiers.cages_per_spine):
                up = first_up + spine * tiers.cages_per_spine + cage
                down = first + place * tiers.cages_per_spine + cage
                isl_cables.append(InterSwitchCable(leaf, up, number, down, mode))
    return isl_cables


def _plane_isl_cables(tiers: Tiers, size: ClosSize, mode: str | None) -> list[InterSwitchCable]:
    """Return the cables between spines and the super-spines of their planes."""
    isl_cables = []
    first, first_up = size.cages.first, size.cages.first + size.cages.spine_cages // 2
    first_super = tiers.leaves + tiers.spines
    for spine in range(tiers.spines if tiers.super_spines_per_plane else 0):
        pod, plane = divmod(spine, tiers.spines_per_pod)
        for place in range(tiers.super_spines_per_plane):
            number = first_super + plane * tiers.super_spines_per_plane + place
            for cage in range(tiers.cages_per_super_spine):
                up = first_up + place * tiers.cages_per_super_spine + cage
                down = first + pod * tiers.cages_per_super_spine + cage
                isl_cables.append(InterSwitchCable(tiers.leaves + spine, up, number, down, mode))
    return isl_cables


def _serve(demand: Demand, device_ports: Sequence[DevicePort], plan: LeafPlan, count: int) -> list[Attachment]:
    """Hand out leaf ports in the order of servers, uplinks from the top; the plan's leaves have room for all."""
    leaves = [SwitchPorts(number, dict(demand.pins.get(number, {}))) for number in range(count)]
    numbers = server_numbers(device_ports)
    done = [leaf.take(up, demand.fit(up), from_top=True) for leaf, up in product(leaves, demand.uplinks)]
    for device_port in device_ports:
        leaf = leaves[plan.leaf_number(numbers[device_port.device], device_port)]
        done.append(leaf.take(device_port, demand.fit(device_port)))
    return [attachment for attachment in done if attachment is not None]


def _size(demand: Demand, plan_leaves: LeafPlanner, isl: Fit, problems: Problems) -> ClosSize | None:
    """Return the size of the fabric; None: it cannot be built, and why was recorded."""
    path = (*demand.path, "switch")
    plan = plan_leaves(demand, isl)
    if not plan.servers_per_unit:
        message = f"a leaf of {demand.switch_model} has too few ports for one server and its uplinks"
        problems.add(path, message, "take a larger switch, more oversubscription, or another topology")
        return None
    size = size_clos(demand, plan, isl)
    if size.uplinks > size.room:
        message = (
            f"fabric {demand.fabric}: the hosts of the fullest leaf take {size.load.cages} of {size.cages.cages} cages "
            f"of {demand.switch_model} and need {size.uplinks} uplinks"
        )
        problems.add(path, message, "take fewer servers a rack, more oversubscription, or a larger switch")
        return None
    if size.tiers is None:
        message = (
            f"fabric {demand.fabric}: {size.leaves} leaves are more than three tiers of {demand.switch_model} join"
        )
        problems.add(path, message, f"the largest site this topology holds is {size.servers_max} servers")
        return None
    return size


def _check_served(demand: Demand, attachments: Sequence[Attachment], problems: Problems) -> None:
    """Record the first device port that found no place."""
    served = {(attachment.device_port.device, attachment.device_port.port) for attachment in attachments}
    left_out = next((port for port in demand.block_ports if (port.device, port.port) not in served), None)
    if left_out is not None:
        message = f"fabric {demand.fabric}: {left_out.device}:{left_out.port} finds no place on a leaf with its servers"
        problems.add(left_out.path, message, "serve different kinds of adapters on a topology of one or two switches")


def _check_pins(demand: Demand, size: ClosSize, tiers: Tiers, problems: Problems) -> None:
    """Record ports that the site pins to cages of uplinks."""
    first_up = size.cages.first + size.cages.cages - tiers.uplinks
    for key, owner in chain.from_iterable(pins.items() for pins in demand.pins.values()):
        if first_up <= front_panel_port(key) < first_up + tiers.uplinks:
            message = f"{owner} is pinned to cage {front_panel_port(key)}, which joins its leaf to a spine"
            problems.add(("pin", "ports", owner), message, f"pin it below cage {first_up}")


def lay_out_clos(demand: Demand, plan_leaves: LeafPlanner, problems: Problems) -> Layout:
    """Build a leaf and spine fabric; more leaves than three tiers join are an error that names the largest site."""
    if not demand.block_ports:  # none fits; each was recorded
        return Layout((), ())
    isl = demand.split_isl_fit
    if isl is None:
        problems.add((*demand.path, "switch"), f"no cable of the catalogue joins two {demand.switch_model}")
        return Layout((), ())
    size = _size(demand, plan_leaves, isl, problems)
    tiers = size.tiers if size else None
    if size is None or tiers is None:
        return Layout((), ())
    attachments = _serve(demand, demand.block_ports, size.plan, tiers.leaves)
    _check_served(demand, attachments, problems)
    _check_pins(demand, size, tiers, problems)
    return Layout(
        switches=tuple(_switches(tiers, size.plan, attachments)),
        attachments=tuple(attachments),
        isl_cables=(*_leaf_isl_cables(tiers, size, isl.mode), *_plane_isl_cables(tiers, size, isl.mode)),
        servers_max=size.servers_max,
        isl_fit=isl,
        sizes=tuple(clos_options(demand, plan_leaves, size)),
    )
