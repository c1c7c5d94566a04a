"""The part of a site that takes part in traffic: servers, rail ports, their marking, and which rails are connected."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from rackproof.measure.traffic.coupled_gate import Marking
from rackproof.measure.traffic.pairs import End, Pair, pair_seed
from rackproof.measure.traffic.rail_ports import RailPort, rail_ports
from rackproof.plan.model.plan import FabricPlan, Plan


@dataclass(frozen=True)
class TrafficSite:
    """The part of a plan that carries test traffic.

    Parameters
    ----------
    plan
        The site.
    servers
        Servers that take part; in a lab those with a machine.
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
        """Seed of the pairs, from the site's name and all rail ports, so that a changed plan gives other pairs."""
        return pair_seed(self.plan.site, *(f"{end} {port.address} {port.at}" for end, port in self.ports.items()))

    @cached_property
    def islands(self) -> dict[str, str]:
        """Switch to the first switch that it is connected with over inter-switch links, by name."""
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
        """Return whether two rail ports can reach each other by the plan: their switches are connected."""
        return self.islands[self.ports[one].at.device] == self.islands[self.ports[other].at.device]

    def vendor(self, pair: Pair) -> str:
        """Return the vendor of the accelerators that both hosts have; empty: none, or two vendors."""
        one, other = (self.accelerators.get(end.host, "") for end in pair)
        return one if one == other else ""

    def fabric(self, end: End) -> FabricPlan:
        """Return the fabric of a rail port."""
        return self.plan.fabrics[self.ports[end].fabric]

    def marking(self, end: End) -> Marking | None:
        """Return the marking of RDMA on a rail port; None: its fabric has no RoCE."""
        return rdma_marking(self.fabric(end))

    def nos(self) -> dict[str, str]:
        """Return the configured switches of rail ports, to their NOS."""
        used = {port.at.device for port in self.ports.values()}
        switches = (self.plan.switches[name] for name in sorted(used))
        return {switch.name: switch.nos for switch in switches if switch.intent is not None}

    def spreads_packets(self, fabric: str) -> bool:
        """Return whether no hash makes flows of a fabric share a link: one switch, or adaptive routing."""
        if not self.trunks(fabric):
            return True
        switches = [self.plan.switches[name] for name in self.plan.fabrics[fabric].switches]
        ports = chain.from_iterable(switch.intent.ports.values() for switch in switches if switch.intent)
        return any(port.adaptive_routing for port in ports)

    def trunks(self, fabric: str) -> dict[str, int]:
        """Return leaf to the number of its inter-switch links in a fabric."""
        found: dict[str, int] = {}
        for link in self.plan.links:
            if link.fabric == fabric and link.kind == "inter-switch":
                for end in (link.a, link.b):
                    found[end.device] = found.get(end.device, 0) + 1
        return found


def rdma_marking(fabric: FabricPlan) -> Marking | None:
    """Return the marking of RDMA on a fabric; None: it has no RoCE."""
    roce, dscp, priority = fabric.roce, fabric.host_dscp, fabric.host_priority
    if roce is None or dscp is None or priority is None:
        return None
    return Marking(dscp, frozenset(roce.lossless), priority, roce.cnp_priority)
