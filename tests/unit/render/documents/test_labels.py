"""Labels: both ends of everything, and text that stays on its label."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import structs
from reportlab.pdfbase.pdfmetrics import stringWidth

from rackproof.plan.model.plan import LinkEnd
from rackproof.render.documents import labels
from rackproof.render.documents.label_sheet import (
    ACROSS,
    BOLD,
    DOWN,
    LABEL_HEIGHT,
    LABEL_WIDTH,
    LEADING,
    PADDING,
    PLAIN,
    SMALLEST,
    Label,
    corner,
    fitted,
    label_lines,
    sheet_pdf,
)
from rackproof.render.documents.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterator

A4_POINTS = (595.28, 841.89)
TEXT = st.text(
    st.characters(min_codepoint=33, max_codepoint=0x17F, exclude_categories=["Cc"]), min_size=1, max_size=140
)


def printed(pdf: bytes) -> Iterator[str]:
    """Every text of a PDF, in the order in which it is printed."""
    for stream in re.findall(rb"stream\r?\n(.*?)endstream", pdf, re.DOTALL):
        for text in re.findall(rb"\((.*?)\) Tj", zlib.decompress(stream)):
            yield text.replace(rb"\(", b"(").replace(rb"\)", b")").decode("latin-1")


def test_every_cable_has_a_label_at_both_ends(record: Record) -> None:
    files = {file.path: file.content for file in labels.files(record)}

    whole = {a.id for a in record.plan.assemblies if record.catalogue.cable(a.cable).legs == 1}
    for fabric in {link.fabric for link in record.plan.links}:
        heads = Counter(text.split("  ")[0] for text in printed(files[labels.sheet_path(fabric)]))
        links = [link for link in record.plan.links if link.fabric == fabric]
        wanted = {link.assembly for link in links}
        wanted |= {f"{link.assembly}.{1 if link.assembly in whole else link.leg}" for link in links}
        assert {head: heads[head] for head in wanted} == dict.fromkeys(wanted, 1)


def test_a_cable_that_carries_two_links_has_one_label_at_its_far_end(small: Record) -> None:
    first, second = small.assembly_links["backend-0001"][:2]
    far = [structs.replace(link, b=LinkEnd("spine-01", f"swp64s{n}")) for n, link in enumerate((first, second))]
    assembly = structs.replace(small.plan.assemblies[0], id="backend-0001", cable="nvidia-mcp4y10")
    plan = replace(small.plan, links=tuple(far), assemblies=(assembly,))

    found = list(labels.cable_labels(Record(plan, small.catalogue), "backend"))

    assert [(label.head.split("  ")[0], label.here) for label in found] == [
        ("backend-0001", "backend-leaf-01/Eth1/1"),
        ("backend-0001.1", "spine-01/swp64s0-1"),
    ]


def test_every_cord_has_a_label_at_both_ends(record: Record) -> None:
    texts = Counter(
        text for file in labels.files(record) if file.path == labels.CORDS for text in printed(file.content)
    )

    for cord in record.plan.cords:
        ends = (f"{cord.device}/psu{cord.supply}", f"{cord.pdu}/{cord.outlet}")
        assert [(texts[end], texts[f"to {end}"]) for end in ends] == [(1, 1), (1, 1)]


def test_a_leg_says_where_its_trunk_is(small: Record) -> None:
    found = {label.head: label for label in labels.cable_labels(small, "backend")}

    assert found["backend-0005.2  2.5 m"] == Label(
        "backend-0005.2  2.5 m", "gpu-002/rail1", "r1/u07", "backend-leaf-01/Eth1/5", "r1/u41"
    )
    assert found["backend-0005  2.5 m"].there == "gpu-002/rail0 rail1 rail2 rail3"


@given(TEXT, st.sampled_from([PLAIN, BOLD]), st.integers(1, 2))
@example("a" * 63 + "/Eth1/64/8", BOLD, 2)
def test_text_fits_its_label(text: str, font: str, most_lines: int) -> None:
    lines = fitted(text, font, most_lines)

    assert 1 <= len(lines) <= most_lines
    for line in lines:
        shown = line.text.encode("cp1252", "replace").decode("cp1252")
        assert stringWidth(shown, line.font, line.size) <= LABEL_WIDTH - 2 * PADDING + 0.01
        assert line.size >= SMALLEST


def test_the_longest_names_are_printed_whole() -> None:
    name = "a" * 63 + "/Eth1/64/8"  # a host name has 63 characters at most (RFC 1123)

    assert "".join(line.text for line in fitted(name, BOLD, 2)) == name


@given(TEXT, TEXT, TEXT)
def test_lines_fit_the_height(head: str, here: str, there: str) -> None:
    lines = list(label_lines(Label(head, here, "r1/u01", there, "r1/u41")))

    assert PADDING + len(lines) * LEADING <= LABEL_HEIGHT


def test_labels_lie_on_the_sheet_and_apart() -> None:
    corners = [corner(place) for place in range(ACROSS * DOWN)]

    for left, top in corners:
        assert 0 < left < left + LABEL_WIDTH < A4_POINTS[0]
        assert A4_POINTS[1] > top > top - LABEL_HEIGHT > 0
    lefts = sorted({left for left, _ in corners})
    assert all(right - left >= LABEL_WIDTH for left, right in pairwise(lefts))


def test_sheets_are_filled_one_after_the_other() -> None:
    some = [Label(str(number), "a", "b", "c", "d") for number in range(ACROSS * DOWN + 1)]

    pdf = sheet_pdf("test", some)

    assert pdf.count(b"/Type /Page\n") == 2
    assert sheet_pdf("test", some) == pdf
    assert sheet_pdf("test", []).startswith(b"%PDF")
