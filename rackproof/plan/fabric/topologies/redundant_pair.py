"""Two switches, every host on both: NIC port 1 on the first, port 2 on the second, bonded over EVPN multihoming.

Traffic between hosts stays within a switch; the inter-switch links carry what one side lost, so the pair is
non-blocking as long as both switches live.
"""

from itertools import chain
from typing import Final

from rackproof.errors import Problems
from rackproof.plan.fabric.cable_fit import plugs
from rackproof.plan.fabric.demand import Demand
from rackproof.plan.fabric.layout import InterSwitchCable, Layout, LayoutSwitch
from rackproof.plan.fabric.server_ports import DevicePort
from rackproof.plan.fabric.switch_fill import Wanted, fill_switch, servers_that_fit
from rackproof.plan.model.port_names import front_panel_port

ROLES: Final = ("backend", "frontend")
NOS_FEATURES: Final[tuple[str, ...]] = ("bgp-unnumbered", "evpn-multihoming")
STANDS_WITH_DEVICES: Final = False

SWITCHES = 2
INTER_SWITCH_LINKS = 2
"""Two, so that one cable or port may fail (NVIDIA's and Dell's pairs never use fewer)."""


def _isl_ports(demand: Demand) -> list[DevicePort]:
    """Return the ports a switch gives to its peer."""
    if demand.isl_fit is None:
        return []
    ports, path = demand.isl_fit.ports, (*demand.path, "switch")
    return [
        DevicePort("peer", f"isl{number}", demand.fabric, "inter-switch", ports.speed_gbps, plugs(ports), {}, path)
        for number in range(INTER_SWITCH_LINKS)
    ]


def _check_both_sides(demand: Demand, problems: Problems) -> None:
    """Record the first device that cannot be on both switches: its NIC has one port."""
    sides: dict[str, set[int]] = {}
    paths = {device_port.device: device_port.path for device_port in demand.block_ports}
    for device_port in demand.block_ports:
        sides.setdefault(device_port.device, set()).add(device_port.side % SWITCHES)
    single = next((device for device, seen in sides.items() if len(seen) < SWITCHES), None)
    if single is not None:
        problems.add(
            paths[single],
            f"{single} has one port on fabric {demand.fabric}; a redundant pair needs a NIC with two",
            "take a NIC with two ports, or topology: single-switch",
        )


def lay_out(demand: Demand, problems: Problems) -> Layout:
    """Serve port 0 of every NIC from the first switch and port 1 from the second."""
    if demand.isl_fit is None:
        problems.add((*demand.path, "switch"), f"no cable of the catalogue joins two {demand.switch_model}")
    _check_both_sides(demand, problems)
    isl_ports = _isl_ports(demand)
    sides = [fill_switch(demand, side, isl_ports, problems, _served_by(side)) for side in range(SWITCHES)]
    cages = [[front_panel_port(a.key) for a in side if a.device_port.kind == "inter-switch"] for side in sides]
    return Layout(
        switches=tuple(LayoutSwitch("leaf", side, "pair-01", asn=side) for side in range(SWITCHES)),
        attachments=tuple(a for a in chain.from_iterable(sides) if a.device_port.kind != "inter-switch"),
        isl_cables=tuple(InterSwitchCable(0, a, 1, b) for a, b in zip(*cages, strict=True)),
        servers_max=servers_that_fit(demand, len(isl_ports), _served_by(0)),
        isl_fit=demand.isl_fit,
        paired=True,
    )


def _served_by(side: int) -> Wanted:
    """Return the test whether a device port is served by the switch of that side."""
    return lambda device_port: device_port.side % SWITCHES == side
