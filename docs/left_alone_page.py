"""The page about the parts of switch configurations that Rackproof leaves alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rackproof.render.nos import cumulus, enterprise_sonic

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rackproof.render.ownership import LeftAlone

LEAD: Final = """
# What Rackproof leaves alone on a switch

Rackproof manages the whole configuration of a switch except the parts below and the fabric's `unmanaged:`. These parts
are neither compared nor changed, not when a running switch is taken over and not when a site is removed.
`rackproof diff` names what it found of them, in one line. Settings that every switch has from the factory are not
named. All other lines that the site file does not explain are differences, and `rackproof up` removes them.
"""
NAMES: Final = {"Enterprise SONiC": enterprise_sonic.LEFT_ALONE, "Cumulus Linux": cumulus.LEFT_ALONE}


def left_alone_page() -> str:
    """Return the page, one table a NOS."""
    sections = (f"\n## {name}\n\n{table(entries)}" for name, entries in NAMES.items())
    return LEAD + "".join(sections)


def table(entries: Iterable[LeftAlone]) -> str:
    """Return the table of one NOS, a row an entry."""
    return "\n".join(["| lines that begin with | topic | source |", "|---|---|---|", *rows(entries), ""])


def rows(entries: Iterable[LeftAlone]) -> Iterator[str]:
    """Yield the rows of a table."""
    for entry in entries:
        place = f", below `{entry.block}`" if entry.block else ""
        yield f"| `{entry.start}`{place} | {entry.topic} | {entry.source} |"
