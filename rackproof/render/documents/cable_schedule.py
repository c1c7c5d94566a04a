"""The cable schedule as a spreadsheet: a sheet a fabric, a row a leg, and columns for the person who plugs it in."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

from rackproof.render.cabling import part_number, trunk_label
from rackproof.render.documents.plugs import assembly_plugs, plug_label
from rackproof.render.documents.record import File
from rackproof.render.documents.spreadsheet import workbook
from rackproof.render.documents.table import Column, Row, Table, columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rackproof.plan.model.plan import Assembly, UplinkPlan
    from rackproof.render.documents.record import Record

PATH: Final = "cable-schedule.xlsx"
UPLINKS: Final = "networks outside"
CABLE_COLUMNS: Final = (
    *columns(("Assembly", 15), ("Leg", 5), ("Kind", 12), ("Cable", 31), ("Part number", 18), ("Length m", 8)),
    *columns(("Needed m", 8), ("Gb/s", 6), ("Trunk rack", 9), ("Trunk unit", 6), ("Trunk device", 20)),
    *columns(("Trunk port", 11), ("Trunk label", 34), ("Trunk optic", 20), ("Leg rack", 9), ("Leg unit", 6)),
    *columns(("Leg device", 20), ("Leg port", 11), ("Leg label", 34), ("Leg optic", 20), ("Switch port", 11)),
    Column("Installed by", 13),
    Column("Tested", 9, ("pass", "fail")),
    Column("Remarks", 24),
)
UPLINK_COLUMNS: Final = (
    *columns(("Label", 40), ("Fabric", 12), ("Gb/s", 6), ("Rack", 9), ("Unit", 6), ("Switch", 20), ("Port", 11)),
    *columns(("Network", 20), ("Number", 8), ("Optic", 22), ("Cable", 22), ("Length m", 8), ("Far end", 26)),
    Column("Installed by", 13),
    Column("Tested", 9, ("pass", "fail")),
    Column("Remarks", 24),
)
CORD_COLUMNS: Final = (
    *columns(("Rack", 9), ("Unit", 6), ("Device", 20), ("Supply", 7), ("Device label", 24), ("PDU", 16)),
    *columns(("Feed", 6), ("Outlet", 7), ("Outlet type", 17), ("Phase", 7), ("Breaker", 8), ("PDU label", 20)),
    *columns(("Cord", 20), ("Part number", 16), ("Length m", 8), ("Installed by", 13)),
    Column("Tested", 9, ("pass", "fail")),
    Column("Remarks", 24),
)


def files(record: Record) -> Iterator[File]:
    """Yield the schedule."""
    yield File(PATH, workbook(f"{record.plan.site}: cable schedule", tables(record)))


def tables(record: Record) -> Iterator[Table]:
    """Yield a table a fabric, then networks outside, and the power cords."""
    by_fabric: dict[str, list[Assembly]] = {name: [] for name in record.plan.fabrics}
    for assembly in record.plan.assemblies:
        for link in record.assembly_links.get(assembly.id, ())[:1]:
            by_fabric[link.fabric].append(assembly)
    for name, assemblies in by_fabric.items():
        yield _cable_table(record, name, assemblies)
    if record.plan.uplinks:
        yield Table("uplinks", UPLINKS, UPLINK_COLUMNS, _uplink_rows(record))
    yield Table("power-cords", "power cords", CORD_COLUMNS, _cord_rows(record))


def _cable_table(record: Record, fabric: str, assemblies: Sequence[Assembly]) -> Table:
    """Return the table of a fabric; without the columns of optics where it has none, so that it prints larger."""
    rows = chain.from_iterable(_assembly_rows(record, assembly) for assembly in assemblies)
    if any(assembly.trunk_transceiver or assembly.leg_transceiver for assembly in assemblies):
        return Table(f"cables-{fabric}", fabric, CABLE_COLUMNS, rows)
    kept = [number for number, column in enumerate(CABLE_COLUMNS) if not column.title.endswith("optic")]
    shorter = (tuple(row[number] for number in kept if number < len(row)) for row in rows)
    return Table(f"cables-{fabric}", fabric, tuple(CABLE_COLUMNS[number] for number in kept), shorter)


def _assembly_rows(record: Record, assembly: Assembly) -> Iterator[Row]:
    """Yield a row a leg that is plugged in; the last three cells are the technician's."""
    cable = record.catalogue.cable(assembly.cable)
    number = part_number(cable.part_numbers, cable.part_number, assembly.length_m)
    head: Row = (assembly.cable, number, assembly.length_m, assembly.needed_m)
    trunk = _end(record, assembly.trunk.device, assembly.trunk.port)
    labels: dict[int, str] = {}
    for plug in assembly_plugs(record, assembly):
        labels |= dict.fromkeys((link.leg for link in plug.links), plug_label(assembly, plug))
    for link in record.assembly_links.get(assembly.id, ()):
        yield (
            *(assembly.id, link.leg, link.kind, *head, link.speed_gbps),
            *(*trunk, trunk_label(assembly), assembly.trunk_transceiver),
            *(*_end(record, link.b.device, link.b.port), labels[link.leg], assembly.leg_transceiver),
            link.a.port,
        )


def _uplink_rows(record: Record) -> Iterator[Row]:
    """Yield a row a port towards a network outside; what is plugged in is agreed with its owner, and written in."""
    for uplink in record.plan.uplinks:
        here = _end(record, uplink.switch, uplink.port)
        yield (*(uplink_label(uplink), uplink.fabric, uplink.speed_gbps), *here, uplink.name, uplink.number)


def uplink_label(uplink: UplinkPlan) -> str:
    """Return what is printed on the label of an uplink's end at our switch."""
    return f"{uplink_name(uplink)} {uplink.switch}/{uplink.port}"


def uplink_name(uplink: UplinkPlan) -> str:
    """Return what stands in the place of an assembly's number: uplinks have none of ours."""
    return f"uplink-{uplink.name}"


def _end(record: Record, name: str, port: str) -> Row:
    """Return rack, unit, device and port of one end."""
    device = record.devices.get(name)
    if device is None:
        return (None, None, name, port)
    return (device.rack, device.position.unit if device.position else None, name, port)


def _cord_rows(record: Record) -> Iterator[Row]:
    """Yield a row a power cord."""
    for cord in record.plan.cords:
        rack, unit, *_ = _end(record, cord.device, "")
        yield (
            *(rack, unit, cord.device, cord.supply, f"{cord.device}/psu{cord.supply}"),
            *(cord.pdu, record.plan.pdus[cord.pdu].feed, cord.outlet, cord.outlet_type, cord.phase, cord.breaker),
            *(f"{cord.pdu}/{cord.outlet}", cord.cord, record.catalogue.cord(cord.cord).part_number, cord.length_m),
        )
