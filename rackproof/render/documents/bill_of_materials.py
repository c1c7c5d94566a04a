"""The bill of materials: everything that is ordered, with quantities, part numbers, and what is assumed about them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from rackproof.render.cabling import part_number
from rackproof.render.documents.licences import licence_lines
from rackproof.render.documents.record import File
from rackproof.render.documents.spreadsheet import workbook
from rackproof.render.documents.table import NO_NUMBER, Row, Table, columns, csv_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rackproof.hardware.base import Entry
    from rackproof.render.documents.record import Record

COLUMNS: Final = (
    *columns(("Category", 16), ("Item", 56), ("Model", 31), ("Vendor", 12), ("Part number", 20), ("Length m", 9)),
    *columns(("Quantity", 9), ("Used for", 34), ("Note", 46), ("Assumed", 60)),
)
PATH: Final = "bill-of-materials.xlsx"
ORDERING: Final = ("part_number", "part_numbers", "lengths_m", "name")
"""Fields of the catalogue that decide what is ordered."""
HOSTED, RENTED = "hosted server", "a provider's: rented, not ordered"


def files(record: Record) -> Iterator[File]:
    """Yield the bill as CSV and as a spreadsheet."""
    bill = table(record)
    yield csv_file(bill)
    yield File(PATH, workbook(f"{record.plan.site}: bill of materials", [bill]))


def table(record: Record) -> Table:
    """Return the bill, in the order in which a site is built."""
    rows = (*_racks(record), *_devices(record), *_adapters(record), *_cables(record), *_optics(record), *_cords(record))
    soft = (*_software(record), *licence_lines(record))
    return Table("bill-of-materials", "Bill of materials", COLUMNS, (*rows, *_outside(record), *soft))


def _line(category: str, entry: Entry, quantity: int, used: str, note: str = "", length_m: float | None = None) -> Row:
    """Return one line; the note says where the catalogue has no part number."""
    numbers: Mapping[str, str] = getattr(entry, "part_numbers", {})
    number = entry.part_number if length_m is None else part_number(numbers, entry.part_number, length_m)
    missing = RENTED if category == HOSTED else "" if number else NO_NUMBER
    notes = [text for text in (note, missing) if text]
    assumed = "; ".join(
        f"{field}: {why}" for field, why in entry.assumed.items() if field.partition(".")[0] in ORDERING
    )
    return (
        *(category, entry.name, entry.model, entry.vendor, number, length_m, quantity),
        *(used, "; ".join(notes) or None, assumed or None),
    )


def _racks(record: Record) -> Iterator[Row]:
    racks = Counter(rack.model for rack in record.plan.racks.values())
    for model, quantity in sorted(racks.items()):
        yield _line("rack", record.catalogue.rack(model), quantity, "racks")
    pdus = Counter(pdu.model for pdu in record.plan.pdus.values())
    for model, quantity in sorted(pdus.items()):
        yield _line("PDU", record.catalogue.pdu(model), quantity, "feeds A and B")


def _devices(record: Record) -> Iterator[Row]:
    switches: dict[str, Counter[str]] = {}
    for switch in record.plan.switches.values():
        switches.setdefault(switch.model, Counter())[switch.fabric] += 1
    for model, fabrics in sorted(switches.items()):
        yield _line("switch", record.catalogue.switch(model), fabrics.total(), _uses(fabrics))
    servers: dict[str, Counter[str]] = {}
    for server in record.plan.servers.values():
        servers.setdefault(server.model, Counter())[server.group] += 1
    for model, groups in sorted(servers.items()):
        entry = record.catalogue.server(model)
        gpus = f", {entry.gpus.count} x {entry.gpus.name}" if entry.gpus.count else ""
        note = f"{entry.cpus}, {entry.memory_gb} GB{gpus}"
        yield _line(HOSTED if entry.hosted else "server", entry, groups.total(), _uses(groups), note)
    for cluster in record.plan.storage.values():
        storage, note = record.catalogue.storage(cluster.model), "adapters and drives come with the node"
        yield _line("storage", storage, len(cluster.nodes), cluster.name, note)


def _adapters(record: Record) -> Iterator[Row]:
    """Yield the network adapters in slots; those on a main board, and an adapter's own controller, come with them."""
    found: dict[str, Counter[str]] = {}
    ours = (server for server in record.plan.servers.values() if not record.catalogue.server(server.model).hosted)
    for server in ours:
        ports = (port for port in server.ports.values() if port.nic and port.slot is not None)
        for nic, _, fabric in dict.fromkeys((port.nic, port.slot, port.fabric) for port in ports):
            found.setdefault(nic, Counter())[fabric] += 1
    for model, fabrics in sorted(found.items()):
        yield _line("network adapter", record.catalogue.nic(model), fabrics.total(), _uses(fabrics))


def _cables(record: Record) -> Iterator[Row]:
    """Yield cables by model and length; unused legs are named in the note."""
    found: dict[tuple[str, float], Counter[str]] = {}
    unused: Counter[tuple[str, float]] = Counter()
    for assembly in record.plan.assemblies:
        key = (assembly.cable, assembly.length_m)
        fabric = next((link.fabric for link in record.assembly_links.get(assembly.id, ())), "")
        found.setdefault(key, Counter())[fabric] += 1
        unused[key] += max(0, record.catalogue.cable(assembly.cable).legs - len(assembly.legs))
    for (model, length_m), fabrics in sorted(found.items()):
        spare = unused[model, length_m]
        note = f"{spare} leg(s) not used yet" if spare else ""
        yield _line("cable", record.catalogue.cable(model), fabrics.total(), _uses(fabrics), note, length_m)


def _optics(record: Record) -> Iterator[Row]:
    """Yield optics: one in the cage of a trunk, one at each leg that is plugged in."""
    trunks: Counter[str] = Counter()
    legs: Counter[str] = Counter()
    for assembly in record.plan.assemblies:
        if assembly.trunk_transceiver:
            trunks[assembly.trunk_transceiver] += 1
        if assembly.leg_transceiver:
            legs[assembly.leg_transceiver] += min(len(assembly.legs), record.catalogue.cable(assembly.cable).legs)
    for model in sorted(trunks | legs):
        uses = Counter({"at the trunk": trunks[model], "at legs": legs[model]})
        yield _line("optic", record.catalogue.transceiver(model), trunks[model] + legs[model], _uses(uses))


def _cords(record: Record) -> Iterator[Row]:
    cords = Counter((cord.cord, cord.length_m) for cord in record.plan.cords)
    for (model, length_m), quantity in sorted(cords.items()):
        yield _line("power cord", record.catalogue.cord(model), quantity, "supplies to PDUs", "", length_m)


def _outside(record: Record) -> Iterator[Row]:
    """Yield what leads to each network outside: its owner knows which cable and optics meet ours."""
    note = "no part number: what is plugged in depends on the other end"
    counts = Counter((uplink.name, uplink.speed_gbps) for uplink in record.plan.uplinks)
    for (name, speed), quantity in counts.items():
        item = f"{speed}G cable and optics to {name}"
        yield ("uplink", item, None, None, None, None, quantity, f"{name}: {quantity}", note, None)


def _software(record: Record) -> Iterator[Row]:
    """Yield the operating systems of switches; the catalogue knows their names, not how they are sold."""
    found: dict[str, Counter[str]] = {}
    for switch in record.plan.switches.values():
        found.setdefault(switch.nos, Counter())[switch.fabric] += 1
    note = "one a switch; the catalogue does not say how it is licensed or for how long"
    for model, fabrics in sorted(found.items()):
        entry = record.catalogue.nos(model)
        if entry.configured:
            yield _line("switch software", entry, fabrics.total(), _uses(fabrics), note)


def _uses(counts: Counter[str]) -> str:
    """Return what something is used for, and how many each."""
    return ", ".join(f"{use}: {count}" for use, count in counts.items() if count)
