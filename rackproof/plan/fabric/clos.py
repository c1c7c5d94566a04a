"""Leaves and spines: two tiers, and a third where two are full.

A leaf gives half of its cages (with ``oversubscription: 1``) to hosts and the other half to spines.  Every leaf is
cabled to every spine alike, cage to cage.  Where the leaves are more than the spines have cages, leaves are gathered
in pods with as many spines as a leaf has uplink cages, and a third tier joins the pods plane by plane: spine number
n of every pod meets the super-spines of plane n.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from rackproof.errors import Problems
from rackproof.plan.fabric.demand import Demand
from rackproof.plan.fabric.layout import NO_HOSTS, InterSwitchCable, Layout, LayoutSwitch
from rackproof.plan.fabric.port_allocation import Attachment, SwitchPorts
from rackproof.plan.fabric.server_ports import DevicePort

LeafNumber = Callable[[int, DevicePort], int]
"""(number of the server on the fabric, device port) to the number of the leaf that serves it."""


@dataclass(frozen=True, slots=True)
class LeafPlan:
    """Which leaf serves which device port."""

    leaves: int
    """Growth included."""
    leaf_number: LeafNumber
    leaves_per_unit: int
    """Leaves that serve the same servers: they are one redundancy group."""
    in_rack: bool
    """Whether a leaf stands in the rack of its servers."""
    servers_max: int
    """Servers that the largest fabric of this kind holds; named in the error when there are more."""


@dataclass(frozen=True, slots=True)
class LeafSplit:
    """How the cages of a leaf are shared out."""

    first: int
    """First cage of the kind hosts and spines use."""
    down: int
    """Cages for hosts, from the first one up."""
    up: int
    """Cages for spines, from the last one down."""
    legs: int
    """Host ports a cage."""

    @property
    def host_ports(self) -> int:
        """Host ports a leaf has."""
        return self.down * self.legs


@dataclass(frozen=True, slots=True)
class Tiers:
    """How many switches stand above the leaves, and how they are cabled."""

    leaves: int
    pods: int
    leaves_per_pod: int
    spines_per_pod: int
    cages_per_spine: int
    """Cages between a leaf and each spine of its pod."""
    super_spines_per_plane: int = 0
    cages_per_super_spine: int = 0
    """Cages between a spine and each super-spine of its plane."""


def server_numbers(device_ports: Sequence[DevicePort]) -> Mapping[str, int]:
    """Return device to its number on the fabric, places for growth included."""
    return {
        device: number
        for number, device in enumerate(dict.fromkeys(device_port.device for device_port in device_ports))
    }


def split_leaf(demand: Demand, device_port: DevicePort) -> LeafSplit:
    """Return how a leaf's cages are shared between hosts like ``device_port`` and spines."""
    fit = demand.fit(device_port)
    uplinks = sum(demand.fit(other).ports == fit.ports for other in demand.uplinks)
    cages = fit.ports.last - fit.ports.first + 1 - uplinks
    down = max(1, int(cages * demand.oversubscription / (1 + demand.oversubscription)))
    return LeafSplit(fit.ports.first, down, cages - down, fit.legs)


def _divisor(number: int, at_least: float) -> int | None:
    """Return the smallest divisor of ``number`` that is at least ``at_least``; None: there is none."""
    return next((value for value in range(1, number + 1) if number % value == 0 and value >= at_least), None)


def tiers_for(leaves: int, split: LeafSplit, cages: int) -> Tiers | None:
    """Return the smallest number of spines, and super-spines if needed, that joins ``leaves``; None: too many.

    Parameters
    ----------
    cages
        Cages of a spine and of a super-spine.
    """
    spines = _divisor(split.up, leaves * split.up / cages)
    if spines is not None:
        return Tiers(leaves, 1, leaves, spines, split.up // spines)
    per_pod, spine_up = cages // 2, cages - cages // 2
    pods = -(-leaves // per_pod)
    super_spines = _divisor(spine_up, pods * spine_up / cages)
    if super_spines is None:
        return None
    return Tiers(leaves, pods, per_pod, split.up, 1, super_spines, spine_up // super_spines)


def leaves_max(split: LeafSplit, cages: int) -> int:
    """Return the largest number of leaves that three tiers join."""
    return (cages // 2) * cages if split.up <= cages else 0


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


def _leaf_isl_cables(tiers: Tiers, split: LeafSplit, mode: str | None) -> list[InterSwitchCable]:
    """Return the cables between leaves and the spines of their pods."""
    isl_cables = []
    for leaf in range(tiers.leaves):
        pod, place = divmod(leaf, tiers.leaves_per_pod)
        for spine in range(tiers.spines_per_pod):
            number = tiers.leaves + pod * tiers.spines_per_pod + spine
            for cage in range(tiers.cages_per_spine):
                up = split.first + split.down + spine * tiers.cages_per_spine + cage
                down = split.first + place * tiers.cages_per_spine + cage
                isl_cables.append(InterSwitchCable(leaf, up, number, down, mode))
    return isl_cables


def _plane_isl_cables(tiers: Tiers, split: LeafSplit, cages: int, mode: str | None) -> list[InterSwitchCable]:
    """Return the cables between spines and the super-spines of their planes."""
    isl_cables = []
    first_super = tiers.leaves + tiers.pods * tiers.spines_per_pod
    for spine in range(tiers.pods * tiers.spines_per_pod if tiers.super_spines_per_plane else 0):
        pod, plane = divmod(spine, tiers.spines_per_pod)
        for place in range(tiers.super_spines_per_plane):
            number = first_super + plane * tiers.super_spines_per_plane + place
            for cage in range(tiers.cages_per_super_spine):
                up = split.first + cages // 2 + place * tiers.cages_per_super_spine + cage
                down = split.first + pod * tiers.cages_per_super_spine + cage
                isl_cables.append(InterSwitchCable(tiers.leaves + spine, up, number, down, mode))
    return isl_cables


def _serve(demand: Demand, device_ports: Sequence[DevicePort], plan: LeafPlan) -> list[Attachment]:
    """Hand out leaf ports in the order of servers, uplinks from the top; the plan's leaves have room for all."""
    leaves = [SwitchPorts(number, dict(demand.pins.get(number, {}))) for number in range(plan.leaves)]
    numbers = server_numbers(device_ports)
    done = [leaf.take(up, demand.fit(up), from_top=True) for leaf, up in product(leaves, demand.uplinks)]
    for device_port in device_ports:
        leaf = leaves[plan.leaf_number(numbers[device_port.device], device_port)]
        done.append(leaf.take(device_port, demand.fit(device_port)))
    return [attachment for attachment in done if attachment is not None]


def _refusal(demand: Demand, leaves: int, tiers: Tiers | None) -> str | None:
    if demand.split_isl_fit is None:
        return f"no cable of the catalogue joins two {demand.switch_model}"
    if tiers is None:
        return f"fabric {demand.fabric}: {leaves} leaves are more than three tiers of {demand.switch_model} join"
    return None


def lay_out_clos(demand: Demand, plan: LeafPlan, problems: Problems) -> Layout:
    """Build a leaf and spine fabric; more leaves than three tiers join are an error that names the largest site."""
    device_ports = demand.block_ports
    split = split_leaf(demand, device_ports[0])
    ports = demand.fit(device_ports[0]).ports
    cages = ports.last - ports.first + 1
    tiers = tiers_for(plan.leaves, split, cages)
    refusal = _refusal(demand, plan.leaves, tiers)
    if refusal is not None or tiers is None:
        hint = f"the largest site this topology holds is {plan.servers_max} servers"
        problems.add((*demand.path, "switch"), refusal or "", hint)
        return Layout((), ())
    attachments = _serve(demand, device_ports, plan)
    served = {(attachment.device_port.device, attachment.device_port.port) for attachment in attachments}
    left_out = next(
        (device_port for device_port in device_ports if (device_port.device, device_port.port) not in served), None
    )
    if left_out is not None:
        message = f"fabric {demand.fabric}: {left_out.device}:{left_out.port} finds no place on a leaf with its servers"
        problems.add(left_out.path, message, "serve different kinds of adapters on a topology of one or two switches")
    mode = demand.split_isl_fit.mode if demand.split_isl_fit else None
    return Layout(
        switches=tuple(_switches(tiers, plan, attachments)),
        attachments=tuple(attachments),
        isl_cables=(*_leaf_isl_cables(tiers, split, mode), *_plane_isl_cables(tiers, split, cages, mode)),
        servers_max=plan.servers_max,
        isl_fit=demand.split_isl_fit,
    )
