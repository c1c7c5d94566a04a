"""Labels for both ends of every cable and power cord, a PDF a fabric.

They follow the schedule: the trunk's label, then those of its legs, so that a cable has its labels before it is
pulled.  Each says which part it is on, where this end goes, and where the other end is.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from rackproof.render.documents.cable_schedule import uplink_name
from rackproof.render.documents.label_sheet import Label, sheet_pdf
from rackproof.render.documents.plugs import assembly_plugs
from rackproof.render.documents.record import File

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rackproof.plan.model.plan import Assembly, CordPlan, UplinkPlan
    from rackproof.render.documents.plugs import Plug
    from rackproof.render.documents.record import Record

CORDS = "labels/power-cords.pdf"


def sheet_path(fabric: str) -> str:
    """Return the file with the labels of a fabric's cables."""
    return f"labels/{fabric}.pdf"


def files(record: Record) -> Iterator[File]:
    """Yield the labels of every fabric, then those of the power cords."""
    site = record.plan.site
    for fabric in record.cabled_fabrics:
        yield File(sheet_path(fabric), sheet_pdf(f"{site}: cable labels, {fabric}", cable_labels(record, fabric)))
    if record.plan.cords:
        cords = chain.from_iterable(cord_labels(record, cord) for cord in record.plan.cords)
        yield File(CORDS, sheet_pdf(f"{site}: power cord labels", cords))


def cable_labels(record: Record, fabric: str) -> Iterator[Label]:
    """Yield the labels of a fabric's cables, assembly by assembly, then of its uplinks."""
    for assembly in record.plan.assemblies:
        if any(link.fabric == fabric for link in record.assembly_links.get(assembly.id, ())[:1]):
            plugs = tuple(assembly_plugs(record, assembly))
            yield trunk_label(record, assembly, plugs)
            yield from (leg_label(record, assembly, plug) for plug in plugs)
    yield from (_uplink_label(record, uplink) for uplink in record.fabric_uplinks[fabric])


def _uplink_label(record: Record, uplink: UplinkPlan) -> Label:
    """Return the label of an uplink's end at our switch."""
    here, place = f"{uplink.switch}/{uplink.port}", record.place(uplink.switch)
    return Label(f"{uplink_name(uplink)}  {uplink.speed_gbps}G", here, place, uplink.name, "network outside")


def trunk_label(record: Record, assembly: Assembly, plugs: Sequence[Plug]) -> Label:
    """Return the label of a trunk; the other end is every device its legs go to."""
    devices = tuple(dict.fromkeys(plug.device for plug in plugs))
    places = ", ".join(dict.fromkeys(record.place(device) for device in devices))
    ports = " ".join(plug.ports for plug in plugs)
    there = f"{devices[0]}/{ports}" if len(devices) == 1 else f"{len(plugs)} legs: {' '.join(devices)}"
    head = f"{assembly.id}  {assembly.length_m:g} m"
    return Label(head, str(assembly.trunk), record.place(assembly.trunk.device), there, places)


def leg_label(record: Record, assembly: Assembly, plug: Plug) -> Label:
    """Return the label of a leg."""
    trunk = assembly.trunk
    head = f"{assembly.id}.{plug.leg}  {assembly.length_m:g} m"
    return Label(head, plug.end, record.place(plug.device), str(trunk), record.place(trunk.device))


def cord_labels(record: Record, cord: CordPlan) -> Iterator[Label]:
    """Yield the labels of a power cord: the device's end, then the outlet's."""
    pdu = record.plan.pdus[cord.pdu]
    head = f"feed {pdu.feed}  {cord.phase} {cord.breaker}  {cord.length_m:g} m"
    supply, outlet = f"{cord.device}/psu{cord.supply}", f"{cord.pdu}/{cord.outlet}"
    place, rack = record.place(cord.device), f"{pdu.rack}, outlet {cord.outlet}"
    yield Label(head, supply, place, outlet, rack)
    yield Label(head, outlet, rack, supply, place)
