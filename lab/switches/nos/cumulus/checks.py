"""What NVUE refuses when a configuration is applied, each rule with the page that states it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from lab.spec.models import SwitchSpec
from lab.switches.nos.cumulus.ports import DISABLED, Port, front_panel_ports
from lab.switches.nos.cumulus.schema import Node, clashes
from lab.switches.nos.cumulus.tree import Tree, at, bond_by_member, value

_ON = frozenset({"on", "enabled"})


def is_on(tree: Tree, *words: str) -> bool:
    """Return whether something is switched on, in the syntax of any release: ``enable on`` or ``state enabled``."""
    return value(tree, *words, "enable") in _ON or value(tree, *words, "state") in _ON


@dataclass(frozen=True)
class Candidate:
    """A configuration that is about to be applied."""

    spec: SwitchSpec
    root: Node
    tree: Tree

    @property
    def interfaces(self) -> Tree:
        """The configured interfaces."""
        return at(self.tree, "interface")

    @cached_property
    def ports(self) -> Mapping[str, Port]:
        """The interfaces of the front panel."""
        return {port.name: port for port in front_panel_ports(self.spec, self.tree)}

    @cached_property
    def bond_by_member(self) -> Mapping[str, str]:
        """Member to its bond."""
        return bond_by_member(self.tree)

    def vrf(self, interface: str) -> str:
        """Return the VRF an interface is in."""
        block = self.interfaces.get(interface, {})
        return value(block, "ip", "vrf") or value(block, "vrf") or "default"


Rule = Callable[[Candidate], Iterator[str]]


def refusals(spec: SwitchSpec, root: Node, tree: Tree) -> list[str]:
    """Return why a configuration cannot be applied."""
    candidate = Candidate(spec, root, tree)
    return [*clashes(root, tree), *chain.from_iterable(rule(candidate) for rule in RULES)]


def breakouts(candidate: Candidate) -> Iterator[str]:
    """A port is split as it can be split; one split 8x takes the lanes of the next (Switch-Port-Attributes)."""
    for name, block in candidate.interfaces.items():
        mode = next(iter(at(block, "link", "breakout")), None)
        if mode in {None, DISABLED, "1x"}:
            continue
        number = name.removeprefix("swp")
        port = candidate.spec.ports.get(int(number)) if number.isdigit() else None
        split = [] if port is None else [row for row in port.modes.values() if f"{row.children}x" == mode]
        if not split:
            yield f"Config invalid at interface.{name}.link.breakout: {mode} is not supported on {name}"
            continue
        neighbour = f"swp{int(number) + 1}"
        if split[0].blocks_neighbour and DISABLED not in at(candidate.interfaces, neighbour, "link", "breakout"):
            yield f"Config invalid at interface.{name}.link.breakout: {mode} needs {neighbour} disabled"


def missing_ports(candidate: Candidate) -> Iterator[str]:
    """Nothing is configured on a port that the hardware, as it is split, does not have."""
    for name, block in candidate.interfaces.items():
        is_port = name.startswith("swp") and "." not in name
        only_split = set(block) <= {"type", "link", "description"} and set(at(block, "link")) <= {"breakout", "state"}
        if is_port and name not in candidate.ports and not only_split:
            yield f"Config invalid at interface.{name}: {name} does not exist"


def speeds(candidate: Candidate) -> Iterator[str]:
    """A port runs at no more than its lanes carry (Switch-Port-Attributes, speeds and lanes)."""
    for name, port in candidate.ports.items():
        stated = value(candidate.interfaces.get(name, {}), "link", "speed")
        if stated and mbps(stated) > port.speed_mbps:
            yield f"Config invalid at interface.{name}.link.speed: {stated} is not supported on {name}"


def mbps(speed: str) -> int:
    """Return a speed such as ``400G`` in Mb/s; ``auto`` is 0."""
    number = speed.rstrip("GM")
    return int(number) * (1000 if speed.endswith("G") else 1) if number.isdigit() else 0


def adaptive_routing(candidate: Candidate) -> Iterator[str]:
    """Adaptive routing: on ports of the default VRF only, no bonds, members or SVIs, and not at 800G on Spectrum-4.

    Equal-Cost-Multipath-Load-Sharing, section Adaptive Routing.
    """
    for name, block in candidate.interfaces.items():
        if not is_on(block, "router", "adaptive-routing"):
            continue
        where = f"Config invalid at interface.{name}.router.adaptive-routing"
        port = candidate.ports.get(name)
        if port is None:
            yield f"{where}: adaptive routing is supported on physical layer 3 ports only"
        elif name in candidate.bond_by_member:
            yield f"{where}: {name} is a member of {candidate.bond_by_member[name]}"
        elif candidate.vrf(name) != "default":
            yield f"{where}: {name} is not in the default VRF"
        else:
            stated = value(block, "link", "speed")
            speed_mbps = mbps(stated) if stated and stated != "auto" else port.speed_mbps
            if speed_mbps not in candidate.spec.adaptive_routing_mbps:
                yield f"{where}: adaptive routing is not supported at {speed_mbps // 1000}G"


def multihoming(candidate: Candidate) -> Iterator[str]:
    """EVPN multihoming needs a VLAN-aware bridge and ARP suppression, and segments only stand on bonds.

    EVPN-Multihoming, Supported Features and Configure EVPN-MH.
    """
    enabled = is_on(candidate.tree, "evpn", "multihoming")
    if enabled and value(candidate.tree, "nve", "vxlan", "arp-nd-suppress") in {"off", "disabled"}:
        yield "Config invalid at evpn.multihoming: ARP and ND suppression must be enabled"
    if enabled and not at(candidate.tree, "bridge", "domain"):
        yield "Config invalid at evpn.multihoming: a VLAN-aware bridge is required"
    for name, block in candidate.interfaces.items():
        if not at(block, "evpn", "multihoming", "segment"):
            continue
        if not at(block, "bond", "member"):
            yield f"Config invalid at interface.{name}.evpn.multihoming.segment: {name} is not a bond"
        if not enabled:
            yield f"Config invalid at interface.{name}.evpn.multihoming.segment: EVPN multihoming is not enabled"


def peer_groups(candidate: Candidate) -> Iterator[str]:
    """A session's peer group is one of its VRF."""
    for vrf, block in at(candidate.tree, "vrf").items():
        bgp = at(block, "router", "bgp")
        for name, neighbor in at(bgp, "neighbor").items():
            group = value(neighbor, "peer-group")
            if group not in {None, "none"} and group not in at(bgp, "peer-group"):
                yield f"Config invalid at vrf.{vrf}.router.bgp.neighbor.{name}.peer-group: '{group}' does not exist"


def watchdogs(candidate: Candidate) -> Iterator[str]:
    """The PFC watchdog stands on physical ports with PFC only (Quality-of-Service, PFC Watchdog)."""
    lossless = bool(at(candidate.tree, "qos", "roce")) and value(candidate.tree, "qos", "roce", "mode") != "lossy"
    for name, block in candidate.interfaces.items():
        if value(block, "qos", "pfc-watchdog", "state") != "enable":
            continue
        if name not in candidate.ports:
            yield f"Config invalid at interface.{name}.qos.pfc-watchdog: {name} is not a physical port"
        elif not lossless and value(block, "qos", "pfc", "profile") is None:
            yield f"Config invalid at interface.{name}.qos.pfc-watchdog: PFC is not enabled on {name}"


def shares(candidate: Candidate) -> Iterator[str]:
    """Pools and classes share no more than there is (Quality-of-Service: the sum is at most 100)."""
    pools = at(candidate.tree, "qos", "traffic-pool")
    if sum(int(value(pool, "memory-percent") or 0) for pool in pools.values()) > 100:
        yield "Config invalid at qos.traffic-pool: the sum of memory-percent is greater than 100"
    for name, block in at(candidate.tree, "qos", "egress-scheduler").items():
        classes = at(block, "traffic-class")
        if sum(int(value(row, "bw-percent") or 0) for row in classes.values()) > 100:
            yield f"Config invalid at qos.egress-scheduler.{name}: the sum of bw-percent is greater than 100"


def bonds(candidate: Candidate) -> Iterator[str]:
    """A port belongs to one bond."""
    seen: dict[str, str] = {}
    for name, block in candidate.interfaces.items():
        for member in at(block, "bond", "member"):
            if member in seen:
                yield f"Config invalid at interface.{name}.bond.member.{member}: it is a member of {seen[member]}"
            if member not in candidate.ports:
                yield f"Config invalid at interface.{name}.bond.member.{member}: {member} does not exist"
            seen[member] = name


RULES: tuple[Rule, ...] = (
    breakouts,
    missing_ports,
    speeds,
    adaptive_routing,
    multihoming,
    peer_groups,
    watchdogs,
    shares,
    bonds,
)
