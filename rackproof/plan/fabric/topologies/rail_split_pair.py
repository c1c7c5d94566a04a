"""Two switches: even rails on the first, odd rails on the second, and as much between them as towards the hosts."""

from itertools import chain
from typing import Final

from rackproof.errors import Problems
from rackproof.plan.fabric.cable_fit import plugs
from rackproof.plan.fabric.demand import Demand
from rackproof.plan.fabric.layout import InterSwitchCable, Layout, LayoutSwitch
from rackproof.plan.fabric.server_ports import DevicePort
from rackproof.plan.fabric.switch_fill import Wanted, fill_switch, servers_that_fit
from rackproof.plan.model.port_names import front_panel_port

ROLES: Final = ("backend",)
NOS_FEATURES: Final[tuple[str, ...]] = ("bgp-unnumbered",)
STANDS_WITH_DEVICES: Final = False

SWITCHES = 2


def lay_out(demand: Demand, problems: Problems) -> Layout:
    """Serve rails by parity; the cages from the last one down join the two switches."""
    if demand.split_isl_fit is None:
        problems.add((*demand.path, "switch"), f"no cable of the catalogue joins two {demand.switch_model}")
        return Layout((), ())
    device_ports = demand.block_ports
    if not device_ports:  # none fits; each was recorded
        return Layout((), ())
    isl_cages = _isl_cages(demand, device_ports[0])
    ports, path = demand.split_isl_fit.ports, (*demand.path, "switch")
    isl_ports = [
        DevicePort("peer", f"isl{n}", demand.fabric, "inter-switch", ports.speed_gbps, plugs(ports), {}, path)
        for n in range(isl_cages)
    ]
    sides = [fill_switch(demand, side, isl_ports, problems, _served_by(side)) for side in range(SWITCHES)]
    cages = [[front_panel_port(a.key) for a in side if a.device_port.kind == "inter-switch"] for side in sides]
    return Layout(
        switches=tuple(LayoutSwitch("leaf", side, "pair-01", domain=side, asn=side) for side in range(SWITCHES)),
        attachments=tuple(a for a in chain.from_iterable(sides) if a.device_port.kind != "inter-switch"),
        isl_cables=tuple(InterSwitchCable(0, a, 1, b, demand.split_isl_fit.mode) for a, b in zip(*cages, strict=True)),
        isl_fit=demand.split_isl_fit,
        servers_max=servers_that_fit(demand, isl_cages, _served_by(0)),
    )


def _isl_cages(demand: Demand, device_port: DevicePort) -> int:
    """Return the cages between the switches: the share of all cages that the oversubscription leaves to them."""
    fit = demand.fit(device_port)
    uplinks = sum(demand.fit(other).ports == fit.ports for other in demand.uplinks)
    cages = fit.ports.last - fit.ports.first + 1 - uplinks
    return cages - max(1, int(cages * demand.oversubscription / (1 + demand.oversubscription)))


def _served_by(side: int) -> Wanted:
    """Return the test whether a device port is served by the switch of that side."""
    return lambda device_port: (device_port.rail or 0) % SWITCHES == side
