"""Pictures in the site book: all where they are few, else one of each sort with links to the others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rackproof.render.documents import elevations, fabric_diagrams, front_panels

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from rackproof.render.documents.drawing import Drawing
    from rackproof.render.documents.record import Record

MOST: Final = 24
"""Pictures of one chapter that stand in the page."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing in the page, and the files of others like it."""

    anchor: str
    caption: str
    svg: str
    file: str
    others: tuple[tuple[str, str], ...] = ()
    """Name and file."""
    folded: bool = False
    """Shown when it is asked for."""


@dataclass(frozen=True, slots=True)
class Pictures:
    """The pictures of a chapter."""

    pictures: tuple[Picture, ...]
    side_by_side: bool = False


def rack_pictures(record: Record) -> Pictures:
    """Return the racks; of those that look alike the first."""
    alike = _alike(record.plan.racks, lambda rack: _look(record, rack))
    return Pictures(
        _pictures("rack", alike, lambda rack: elevations.elevation(record, rack), elevations.picture_path),
        side_by_side=True,
    )


def switch_pictures(record: Record) -> Pictures:
    """Return the front panels; of many switches one of each fabric and role."""
    switches = record.plan.switches
    alike = _alike(switches, lambda name: (switches[name].fabric, switches[name].role))
    return Pictures(
        _pictures(
            "switch", alike, lambda name: front_panels.front_panel(record, switches[name]), front_panels.picture_path
        )
    )


def fabric_pictures(record: Record) -> Pictures:
    """Return the fabrics, and their rails folded away."""
    found = []
    for fabric in record.cabled_fabrics:
        for rail in (None, *fabric_diagrams.rails(record, fabric)):
            name = fabric if rail is None else f"{fabric}, rail {rail}"
            anchor = f"fabric-{fabric}" if rail is None else f"fabric-{fabric}-rail{rail}"
            svg = fabric_diagrams.diagram(record, fabric, rail).inline()
            file = fabric_diagrams.picture_path(fabric, rail)
            found.append(Picture(anchor, f"Fabric {name}", svg, file, folded=rail is not None))
    return Pictures(tuple(found))


def _pictures(
    word: str, alike: Iterable[Sequence[str]], draw: Callable[[str], Drawing], picture_path: Callable[[str], str]
) -> tuple[Picture, ...]:
    """Return a picture of the first of each row, with links to the others."""
    found = []
    for first, *others in alike:
        caption = f"{word.capitalize()} {first}" + (f" and {len(others)} like it" if others else "")
        links = tuple((name, picture_path(name)) for name in others)
        found.append(Picture(f"{word}-{first}", caption, draw(first).inline(), picture_path(first), links))
    return tuple(found)


def _alike(names: Iterable[str], look: Callable[[str], Hashable]) -> list[list[str]]:
    """Return names one by one where they are few, else those that look alike together."""
    every = list(names)
    if len(every) <= MOST:
        return [[name] for name in every]
    rows: dict[Hashable, list[str]] = {}
    for name in every:
        rows.setdefault(look(name), []).append(name)
    return list(rows.values())


def _look(record: Record, rack: str) -> Hashable:
    """Return what makes racks look alike: models and their units."""
    devices = tuple(
        (device.model, device.group, device.position.unit) for device in record.racked[rack] if device.position
    )
    return record.plan.racks[rack].model, devices, len(record.rack_pdus[rack])
