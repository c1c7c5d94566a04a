"""How many uplinks a leaf needs, and how many spines and super-spines join the leaves.

Everything is counted in cages of the kind that joins two switches: each carries the same bandwidth.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil

from rackproof.plan.fabric.cable_fit import Fit
from rackproof.plan.fabric.demand import Demand
from rackproof.plan.fabric.server_ports import DevicePort

UPLINKS_MIN = 2
"""A leaf reaches two spines, so that one may fail."""
CAGES_OF_A_BLOCKING_SPLIT = 2


@dataclass(frozen=True, slots=True)
class LeafCages:
    """The cages of a leaf that hosts and spines share."""

    isl: Fit
    """How two switches join each other."""
    first: int
    cages: int
    """Without those of networks outside, which are the last ones."""
    oversubscription: float
    """Bandwidth of hosts over that of uplinks, at most."""

    @property
    def spine_cages(self) -> int:
        """Cages of a spine: no network outside is plugged into it."""
        return self.isl.ports.last - self.isl.ports.first + 1

    def uplinks(self, hosts_gbps: int) -> int:
        """Return the uplink cages that hosts of so much bandwidth need."""
        needed = hosts_gbps / (self.oversubscription * self.isl.ports.speed_gbps)
        return max(UPLINKS_MIN, ceil(round(needed, 6)))

    def ratio(self, hosts_gbps: int, uplinks: int) -> float:
        """Return the bandwidth of hosts over that of so many uplink cages."""
        return hosts_gbps / (uplinks * self.isl.ports.speed_gbps)


@dataclass(frozen=True, slots=True)
class LeafLoad:
    """What the hosts of a leaf take, places for growth included."""

    cages: int
    gbps: int


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

    @property
    def uplinks(self) -> int:
        """Uplink cages of a leaf."""
        return self.spines_per_pod * self.cages_per_spine

    @property
    def spines(self) -> int:
        """Spines of all pods."""
        return self.pods * self.spines_per_pod

    @property
    def super_spines(self) -> int:
        """Super-spines of all planes."""
        return self.spines_per_pod * self.super_spines_per_plane

    def leaves_joined(self, spine_cages: int) -> int:
        """Return the leaves that these switches join without another spine in a pod or super-spine in a plane."""
        if not self.spines:
            return 1
        if not self.super_spines:
            return spine_cages // self.cages_per_spine
        return spine_cages // self.cages_per_super_spine * self.leaves_per_pod


LeafNumber = Callable[[int, DevicePort], int]
"""(number of the server on the fabric, device port) to the number of the leaf that serves it."""


@dataclass(frozen=True, slots=True)
class LeafPlan:
    """Which leaf serves which device port."""

    leaf_number: LeafNumber
    leaves_per_unit: int
    """Leaves that serve the same servers: they are one redundancy group."""
    servers_per_unit: int
    """0: not even one server fits."""
    in_rack: bool
    """Whether a leaf stands in the rack of its servers."""

    def leaves(self, servers: int) -> int:
        """Return the leaves of so many servers."""
        return -(-servers // self.servers_per_unit) * self.leaves_per_unit

    def servers_max(self, leaves: int) -> int:
        """Return the servers that so many leaves serve."""
        return leaves // self.leaves_per_unit * self.servers_per_unit


LeafPlanner = Callable[[Demand, Fit], LeafPlan]
"""(what a fabric connects, how two switches join each other) to its leaves."""


@dataclass(frozen=True, slots=True)
class ClosSize:
    """The size of a leaf and spine fabric, places for growth included."""

    plan: LeafPlan
    servers: int
    cages: LeafCages
    load: LeafLoad
    """Of the fullest leaf."""

    @property
    def leaves(self) -> int:
        """Leaves of the fabric."""
        return self.plan.leaves(self.servers)

    @property
    def uplinks(self) -> int:
        """Uplink cages that a leaf needs, at least."""
        return self.cages.uplinks(self.load.gbps)

    @property
    def room(self) -> int:
        """Cages that the hosts of the fullest leaf leave free."""
        return self.cages.cages - self.load.cages

    @property
    def tiers(self) -> Tiers | None:
        """The switches above the leaves; None: no three tiers join the leaves."""
        return tiers_for(self.leaves, self.uplinks, self.room, self.cages.spine_cages)

    @property
    def servers_max(self) -> int:
        """Servers of the largest fabric of this kind."""
        return self.plan.servers_max(leaves_max(self.cages.spine_cages))

    def with_servers(self, servers: int) -> "ClosSize":
        """Return the size for so many servers, like those of the fullest leaf."""
        return self._scaled(self.plan, self.cages, servers)

    def with_leaves(self, plan: LeafPlan, cages: LeafCages) -> "ClosSize":
        """Return the size of the same servers on other leaves."""
        return self._scaled(plan, cages, self.servers)

    def _scaled(self, plan: LeafPlan, cages: LeafCages, servers: int) -> "ClosSize":
        """Return a size whose fullest leaf has as much of a server as that of this one."""
        now, then = min(self.servers, self.plan.servers_per_unit), min(servers, plan.servers_per_unit)
        load = LeafLoad(-(-self.load.cages * then // now), -(-self.load.gbps * then // now))
        return ClosSize(plan, servers, cages, load)


def server_numbers(device_ports: Sequence[DevicePort]) -> Mapping[str, int]:
    """Return device to its number on the fabric, places for growth included."""
    return {
        device: number
        for number, device in enumerate(dict.fromkeys(device_port.device for device_port in device_ports))
    }


def size_clos(demand: Demand, plan: LeafPlan, isl: Fit) -> ClosSize:
    """Return the size of a fabric whose units hold a server at least."""
    load = fullest_leaf(demand, plan, isl)
    return ClosSize(plan, len(server_numbers(demand.block_ports)), leaf_cages(demand, isl), load)


def leaf_cages(demand: Demand, isl: Fit) -> LeafCages:
    """Return the cages that hosts and spines share on a leaf of the fabric."""
    outside = sum(demand.fit(uplink).ports == isl.ports for uplink in demand.uplinks)
    cages = isl.ports.last - isl.ports.first + 1 - outside
    return LeafCages(isl, isl.ports.first, cages, demand.oversubscription)


def fullest_leaf(demand: Demand, plan: LeafPlan, isl: Fit) -> LeafLoad:
    """Return the most that the hosts of one leaf take, in cages and in bandwidth."""
    numbers = server_numbers(demand.block_ports)
    counted = Counter(
        (plan.leaf_number(numbers[port.device], port), port.speed_gbps, port.modules) for port in demand.block_ports
    )
    cages: Counter[int] = Counter()
    gbps: Counter[int] = Counter()
    for (leaf, speed_gbps, modules), count in counted.items():
        fit = demand.fits[speed_gbps, modules]
        cages[leaf] += _cages(fit, count) if fit.ports == isl.ports else 0
        gbps[leaf] += speed_gbps * count
    return LeafLoad(max(cages.values()), max(gbps.values()))


def _cages(fit: Fit, count: int) -> int:
    return ceil(count / fit.legs) * (CAGES_OF_A_BLOCKING_SPLIT if fit.blocks_neighbour else 1)


def host_ports_max(demand: Demand, device_port: DevicePort, isl: Fit) -> int:
    """Return how many ports like ``device_port`` a leaf serves beside the uplinks that they need."""
    fit, leaf = demand.fit(device_port), leaf_cages(demand, isl)
    kind_cages = leaf.cages if fit.ports == isl.ports else fit.ports.last - fit.ports.first + 1
    count = kind_cages * fit.legs
    while count and _cages(fit, count) + _shared_uplinks(leaf, fit, device_port.speed_gbps * count) > kind_cages:
        count -= 1
    return count


def _shared_uplinks(leaf: LeafCages, fit: Fit, hosts_gbps: int) -> int:
    """Return the uplink cages that are of the same kind as those of the hosts."""
    return leaf.uplinks(hosts_gbps) if fit.ports == leaf.isl.ports else 0


def _fewest(uplinks: int, room: int, below: int, cages: int, at_least: int) -> tuple[int, int] | None:
    """Return the fewest switches that join those ``below``, and the cages from each to each of them; None: too many.

    Parameters
    ----------
    uplinks
        Cages that one switch below needs upwards, at least.
    room
        Cages that it has upwards.
    below
        Switches below, each cabled alike to every switch above.
    cages
        Cages of a switch above.
    at_least
        Switches above.
    """
    for count in range(at_least, max(uplinks, at_least) + 1):
        each = -(-uplinks // count)
        if count * each <= room and below * each <= cages:
            return count, each
    return None


def tiers_for(leaves: int, uplinks: int, room: int, cages: int) -> Tiers | None:
    """Return the smallest number of spines, and super-spines if needed, that joins ``leaves``; None: too many.

    Pods of a third tier are as large as a spine allows, so that a pod keeps its leaves when the site grows.

    Parameters
    ----------
    uplinks
        Uplink cages that a leaf needs, at least.
    room
        Cages that hosts leave free on a leaf.
    cages
        Cages of a spine and of a super-spine.
    """
    if leaves == 1:
        return Tiers(1, 1, 1, 0, 0)
    spines = _fewest(uplinks, room, leaves, cages, UPLINKS_MIN)
    if spines is not None:
        return Tiers(leaves, 1, leaves, *spines)
    per_pod = cages // 2
    pods = -(-leaves // per_pod)
    super_spines = _fewest(per_pod, cages - per_pod, pods, cages, 1)
    if super_spines is None or uplinks > room:
        return None
    return Tiers(leaves, pods, per_pod, uplinks, 1, *super_spines)


def leaves_max(cages: int) -> int:
    """Return the largest number of leaves that three tiers of switches with so many cages join."""
    return (cages // 2) * cages
