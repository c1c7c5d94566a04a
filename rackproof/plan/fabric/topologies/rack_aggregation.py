"""Out of band: switch-per-rack, and two aggregation switches that route for all racks and have the uplinks.

Every rack switch has its own subnet and a 1G link to each aggregation switch, routed over BGP without addresses: no
layer 2 spans two switches, so there is no loop and no port for a spanning tree to block (RFC 7938, section 4.1).
"""

from dataclasses import replace
from typing import Final

import msgspec

from rackproof.errors import Problems
from rackproof.plan.fabric.cable_fit import Fit
from rackproof.plan.fabric.demand import Demand
from rackproof.plan.fabric.layout import NO_HOSTS, InterSwitchCable, Layout, LayoutSwitch
from rackproof.plan.fabric.port_allocation import Attachment, SwitchPorts
from rackproof.plan.fabric.server_ports import copper_port
from rackproof.plan.fabric.topologies import switch_per_rack
from rackproof.plan.model.port_names import front_panel_port

ROLES: Final = ("oob",)
NOS_FEATURES: Final[tuple[str, ...]] = ("bgp-unnumbered",)
STANDS_WITH_DEVICES: Final = True

AGGREGATION: Final = 2
"""Two, so that one may fail or be changed."""
KEPT: Final = ("0", "1", "mgmt0", "mgmt1")
"""Copper ports kept on every rack switch: to each aggregation switch, and on the first for their management ports."""


def lay_out(demand: Demand, problems: Problems) -> Layout:
    """Serve the racks as switch-per-rack does, and link every rack switch to both aggregation switches."""
    fit = demand.isl_fit
    if fit is None:
        problems.add((*demand.path, "switch"), f"no cable of the catalogue joins two {demand.switch_model}")
        return Layout((), ())
    path = (*demand.path, "switch")
    kept = [copper_port(name, "peer", demand.fabric, path) for name in KEPT]
    racks = switch_per_rack.lay_out(replace(demand, uplinks=tuple(kept)), problems)
    most = fit.ports.last - fit.ports.first + 1 - sum(demand.fit(up).ports == fit.ports for up in demand.uplinks)
    if len(racks.switches) > most:
        message = f"fabric {demand.fabric}: {len(racks.switches)} rack switches; {demand.switch_model} joins {most}"
        problems.add(path, message, "divide the racks among several out-of-band fabrics, or take a larger switch")
        return Layout((), ())
    return _joined(demand, racks, fit) if racks.switches else racks


def _joined(demand: Demand, racks: Layout, fit: Fit) -> Layout:
    """Return rack switches and aggregation switches; these come first, so that growth renumbers none of them."""
    aggregation = tuple(
        LayoutSwitch("spine", number, "aggregation-01", domain=NO_HOSTS) for number in range(AGGREGATION)
    )
    leaves = tuple(replace(switch, asn=1 + switch.asn) for switch in racks.switches)
    attachments, isl_cables = [], []
    for attachment in racks.attachments:
        device, number = attachment.device_port.device, attachment.switch
        if attachment.device_port.port != "peer":
            attachments.append(msgspec.structs.replace(attachment, switch=AGGREGATION + number))
        elif device.isdecimal():
            far, port = int(device), front_panel_port(attachment.key)
            isl_cables.append(InterSwitchCable(far, fit.ports.first + number, AGGREGATION + number, port))
    attachments += [*_management(demand, racks), *_uplinks(demand)]
    return Layout((*aggregation, *leaves), tuple(attachments), tuple(isl_cables), isl_fit=fit)


def _management(demand: Demand, racks: Layout) -> list[Attachment]:
    """Return how the management ports of the aggregation switches are plugged into the first rack switch."""
    served = []
    for attachment in racks.attachments_by_switch[0]:
        kept = attachment.device_port.device
        if attachment.device_port.port == "peer" and not kept.isdecimal():
            name = f"{demand.fabric}-spine-{KEPT.index(kept) - 1:0{racks.digits}d}"
            port = copper_port(name, "mgmt", demand.fabric, (*demand.path, "switch"))
            served.append(Attachment(port, AGGREGATION, attachment.key, attachment.fit))
    return served


def _uplinks(demand: Demand) -> list[Attachment]:
    """Return the ports of both aggregation switches towards networks outside, from the last one down."""
    found = []
    for number in range(AGGREGATION):
        ports = SwitchPorts(number)
        found += [ports.take(uplink, demand.fit(uplink), from_top=True) for uplink in demand.uplinks]
    return [attachment for attachment in found if attachment is not None]
