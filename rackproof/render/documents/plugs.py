"""The plugs of an assembly: a leg that carries several links has one plug, and one label, all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rackproof.render.documents.panel_ports import joined

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rackproof.plan.model.plan import Assembly, Link
    from rackproof.render.documents.record import Record


class Plug(NamedTuple):
    """The plug at the end of a leg."""

    leg: int
    """From 1."""
    device: str
    ports: str
    """Port it goes into; in short where the port is split at both ends (swp64s0-1)."""
    links: tuple[Link, ...]

    @property
    def end(self) -> str:
        """Device and ports, as they stand on a label."""
        return f"{self.device}/{self.ports}"


def assembly_plugs(record: Record, assembly: Assembly) -> Iterator[Plug]:
    """Yield the plugs of an assembly but its trunk; a cable without a splitter has one, whatever it carries."""
    links = record.assembly_links.get(assembly.id, ())
    if links and record.catalogue.cable(assembly.cable).legs == 1:
        yield _plug(1, links)
        return
    for link in links:
        yield _plug(link.leg, (link,))


def _plug(leg: int, links: Sequence[Link]) -> Plug:
    return Plug(leg, links[0].b.device, joined([link.b.port for link in links]), tuple(links))


def plug_label(assembly: Assembly, plug: Plug) -> str:
    """Return what is printed on a plug's label, as in the other schedules."""
    return f"{assembly.id}.{plug.leg} {plug.end}"
