"""Cables and power cords as the person who plugs them needs them: a line an end, with both labels."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from rackproof.render.csv_text import csv_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rackproof.hardware.load import Catalogue
    from rackproof.plan.model.plan import Assembly, Link, LinkEnd, Plan

CABLE_COLUMNS = (
    "assembly",
    "leg",
    "fabric",
    "kind",
    "trunk_device",
    "trunk_port",
    "trunk_position",
    "trunk_label",
    "leg_device",
    "leg_port",
    "leg_position",
    "leg_label",
    "switch_port",
    "speed_gbps",
    "cable",
    "part_number",
    "length_m",
    "needed_m",
    "trunk_transceiver",
    "leg_transceiver",
)
CORD_COLUMNS = (
    "device",
    "supply",
    "position",
    "pdu",
    "outlet",
    "outlet_type",
    "phase",
    "breaker",
    "cord",
    "part_number",
    "length_m",
    "device_label",
    "pdu_label",
)


def positions(plan: Plan) -> dict[str, str]:
    """Return device to where it stands: rack and lowest unit, for a PDU the rack."""
    return {
        **{name: str(host.position) for name, host in plan.hosts().items() if host.position},
        **{name: str(switch.position) for name, switch in plan.switches.items()},
        **{name: pdu.rack for name, pdu in plan.pdus.items()},
    }


def part_number(part_numbers: Mapping[str, str], model_part_number: str | None, length_m: float) -> str | None:
    """Return what to order: by length where the maker numbers lengths."""
    return part_numbers.get(f"{length_m:g}", model_part_number)


def trunk_label(assembly: Assembly) -> str:
    """Return what is printed on the trunk's label."""
    return f"{assembly.id} {assembly.trunk}"


def leg_label(assembly: Assembly, leg: int, end: LinkEnd) -> str:
    """Return what is printed on a leg's label; legs count from 1."""
    return f"{assembly.id}.{leg} {end}"


def cables_csv(plan: Plan, catalogue: Catalogue) -> Iterator[bytes]:
    """Yield the cable schedule: one line a leg that is plugged in."""
    return csv_lines(CABLE_COLUMNS, _cable_rows(plan, catalogue))


def _cable_rows(plan: Plan, catalogue: Catalogue) -> Iterator[tuple[object, ...]]:
    """Yield the lines of the cable schedule."""
    where = positions(plan)
    links: dict[str, list[Link]] = {}
    for link in plan.links:
        links.setdefault(link.assembly, []).append(link)
    for assembly in plan.assemblies:
        cable, trunk = catalogue.cable(assembly.cable), assembly.trunk
        for link in sorted(links.get(assembly.id, ()), key=attrgetter("leg")):
            yield (
                assembly.id,
                link.leg,
                link.fabric,
                link.kind,
                trunk.device,
                trunk.port,
                where.get(trunk.device),
                trunk_label(assembly),
                link.b.device,
                link.b.port,
                where.get(link.b.device),
                leg_label(assembly, link.leg, link.b),
                link.a.port,
                link.speed_gbps,
                assembly.cable,
                part_number(cable.part_numbers, cable.part_number, assembly.length_m),
                assembly.length_m,
                assembly.needed_m,
                assembly.trunk_transceiver,
                assembly.leg_transceiver,
            )


def cords_csv(plan: Plan, catalogue: Catalogue) -> Iterator[bytes]:
    """Yield the power cords: one line a cord."""
    where = positions(plan)
    rows = (
        (
            cord.device,
            cord.supply,
            where.get(cord.device),
            cord.pdu,
            cord.outlet,
            cord.outlet_type,
            cord.phase,
            cord.breaker,
            cord.cord,
            catalogue.cord(cord.cord).part_number,
            cord.length_m,
            f"{cord.device}/psu{cord.supply}",
            f"{cord.pdu}/{cord.outlet}",
        )
        for cord in plan.cords
    )
    return csv_lines(CORD_COLUMNS, rows)
