"""Pictures: well-formed, every text inside, nothing over anything else, and nothing left out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rackproof.render.documents import elevations, fabric_diagrams, front_panels
from rackproof.render.documents.drawing import SMALLEST, Drawing, fitted
from rackproof.render.documents.folding import MOST, fold
from rackproof.render.documents.panel_ports import cages, joined, peer_lines
from rackproof.render.documents.record import Record
from tests.unit.render.documents.conftest import parsed_xml

if TYPE_CHECKING:
    from collections.abc import Callable
    from xml.etree import ElementTree as ET

    from rackproof.render.documents.record import File

SVG: Final = "{http://www.w3.org/2000/svg}"
CHARACTER_EM: Final = 0.602
"""Width of a character of Courier and DejaVu Sans Mono over the font's size (their own metrics)."""


@dataclass(frozen=True)
class Shape:
    """A rectangle of a picture."""

    kind: str
    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Shape) -> bool:
        return (
            self.left < other.right - 0.01
            and other.left < self.right - 0.01
            and self.top < other.bottom - 0.01
            and other.top < self.bottom - 0.01
        )

    def holds(self, other: Shape) -> bool:
        return (
            self.left <= other.left
            and self.right >= other.right
            and self.top <= other.top
            and self.bottom >= other.bottom
        )


def boxes(root: ET.Element) -> list[Shape]:
    found = []
    for box in root.iter(f"{SVG}rect"):
        if box.attrib["class"] != "page":
            left, top, width, height = (float(box.attrib[name]) for name in ("x", "y", "width", "height"))
            found.append(Shape(box.attrib["class"], left, top, left + width, top + height))
    return found


def texts(root: ET.Element) -> list[tuple[str, Shape]]:
    """Every text with the room it takes; letters rise 0.76 of their size above the base line (DejaVu's capitals)."""
    found = []
    for text in root.iter(f"{SVG}text"):
        words = "".join(part for part in text.itertext() if part) if len(text) == 0 else (text[0].tail or "")
        size, x, y = (float(text.attrib[name]) for name in ("font-size", "x", "y"))
        width = len(words) * size * CHARACTER_EM
        left = x - {"start": 0.0, "middle": width / 2, "end": width}[text.attrib.get("text-anchor", "start")]
        shape = Shape(words, left, y - 0.76 * size, left + width, y + 0.1 * size)
        if "rotate(-90" in text.attrib.get("transform", ""):
            shape = Shape(words, x - 0.76 * size, y - width, x + 0.1 * size, y)
        found.append((words, shape))
    return found


def parsed(file: File) -> ET.Element:
    return parsed_xml(file.content)


def all_pictures(record: Record) -> list[File]:
    makers = (elevations.files, front_panels.files, fabric_diagrams.files)
    return [file for make in makers for file in make(record)]


def check_picture(file: File) -> None:
    root = parsed(file)
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    page = Shape("page", 0, 0, width, height)
    shapes = boxes(root)
    for words, room in texts(root):
        assert page.holds(room), f"{file.path}: {words!r} leaves the page"
        around = [shape for shape in shapes if shape.overlaps(room) and shape.kind != "frame"]
        assert not around or any(shape.holds(room) for shape in around), f"{file.path}: {words!r} leaves its box"
    for (one, first), (other, second) in combinations(texts(root), 2):
        assert not first.overlaps(second), f"{file.path}: {one!r} is written over {other!r}"


def test_texts_stay_in_their_boxes_and_apart(record: Record) -> None:
    for file in all_pictures(record):
        check_picture(file)


@pytest.mark.parametrize(("units", "spines"), [(1, 2), (2, 4), (5, 16), (32, 40)])
def test_pictures_of_wide_fabrics(wide: Callable[[int, int], Record], units: int, spines: int) -> None:
    record = wide(units, spines)

    for file in fabric_diagrams.files(record):
        check_picture(file)
    check_picture(next(front_panels.files(record)))


def test_devices_of_a_rack_do_not_overlap(record: Record) -> None:
    for file in elevations.files(record):
        shapes = [shape for shape in boxes(parsed(file)) if shape.kind != "frame"]
        assert not [pair for pair in combinations(shapes, 2) if pair[0].overlaps(pair[1])]


def test_a_rack_shows_every_unit(small: Record) -> None:
    (file,) = elevations.files(small)
    said = [words for words, _ in texts(parsed(file))]

    counted = Counter(said)
    assert all(counted[str(unit)] == 2 for unit in range(1, 43))
    assert {"gpu-001", "gpu-002", "backend-leaf-01", "frontend-leaf-01", "oob-leaf-01"} <= set(said)
    assert "free: U13 to U38 (26 units)" in said
    assert [words for words in said if words.startswith("r1-pdu-1, feed A, ")]


def test_places_kept_for_growth_are_no_free_ones(record: Record) -> None:
    said = {words for file in elevations.files(record) for words, _ in texts(parsed(file))}
    for rack, planned in record.plan.racks.items():
        free = {unit for first, last in elevations.free_units(record, rack) for unit in range(first, last + 1)}
        for name, position in planned.kept:
            assert not free & set(range(position.unit, position.unit + position.height))
            assert f"kept for {name}" in said


def test_every_link_is_on_the_front_panel_of_its_switch(record: Record) -> None:
    for name, switch in record.plan.switches.items():
        cage_of = {port: cage for _, found in cages(record, switch) for cage in found for port in cage.names}
        drawn = [words for words, _ in texts(parsed_xml(front_panels.front_panel(record, switch).standalone()))]
        for link in record.plan.links:
            for here, there in ((link.a, link.b), (link.b, link.a)):
                if here.device == name and here.port in cage_of:
                    lines = cage_of[here.port].lines
                    assert there.device in " ".join(lines), f"{here} does not show {there}"
                    assert set(lines) <= set(drawn)


def test_an_uplink_is_shown_by_its_name(small: Record) -> None:
    panel = cages(small, small.plan.switches["frontend-leaf-01"])

    assert [cage.use for _, found in panel for cage in found].count("uplink") == 1


def test_a_split_port_switches_its_neighbour_off(small: Record) -> None:
    switch = replace(
        small.plan.switches["backend-leaf-01"],
        model="nvidia-sn5600",
        nos="cumulus",
        intent=None,
        breakouts={"3": "8x100G"},
    )

    found = {cage.number: cage for _, row in cages(small, switch) for cage in row}

    assert (found[3].split, found[4].use, found[5].use) == ("8x100G", "off", "free")


@pytest.mark.parametrize(
    ("ports", "short"),
    [
        (["rail0", "rail1", "rail2", "rail3"], "rail0-3"),
        (["rail0", "rail2"], "rail0 rail2"),
        (["rail7", "frontend0"], "rail7 frontend0"),
        (["bmc"], "bmc"),
        (["Eth1/1/1", "Eth1/1/2"], "Eth1/1/1-2"),
    ],
)
def test_ports_in_short(ports: list[str], short: str) -> None:
    assert joined(ports) == short


def test_legs_to_several_devices_have_a_line_each() -> None:
    assert peer_lines([("gpu-001", "rail0"), ("gpu-002", "rail0")]) == ["gpu-001 rail0", "gpu-002 rail0"]


@pytest.mark.parametrize(("units", "spines"), [(1, 2), (2, 8), (3, 9), (9, 16), (64, 64)])
def test_folding_keeps_every_device_and_few_boxes(wide: Callable[[int, int], Record], units: int, spines: int) -> None:
    record = wide(units, spines)

    folded = fold(record, "backend", record.plan.links)

    names = Counter(name for row in folded.tiers.values() for box in row for name in box.names)
    assert names == dict.fromkeys([*record.plan.switches, *record.plan.servers], 1)
    assert all(len(row) <= MOST for row in folded.tiers.values())
    assert folded.edges


def test_two_servers_and_a_switch_are_drawn_one_by_one(small: Record) -> None:
    folded = fold(small, "backend", small.fabric_links["backend"])

    assert [[box.title for box in row] for row in folded.tiers.values()] == [
        ["backend-leaf-01"],
        ["gpu-001", "gpu-002"],
    ]


def test_what_is_managed_leaves_room_for_servers(record: Record) -> None:
    for fabric, links in record.fabric_links.items():
        folded = fold(record, fabric, links)

        assert all(len(row) <= MOST for row in folded.tiers.values())


def test_a_diagram_counts_its_links(wide: Callable[[int, int], Record]) -> None:
    drawing = fabric_diagrams.diagram(wide(32, 40), "backend").inline()

    assert "spines - leaves: 1 x 800G from device to device, 5120 links in all" in drawing
    assert "leaves - servers: 1 x 400G from device to device, 1024 links in all" in drawing


def test_a_rail_shows_its_leaves_alone(wide: Callable[[int, int], Record]) -> None:
    record = wide(2, 2)
    links = fabric_diagrams._links(record, "backend", 3)

    assert {link.a.device for link in links} == {"leaf-004", "leaf-008"}
    assert {link.b.device for link in links} == {f"gpu-{n:04d}" for n in range(1, 17)} | {"spine-01", "spine-02"}


@given(st.text(min_size=1, max_size=200), st.floats(20, 500))
def test_text_is_fitted(text: str, room: float) -> None:
    shown, size = fitted(text, room)

    assert len(shown) * size * CHARACTER_EM <= room
    assert size >= SMALLEST


@given(st.text(max_size=60))
def test_any_text_is_well_formed(text: str) -> None:
    drawing = Drawing(text, 100, 100)
    drawing.text((0, 10), text, 90)

    root = parsed_xml(drawing.standalone())

    assert root.tag == f"{SVG}svg"
