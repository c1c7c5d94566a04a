"""Fabric diagrams, a picture a fabric and one a rail: tiers from top to bottom, and how many links join them."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import TYPE_CHECKING, Final

from rackproof.plan.model.plan import Link, LinkEnd
from rackproof.render.documents.drawing import Drawing
from rackproof.render.documents.folding import OUTSIDE, Box, Folded, box_by_name, fold
from rackproof.render.documents.record import File

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rackproof.render.documents.record import Record

WIDTH: Final = 172.0
HEIGHT: Final = 56.0
ACROSS: Final = 18.0
"""Between two boxes."""
DOWN: Final = 92.0
"""Between two tiers."""
MARGIN: Final = 16.0
HEADING: Final = 60.0
NARROWEST: Final = 720.0
LINE: Final = 14.0
Place = tuple[float, float]


def picture_path(fabric: str, rail: int | None = None) -> str:
    """Return the file of a fabric's picture, or of one of its rails."""
    return f"fabrics/{fabric}.svg" if rail is None else f"fabrics/{fabric}-rail{rail}.svg"


def files(record: Record) -> Iterator[File]:
    """Yield the picture of every fabric, and of every rail."""
    for fabric in record.cabled_fabrics:
        for rail in (None, *rails(record, fabric)):
            yield File(picture_path(fabric, rail), diagram(record, fabric, rail).standalone())


def rails(record: Record, fabric: str) -> tuple[int, ...]:
    """Return the rails of a fabric."""
    return tuple(sorted(record.rail_links.get(fabric, {})))


def diagram(record: Record, fabric: str, rail: int | None = None) -> Drawing:
    """Return the picture of a fabric, or of the part of it that one rail uses."""
    links = _links(record, fabric, rail)
    folded = fold(record, fabric, links)
    tiers = list(folded.tiers.values())
    notes = link_notes(folded, links)
    most = max((len(boxes) for boxes in tiers), default=1)
    width = max(NARROWEST, most * (WIDTH + ACROSS) - ACROSS + 2 * MARGIN)
    height = HEADING + len(tiers) * (HEIGHT + DOWN) - DOWN + 24 + len(notes) * LINE + MARGIN
    name = fabric if rail is None else f"{fabric}, rail {rail}"
    drawing = Drawing(f"Fabric {name}", width, height)
    _heading(drawing, record, fabric, name)
    places = _places(tiers, width)
    for upper, lower in folded.edges:
        if upper is not lower:
            _edge(drawing, places[upper], places[lower], same=upper.tier == lower.tier)
    for box, place in places.items():
        _box(drawing, box, place)
    drawing.lines((MARGIN, height - MARGIN - (len(notes) - 1) * LINE), notes, width - 2 * MARGIN, leading=LINE)
    return drawing


def _links(record: Record, fabric: str, rail: int | None) -> Sequence[Link]:
    """Return the links of a fabric; of one rail: those of its ports, and those above the leaves they are on."""
    every = record.fabric_links.get(fabric, ())
    if rail is None:
        return (*every, *_outside(record, fabric))
    hosts = record.rail_links[fabric][rail]
    found, known = list(hosts), {link.a.device for link in hosts}
    between = [link for link in every if link.kind == "inter-switch"]
    for _ in range(2):  # leaves to spines, spines to super-spines
        more = [link for link in between if link.a.device in known]
        between = [link for link in between if link.a.device not in known]
        found += more
        known = {link.b.device for link in more}
    return found


def _outside(record: Record, fabric: str) -> Iterator[Link]:
    """Yield the ports towards networks outside as links, to draw them like those."""
    for uplink in record.fabric_uplinks.get(fabric, ()):
        ends = LinkEnd(uplink.switch, uplink.port), LinkEnd(uplink.name, str(uplink.number))
        yield Link(fabric, "uplink", *ends, uplink.speed_gbps, "", 0)


def _heading(drawing: Drawing, record: Record, fabric: str, name: str) -> None:
    """Write what the fabric is."""
    plan, room = record.plan.fabrics[fabric], drawing.width - 2 * MARGIN
    over = f", oversubscription {plan.oversubscription:g}" if plan.oversubscription is not None else ""
    drawing.text((MARGIN, 24), f"Fabric {name}", room, size=15, kind="b")
    apart = ", two networks that never meet" if plan.role == "storage-backend" else ""
    facts = f"{plan.topology}, {len(plan.switches)} switch(es), MTU {plan.mtu_bytes}{over}{apart}"
    drawing.text((MARGIN, 42), f"{facts}{', RoCE' if plan.roce else ''}", room, kind="d")


def _places(tiers: Sequence[Sequence[Box]], width: float) -> dict[Box, Place]:
    """Return the upper left corner of every box, tiers centred."""
    places = {}
    for row, boxes in enumerate(tiers):
        left = (width - len(boxes) * (WIDTH + ACROSS) + ACROSS) / 2
        for column, box in enumerate(boxes):
            places[box] = (left + column * (WIDTH + ACROSS), HEADING + row * (HEIGHT + DOWN))
    return places


def _edge(drawing: Drawing, upper: Place, lower: Place, *, same: bool) -> None:
    """Draw a line from box to box: side by side in one tier, from the lower edge to the upper one otherwise."""
    (x1, y1), (x2, y2) = sorted((upper, lower)) if same else (upper, lower)
    if same:
        drawing.line((x1 + WIDTH, y1 + HEIGHT / 2), (x2, y2 + HEIGHT / 2))
    else:
        drawing.line((x1 + WIDTH / 2, y1 + HEIGHT), (x2 + WIDTH / 2, y2))


def _box(drawing: Drawing, box: Box, place: Place) -> None:
    """Draw a box: one device by its name, several with their number and what they are."""
    left, top = place
    middle, room = left + WIDTH / 2, WIDTH - 10
    if len(box.names) > 1:
        drawing.box(left + 4, top - 4, WIDTH, HEIGHT, box.kind)
    drawing.box(left, top, WIDTH, HEIGHT, box.kind)
    if len(box.names) == 1:
        drawing.text((middle, top + HEIGHT / 2 + 4), box.title, room, size=11, kind="b", anchor="middle")
        return
    drawing.text((middle, top + 17), f"{len(box.names)} {box.what}", room, size=11, kind="b", anchor="middle")
    drawing.text((middle, top + 33), box.names[0], room, anchor="middle")
    drawing.text((middle, top + 47), f"to {box.names[-1]}", room, anchor="middle")


def link_notes(folded: Folded, links: Sequence[Link]) -> list[str]:
    """Return what the lines mean, a sentence for each pair of tiers: links from device to device, and altogether."""
    boxes = (box for box in chain.from_iterable(folded.tiers.values()) if box.tier)
    tiers = {name: box.tier for name, box in box_by_name(boxes).items()}
    counts: dict[tuple[int, int, int], Counter[tuple[str, str]]] = {}
    for link in (link for link in links if link.kind != "uplink"):
        ends = (link.a.device, link.b.device)
        lower = tiers[ends[1]] if link.kind == "inter-switch" else 0
        low, high = sorted((tiers[ends[0]], lower))
        counts.setdefault((high, low, link.speed_gbps), Counter())[min(ends), max(ends)] += 1
    between = [
        f"{_words(folded.tiers, high, low)}: {_span(pairs.values())} x {speed}G from device to device, "
        f"{pairs.total()} links in all"
        for (high, low, speed), pairs in sorted(counts.items(), reverse=True)
    ]
    return [*between, *_uplink_notes(links)]


def _uplink_notes(links: Sequence[Link]) -> Iterator[str]:
    """Yield a sentence for each network outside."""
    counts: dict[tuple[str, int], Counter[str]] = {}
    for link in links:
        if link.kind == "uplink":
            counts.setdefault((link.b.device, link.speed_gbps), Counter())[link.a.device] += 1
    for (name, speed), switches in counts.items():
        each = f"{_span(switches.values())} x {speed}G a switch"
        yield f"leaves - {name}, a network outside: {each}, {switches.total()} in all"


def _words(tiers: Mapping[int, Sequence[Box]], high: int, low: int) -> str:
    """Return what two tiers hold; one of them alone where they are the same."""
    upper, lower = (
        ", ".join(dict.fromkeys(box.what for box in tiers[tier] if box.what != OUTSIDE)) for tier in (high, low)
    )
    return f"between {upper}" if high == low else f"{upper} - {lower}"


def _span(numbers: Iterable[int]) -> str:
    """Return least and most of some numbers; one where they are equal."""
    found = sorted(set(numbers))
    return str(found[0]) if len(found) == 1 else f"{found[0]} to {found[-1]}"
