"""The sites of the inventory as documents see them, and a plan of leaves and spines as large as a test wants."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

import pytest

from rackproof.hardware.load import Catalogue
from rackproof.plan.build import build_plan
from rackproof.plan.model.plan import Assembly, Link, LinkEnd, Plan, Position, RackPlan
from rackproof.render.documents.record import Record
from rackproof.site.load import load_site

if TYPE_CHECKING:
    from collections.abc import Callable

CATALOGUE: Final = Catalogue()
INVENTORY: Final = Path(__file__).resolve().parents[4] / "inventory"
SITES: Final = sorted(file.parent.name for file in INVENTORY.glob("*/site.yaml"))
SHEET: Final = {"x": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}


def site_record(site: str) -> Record:
    return Record(build_plan(load_site(INVENTORY / site / "site.yaml").site, CATALOGUE), CATALOGUE)


@pytest.fixture(scope="session", params=SITES)
def record(request: pytest.FixtureRequest) -> Record:
    return site_record(request.param)


@pytest.fixture(scope="session")
def small() -> Record:
    return site_record("metrum-h200")


@pytest.fixture(scope="session")
def wide(small: Record) -> Callable[[int, int], Record]:
    """``wide(units, spines)``: a backend of units of four leaves and eight servers, a server a leaf port."""

    def build(units: int, spines: int) -> Record:
        return Record(wide_plan(small.plan, units, spines), CATALOGUE)

    return build


def wide_plan(plan: Plan, units: int, spines: int) -> Plan:
    """The small site's first server and switch, copied; what does not matter for pictures is left as it was."""
    switch, server = plan.switches["backend-leaf-01"], plan.servers["gpu-001"]
    place = Position("r1", 1, 2)
    leaves = {
        f"leaf-{n + 1:03d}": replace(
            switch, name=f"leaf-{n + 1:03d}", index=n, position=place, redundancy_group=f"unit-{n // 4:02d}"
        )
        for n in range(units * 4)
    }
    tops = {
        f"spine-{n + 1:02d}": replace(
            switch, name=f"spine-{n + 1:02d}", role="spine", index=n, position=place, redundancy_group="pod-01"
        )
        for n in range(spines)
    }
    servers = {f"gpu-{n + 1:04d}": replace(server, name=f"gpu-{n + 1:04d}") for n in range(units * 8)}
    host_links = [
        Link("backend", "rail", LinkEnd(f"leaf-{n // 8 * 4 + rail + 1:03d}", f"Eth1/{n % 8 + 1}"),
             LinkEnd(f"gpu-{n + 1:04d}", f"rail{rail}"), 400, f"cable-{n}-{rail}", 1)
        for n in range(units * 8)
        for rail in range(4)
    ]  # fmt: skip
    trunks = [
        Link("backend", "inter-switch", LinkEnd(leaf, f"Eth1/{33 + n}"), LinkEnd(spine, f"Eth1/{number + 1}"),
             800, f"cable-{leaf}-{spine}", 1)
        for number, leaf in enumerate(leaves)
        for n, spine in enumerate(tops)
    ]  # fmt: skip
    links = (*host_links, *trunks)
    return replace(
        plan,
        racks={"r1": RackPlan("r1", "apc-ar3350", 0, 0.0, 0)},
        servers=servers,
        switches=leaves | tops,
        fabrics={"backend": replace(plan.fabrics["backend"], switches=tuple(leaves | tops))},
        links=links,
        assemblies=tuple(Assembly(link.assembly, "nvidia-mcp7y40", 3.0, 2.0, link.a, (link.b,)) for link in links),
        cords=(),
        power=(),
        redundancy_groups={},
        uplinks=(),
    )


def parsed_xml(content: str | bytes) -> ET.Element:
    """The tree of an XML document; fails where it is not well-formed."""
    return ET.fromstring(content)  # noqa: S314 what the project itself wrote


@dataclass(frozen=True)
class SheetText:
    """What a sheet of a spreadsheet says."""

    name: str
    rows: list[list[str]]
    xml: str

    def records(self) -> list[dict[str, str]]:
        return [dict(zip(self.rows[0], row, strict=False)) for row in self.rows[1:]]


def read_sheets(content: bytes) -> list[SheetText]:
    """The sheets of an XLSX file, in order; read with nothing but the format's own rules (ECMA-376)."""
    with zipfile.ZipFile(io.BytesIO(content)) as book:
        names = [
            sheet.attrib["name"] for sheet in parsed_xml(book.read("xl/workbook.xml")).iterfind(".//x:sheet", SHEET)
        ]
        texts = [book.read(f"xl/worksheets/sheet{number + 1}.xml").decode() for number in range(len(names))]
    return [SheetText(name, _cells(text), text) for name, text in zip(names, texts, strict=True)]


def _cells(text: str) -> list[list[str]]:
    rows = []
    for row in parsed_xml(text).iterfind(".//x:row", SHEET):
        cells: list[str] = []
        for cell in row.iterfind("x:c", SHEET):
            letters = re.sub(r"\d", "", cell.attrib["r"])
            column = sum((ord(letter) - 64) * 26**power for power, letter in enumerate(reversed(letters))) - 1
            cells += [""] * (column - len(cells))
            cells.append("".join(part.text or "" for part in cell.iter() if part.tag.endswith(("}t", "}v", "}f"))))
        rows.append(cells)
    return rows
