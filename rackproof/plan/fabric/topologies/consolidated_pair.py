"""Two switches for everything, as in NVIDIA's Enterprise Reference Architecture: rails, hosts, storage and the edge.

From the first port up: the frontend of the servers that have rails, the rails, and, in the architecture's order,
everybody else's frontend and the links between the two switches.  The last cages are split eight ways: two for networks
outside, one for the out-of-band switches.  The switches are cabled alike, so that a host's two ports have the same name
on both.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from math import ceil
from typing import Final

from rackproof.errors import Problems
from rackproof.plan.fabric.cable_fit import Fit, plugs
from rackproof.plan.fabric.demand import Demand
from rackproof.plan.fabric.layout import InterSwitchCable, Layout, LayoutSwitch
from rackproof.plan.fabric.port_allocation import BLOCKED, Attachment, SwitchPorts
from rackproof.plan.fabric.server_ports import DevicePort

ROLES: Final = ("backend", "frontend")
NOS_FEATURES: Final[tuple[str, ...]] = ("bgp-unnumbered", "evpn-multihoming", "evpn-vrfs")
STANDS_WITH_DEVICES: Final = False

SWITCHES: Final = 2
EDGE_CAGES: Final = 2
"""Cages for networks outside: one may fail."""
SPLIT: Final = 8
"""Ways the last cages are split; each takes the cage after it out of use."""


@dataclass(frozen=True, slots=True)
class Architecture:
    """What NVIDIA decided for servers with so many rails, where another order would do as well."""

    servers_max: int
    """Access ports of the GPU VLAN over the ports a server has."""
    links_first: bool
    """Whether the links between the switches come before the frontend of servers without rails, or after it."""
    oob_cage: int
    """Cage of the out-of-band switches."""


ARCHITECTURES: Final = {
    8: Architecture(12, links_first=True, oob_cage=55),
    2: Architecture(32, links_first=False, oob_cage=59),
}
"""Rails a server to NVIDIA enterprise-ras 3.0.0, 2-8-9-400 and 2-4-3-200."""
OWN_DESIGN: Final = Architecture(64, links_first=False, oob_cage=59)
"""Any other number of rails: as many servers as there are cages."""


def architecture(demand: Demand) -> Architecture:
    """Return the architecture that servers like the first one belong to."""
    rails = sum(device_port.device == demand.example for device_port in demand.block_ports)
    return ARCHITECTURES.get(rails, OWN_DESIGN)


def rail_side(rail: int) -> int:
    """Return the switch of a rail: 0, 3, 4 and 7 on the first, 1, 2, 5 and 6 on the second (2-8-9-400 wiring)."""
    return (rail + 1) // 2 % SWITCHES


def edge_cages(last: int) -> tuple[int, ...]:
    """Return the cages of networks outside, lowest first.

    Parameters
    ----------
    last
        Last cage of the switch.
    """
    return tuple(last - 1 - 2 * back for back in reversed(range(EDGE_CAGES)))


def _side(device_port: DevicePort) -> int:
    return device_port.side % SWITCHES if device_port.rail is None else rail_side(device_port.rail)


def _in_order(demand: Demand, peers: Sequence[DevicePort] = ()) -> Iterator[DevicePort]:
    """Yield the device ports from the first port up, with the links between the switches among them."""
    rails = list(demand.block_ports)
    nodes = {device_port.device for device_port in rails}
    hosts = list(chain.from_iterable(shared.block_ports for shared in demand.sharing))
    others = [device_port for device_port in hosts if device_port.device not in nodes]
    yield from (device_port for device_port in hosts if device_port.device in nodes)
    yield from rails
    yield from [*peers, *others] if architecture(demand).links_first else [*others, *peers]


def _fit(demand: Demand, device_port: DevicePort) -> Fit:
    return next(one for one in (demand, *demand.sharing) if one.fabric == device_port.fabric).fit(device_port)


def _ports(demand: Demand, side: int, isl_fit: Fit) -> SwitchPorts:
    """Return the ports of one switch with its last cages kept."""
    pins: dict[str, str] = {}
    for one in (demand, *demand.sharing):
        pins |= one.pins.get(side, {})
    ports = SwitchPorts(side, pins)
    for cage in (architecture(demand).oob_cage, *edge_cages(isl_fit.ports.last)):
        ports.used |= {cage: f"{SPLIT}-way", cage + 1: BLOCKED}
    return ports


def _edge(demand: Demand, side: int, isl_fit: Fit, problems: Problems) -> Iterator[Attachment]:
    """Yield the ports towards networks outside, half of them in each of the two last cages that are free."""
    device_ports = list(chain.from_iterable(one.uplinks for one in (demand, *demand.sharing)))
    a_cage = ceil(len(device_ports) / EDGE_CAGES)
    speed_gbps = isl_fit.ports.speed_gbps // SPLIT
    for number, device_port in enumerate(device_ports):
        if a_cage > SPLIT or device_port.speed_gbps != speed_gbps:
            message = f"a consolidated pair has {EDGE_CAGES * SPLIT} ports of {speed_gbps}G a switch for other networks"
            problems.add(
                device_port.path, f"{device_port.device} does not fit: {message}", f"ask for speed_gbps: {speed_gbps}"
            )
            return
        cage = edge_cages(isl_fit.ports.last)[number // a_cage]
        fit = Fit(isl_fit.ports, f"{SPLIT}x{speed_gbps}G", SPLIT, (), blocks_neighbour=True)
        yield Attachment(device_port, side, f"{cage}/{number % a_cage + 1}", fit)


def _isl_cage_count(demand: Demand, isl_fit: Fit) -> int:
    """Return the cages between the switches: as much bandwidth as the rails of a switch have, over what is asked."""
    rails = [device_port for device_port in demand.block_ports if _side(device_port) == 0]
    needed_gbps = sum(device_port.speed_gbps for device_port in rails) / demand.oversubscription
    return max(2, ceil(needed_gbps / isl_fit.ports.speed_gbps))


def servers_max(demand: Demand, isl_fit: Fit) -> int:
    """Return how many servers like the first one the pair holds: what was validated, or less if cages run out."""
    first_side = [device_port for device_port in _in_order(demand) if _side(device_port) == 0]
    own = [device_port for device_port in first_side if device_port.device == demand.example]
    nodes = {device_port.device for device_port in demand.block_ports}
    others = [device_port for device_port in first_side if device_port.device not in nodes]
    cages = isl_fit.ports.last - isl_fit.ports.first + 1 - 2 * (EDGE_CAGES + 1) - _cages(demand, others, 1)
    count = architecture(demand).servers_max
    while count and _cages(demand, own, count) + _isl_cages(demand, own, count, isl_fit) > cages:
        count -= 1
    return count


def _cages(demand: Demand, device_ports: Sequence[DevicePort], times: int) -> int:
    """Return the cages that device ports take, as often as there are such servers."""
    kinds: dict[tuple[str | None, int], int] = {}
    for device_port in device_ports:
        fit = _fit(demand, device_port)
        kinds[fit.mode, fit.legs] = kinds.get((fit.mode, fit.legs), 0) + times
    return sum(ceil(count / legs) for (_, legs), count in kinds.items())


def _isl_cages(demand: Demand, own: Sequence[DevicePort], times: int, isl_fit: Fit) -> int:
    rails_gbps = sum(device_port.speed_gbps for device_port in own if device_port.rail is not None) * times
    return ceil(rails_gbps / demand.oversubscription / isl_fit.ports.speed_gbps)


def _peers(demand: Demand, isl_fit: Fit) -> list[DevicePort]:
    """Return the cages a switch gives to the other, as ports of its peer."""
    path, plug_forms = (*demand.path, "switch"), plugs(isl_fit.ports)
    return [
        DevicePort("peer", f"isl{number}", demand.fabric, "inter-switch", 0, plug_forms, {}, path)
        for number in range(_isl_cage_count(demand, isl_fit))
    ]


def _serve(demand: Demand, side: int, isl_fit: Fit, problems: Problems) -> tuple[list[Attachment], list[int]]:
    """Return what is plugged into one switch, and its cages towards the other."""
    ports = _ports(demand, side, isl_fit)
    done, left_out = list(_edge(demand, side, isl_fit, problems)), []
    cages: list[int] = []
    for device_port in _in_order(demand, _peers(demand, isl_fit)):
        peer = device_port.kind == "inter-switch"
        if not peer and _side(device_port) != side:
            continue
        taken = ports.take_cage(isl_fit) if peer else ports.take(device_port, _fit(demand, device_port))
        if taken is None:
            left_out.append(device_port)
        elif isinstance(taken, Attachment):
            done.append(taken)
        else:
            cages.append(taken)
    if left_out:
        _report_full(demand, left_out, servers_max(demand, isl_fit), problems)
    return done, cages


def _report_full(demand: Demand, left_out: Sequence[DevicePort], most: int, problems: Problems) -> None:
    rails = next(iter(demand.block_ports), left_out[0])
    problems.add(
        rails.path,
        f"fabric {demand.fabric}: {len(left_out)} port(s) find no place on {demand.switch_model}, "
        f"from {left_out[0].device}:{left_out[0].port} on",
        f"the largest site this topology holds with it is {most} server(s); take fewer, or a smaller grows_to",
    )


def _check_size(demand: Demand, most: int, problems: Problems) -> None:
    """Record more servers than the pair is made for."""
    rails = list(demand.block_ports)
    count = len({device_port.device for device_port in rails})
    if rails and count > most:
        problems.add(
            rails[0].path,
            f"fabric {demand.fabric}: a consolidated pair of {demand.switch_model} is not made for {count} servers",
            f"the largest site this topology holds with it is {most} server(s); take fewer, or a smaller grows_to",
        )


def _check_both_sides(sides: Sequence[Sequence[Attachment]], problems: Problems) -> None:
    """Record hosts that are not on both switches alike: a bond has one segment, named after the port."""
    keys: dict[str, list[set[str]]] = {}
    paths = {}
    for side, attachments in enumerate(sides):
        for a in attachments:
            if a.device_port.kind == "host":
                keys.setdefault(a.device_port.device, [set(), set()])[side].add(a.key)
                paths[a.device_port.device] = a.device_port.path
    odd = next((device for device, (first, second) in keys.items() if first != second), None)
    if odd is not None:
        message = f"{odd} is not on the same ports of both switches; a consolidated pair bonds them"
        problems.add(paths[odd], message, "take a NIC with two ports, and pin both to ports of the same name")


def lay_out(demand: Demand, problems: Problems) -> Layout:
    """Serve rails by their side, and every host's two ports from both switches."""
    isl_fit = demand.split_isl_fit
    if isl_fit is None:
        problems.add((*demand.path, "switch"), f"no cable of the catalogue joins two {demand.switch_model}")
        return Layout((), ())
    most = servers_max(demand, isl_fit)
    _check_size(demand, most, problems)
    served = [_serve(demand, side, isl_fit, problems) for side in range(SWITCHES)]
    sides, cages = [done for done, _ in served], [isl_cables for _, isl_cables in served]
    _check_both_sides(sides, problems)
    return Layout(
        switches=tuple(LayoutSwitch("leaf", side, "pair-01") for side in range(SWITCHES)),
        attachments=tuple(chain.from_iterable(sides)),
        isl_cables=tuple(InterSwitchCable(0, a, 1, b, isl_fit.mode) for a, b in zip(*cages, strict=False)),
        isl_fit=isl_fit,
        servers_max=most,
        paired=True,
        consolidated=True,
        oob_cage=architecture(demand).oob_cage,
    )
