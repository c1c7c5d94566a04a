"""The site book: everything about a site on one page that needs nothing else, from a memory stick as from a server.

What would make the page too large is left in its own file, which the page links to: keep the folder together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rackproof.pages import page_environment
from rackproof.render.documents import bill_of_materials, cable_schedule, labels, power, site_tables
from rackproof.render.documents.book_pictures import Pictures, fabric_pictures, rack_pictures, switch_pictures
from rackproof.render.documents.drawing import STYLE
from rackproof.render.documents.record import File
from rackproof.render.documents.table import Row, Table, columns, format_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rackproof.plan.model.plan import Assembly, Link
    from rackproof.render.documents.record import Record
    from rackproof.render.documents.table import Column

PATH: Final = "book.html"
MOST_ROWS: Final = 1500
"""Rows of a table that stand in the page; longer tables begin there and are complete in their file."""
FEW_ROWS: Final = 100
"""Rows shown of a table that is too long."""
MOST_DEVICES: Final = 20_000
"""Rows of the directory of devices, without which nothing is found; PDUs are left out where there are more."""


WIDEST: Final = 28
"""Characters of the widest column whose text is not wrapped."""
MOST_PARTS: Final = 12
"""Parts of a chapter that the contents name."""


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table as the page shows it."""

    anchor: str
    title: str
    titles: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    attributes: tuple[str, ...]
    """Of the cells of each column: numbers stand on the right, long text is wrapped."""
    total: int
    file: str
    """Where all of it is."""


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter of the book."""

    anchor: str
    title: str
    tables: tuple[PageTable, ...] = ()
    pictures: Pictures | None = None

    @property
    def empty(self) -> bool:
        """Whether it is about something that this site does not have."""
        return not any(table.total for table in self.tables) and not (self.pictures and self.pictures.pictures)

    @property
    def parts(self) -> tuple[tuple[str, str], ...]:
        """Anchor and title of what the contents name below the chapter; nothing where that is itself or too much."""
        shown_pictures = self.pictures.pictures if self.pictures else ()
        parts = [(table.anchor, table.title) for table in self.tables]
        parts += [(picture.anchor, picture.caption) for picture in shown_pictures if not picture.folded]
        return tuple(parts) if 1 < len(parts) <= MOST_PARTS else ()


def files(record: Record) -> Iterator[File]:
    """Yield the book."""
    chapters = tuple(chapter for chapter in _chapters(record) if not chapter.empty)
    template = page_environment({}).get_template("documents/book.html.j2")
    yield File(PATH, template.render(book=_cover(record), chapters=chapters, drawing_style=STYLE).encode())


def _cover(record: Record) -> dict[str, object]:
    """Return what stands on top of the page."""
    plan = record.plan
    counts = {
        "servers": len(plan.servers),
        "switches": len(plan.switches),
        "racks": len(plan.racks),
        "PDUs": len(plan.pdus),
        "cables": len(plan.assemblies),
        "links": len(plan.links),
        "power cords": len(plan.cords),
        "fabrics": len(plan.fabrics),
    }
    beside = [
        (bill_of_materials.PATH, "bill of materials, also as CSV"),
        (cable_schedule.PATH, "cable schedule with columns to fill in"),
        (site_tables.PATH, "every table of this page as a spreadsheet"),
        *((labels.sheet_path(fabric), f"cable labels, {fabric}") for fabric in record.cabled_fabrics),
        *([(labels.CORDS, "power cord labels")] if plan.cords else []),
    ]
    return {"site": plan.site, "release": plan.release, "counts": counts, "beside": beside}


def _chapters(record: Record) -> Iterator[Chapter]:
    """Yield the chapters in the order in which a site is built."""
    tables_file = site_tables.PATH
    few = MOST_ROWS
    yield Chapter("notices", "Notices", (_page_table(site_tables.notices(record), tables_file, few),))
    yield Chapter("racks", "Racks", pictures=rack_pictures(record))
    bill = _page_table(bill_of_materials.table(record), bill_of_materials.PATH, few)
    yield Chapter("bill", "Bill of materials", (bill,))
    fabric_table = _page_table(_fabrics(record), tables_file, few)
    yield Chapter("fabrics", "Fabrics", (fabric_table,), fabric_pictures(record))
    cables = tuple(_page_table(table, cable_schedule.PATH, few) for table in _cables(record))
    yield Chapter("cables", "Cables", cables)
    yield Chapter("switches", "Switches", pictures=switch_pictures(record))
    yield Chapter("devices", "Devices", (_page_table(_devices(record), tables_file, MOST_DEVICES),))
    addresses = [site_tables.subnets(record), site_tables.asns(record)]
    if record.plan.uplinks:
        addresses.append(site_tables.uplinks(record))
    if record.plan.storage:
        addresses.append(site_tables.storage_pools(record))
    if any(fabric.subnet_managers for fabric in record.plan.fabrics.values()):
        addresses.append(site_tables.subnet_managers(record))
    yield Chapter("addresses", "Addresses", tuple(_page_table(table, tables_file, few) for table in addresses))
    loads = tuple(_page_table(table, tables_file, few) for table in power.tables(record))
    yield Chapter("power", "Power", loads)
    groups = _page_table(site_tables.redundancy_groups(record), tables_file, few)
    yield Chapter("redundancy", "Redundancy groups", (groups,))


def _page_table(table: Table, file: str, most: int) -> PageTable:
    """Return a table for the page: all of it, or its beginning where it is longer than ``most``."""
    rows = list(table.rows)
    kept = rows if len(rows) <= most else rows[:FEW_ROWS]
    texts = tuple(tuple(format_value(cell) for cell in row) for row in kept)
    titles = tuple(column.title for column in table.columns)
    attributes = tuple(_attributes(column, number, kept) for number, column in enumerate(table.columns))
    return PageTable(table.name, table.title, titles, texts, attributes, len(rows), file)


def _attributes(column: Column, number: int, rows: Sequence[Row]) -> str:
    """Return the attributes of a column's cells."""
    if rows and all(number >= len(row) or not isinstance(row[number], str) for row in rows):
        return " class=n"
    return " class=w" if column.width > WIDEST else ""


def _devices(record: Record) -> Table:
    """Return the directory of devices."""
    table = site_tables.devices(record)
    if len(record.devices) <= MOST_DEVICES:
        return table
    rows = (row for row in table.rows if row[1] != "PDU")
    return Table(table.name, "Devices but PDUs, which are named after their racks", table.columns, rows)


def _fabrics(record: Record) -> Table:
    """Return the fabrics at a glance."""
    titles = columns(
        "Fabric", "Role", "Topology", "Switches", "Links", "MTU", "RoCE", "Oversubscription", "Servers max"
    )
    rows: list[Row] = [
        (
            *(fabric.name, fabric.role, fabric.topology, len(fabric.switches), len(record.fabric_links[fabric.name])),
            *(fabric.mtu_bytes, "yes" if fabric.roce else "no", fabric.oversubscription, fabric.servers_max),
        )
        for fabric in record.plan.fabrics.values()
    ]
    return Table("fabric-table", "Fabrics at a glance", titles, rows)


def _cables(record: Record) -> Iterator[Table]:
    """Yield the cables of each fabric, a row a leg, with fewer columns than the schedule has."""
    titles = columns("Cable", "Leg", "Gb/s", "Model", "m", "Trunk", "at", "Switch port", "Leg end", "at ")
    assemblies = {assembly.id: assembly for assembly in record.plan.assemblies}
    for fabric, links in record.fabric_links.items():
        rows = (_cable_row(record, link, assemblies[link.assembly]) for link in links)
        yield Table(f"cables-{fabric}", f"Cables of {fabric}", titles, rows)


def _cable_row(record: Record, link: Link, assembly: Assembly) -> Row:
    """Return the row of one leg."""
    return (
        *(link.assembly, link.leg, link.speed_gbps, assembly.cable, assembly.length_m),
        *(str(assembly.trunk), record.place(assembly.trunk.device), link.a.port),
        *(str(link.b), record.place(link.b.device)),
    )
