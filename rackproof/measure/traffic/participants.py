"""A site as live checks see it: who takes part, what is planned for them, and which rails meet."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from rackproof.measure.traffic.coupled_gate import Marking
from rackproof.measure.traffic.pairs import End, Pair, pair_seed
from rackproof.measure.traffic.rail_ports import RailPort, rail_ports
from rackproof.plan.model.plan import FabricPlan, Plan


@dataclass(frozen=True)
class TrafficSite:
    """The part of a plan that can be sent over.

    Parameters
    ----------
    plan
        The site.
    servers
        Servers that take part; of a lab those that are machines.
    rehearsal
        Whether it is a lab.
    accelerators
        Server to the vendor of its accelerators, where it has any.
    """

    plan: Plan
    servers: frozenset[str]
    rehearsal: bool
    accelerators: Mapping[str, str]

    @cached_property
    def ports(self) -> dict[End, RailPort]:
        """Rail ports of the servers that take part."""
        return {end: port for end, port in rail_ports(self.plan).items() if end.host in self.servers}

    @cached_property
    def rails(self) -> dict[int, tuple[str, ...]]:
        """Rail to the servers on it."""
        return {rail: tuple(end.host for end in self.ports if end.rail == rail) for rail in self._numbers}

    @cached_property
    def _numbers(self) -> tuple[int, ...]:
        return tuple(sorted({end.rail for end in self.ports}))

    @property
    def seed(self) -> int:
        """What draws pairs: the site's name and everything that is plugged in, so that a changed plan draws anew."""
        return pair_seed(self.plan.site, *(f"{end} {port.address} {port.at}" for end, port in self.ports.items()))

    @cached_property
    def islands(self) -> dict[str, str]:
        """Switch to the first of all that it is joined to by links that carry traffic, over any number of them."""
        island = {name: name for name in self.plan.switches}

        def first(name: str) -> str:
            while island[name] != name:
                name = island[name]
            return name

        for link in self.plan.links:
            if link.kind == "inter-switch":
                one, other = sorted((first(link.a.device), first(link.b.device)))
                island[other] = one
        return {name: first(name) for name in island}

    def joined(self, one: End, other: End) -> bool:
        """Return whether two rail ports can reach each other by the plan: their switches are joined."""
        return self.islands[self.ports[one].at.device] == self.islands[self.ports[other].at.device]

    def vendor(self, pair: Pair) -> str:
        """Return the vendor of the accelerators that both hosts have; empty: none, or different ones."""
        one, other = (self.accelerators.get(end.host, "") for end in pair)
        return one if one == other else ""

    def fabric(self, end: End) -> FabricPlan:
        """Return the fabric of a rail port."""
        return self.plan.fabrics[self.ports[end].fabric]

    def marking(self, end: End) -> Marking | None:
        """Return how RDMA of a rail port is treated; None: its fabric has no RoCE."""
        return rdma_marking(self.fabric(end))

    def nos(self) -> dict[str, str]:
        """Return the switches that rail ports are plugged into and that can be asked, to their NOS."""
        used = {port.at.device for port in self.ports.values()}
        switches = (self.plan.switches[name] for name in sorted(used))
        return {switch.name: switch.nos for switch in switches if switch.intent is not None}

    def spreads_packets(self, fabric: str) -> bool:
        """Return whether no flow of a fabric has to share a link by chance: one switch, or adaptive routing."""
        switches = [self.plan.switches[name] for name in self.plan.fabrics[fabric].switches]
        if not self.trunks(fabric):
            return True
        ports = [port for switch in switches if switch.intent for port in switch.intent.ports.values()]
        return any(port.adaptive_routing for port in ports)

    def trunks(self, fabric: str) -> dict[str, int]:
        """Return leaf to its links towards other switches of a fabric."""
        found: dict[str, int] = {}
        for link in self.plan.links:
            if link.fabric == fabric and link.kind == "inter-switch":
                for end in (link.a, link.b):
                    found[end.device] = found.get(end.device, 0) + 1
        return found


def rdma_marking(fabric: FabricPlan) -> Marking | None:
    """Return how a fabric treats RDMA; None: it has no RoCE."""
    roce, dscp, priority = fabric.roce, fabric.host_dscp, fabric.host_priority
    if roce is None or dscp is None or priority is None:
        return None
    return Marking(dscp, frozenset(roce.lossless), priority, roce.cnp_priority)
