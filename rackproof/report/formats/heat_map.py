"""Heat maps of fleets that are too large for a table: a square a device, one picture a column of the matrix."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Final

from rackproof.report.content.findings import WORST_FIRST

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rackproof.report.content.matrices import Cell, Matrix

ACROSS: Final = 32
"""Squares of a line: a scalable unit of 32 servers is one line."""
PITCH, SIDE = 9, 8
"""From one square to the next, and how wide one is."""
MOST_NAMED: Final = 64
"""Number of squares with a tooltip; the table beside the picture has all."""


@dataclass(frozen=True, slots=True)
class HeatMap:
    """One column of a matrix as a picture."""

    title: str
    counts: str
    """Text alternative of the picture."""
    svg: str


def heat_maps(matrix: Matrix) -> Iterator[HeatMap]:
    """Yield a picture a column, devices in the order of the matrix, line by line."""
    for number, column in enumerate(matrix.columns):
        cells = [row[number] for _, row in matrix.rows]
        yield HeatMap(column, _counts(cells), _svg(f"{matrix.title}: {column}", cells))


def _counts(cells: list[Cell | None]) -> str:
    states = [cell.state for cell in cells if cell]
    return ", ".join(f"{states.count(state):,} {state}" for state in WORST_FIRST if state in states)


def _svg(title: str, cells: list[Cell | None]) -> str:
    """Return the squares: one path for each colour, and squares with failures on top with a tooltip."""
    paths: dict[str, list[str]] = defaultdict(list)
    named: list[str] = []
    for place, cell in enumerate(cells):
        line, column = divmod(place, ACROSS)
        shade = "none" if cell is None else shade_class(cell)
        x, y = column * PITCH, line * PITCH
        paths[shade].append(f"M{x} {y}h{SIDE}v{SIDE}h-{SIDE}z")
        if cell and cell.state not in {"passed", "waived"} and len(named) < MOST_NAMED:
            text = escape(cell.hint)
            named.append(f'<rect x="{x}" y="{y}" width="{SIDE}" height="{SIDE}"><title>{text}</title></rect>')
    drawn = "".join(f'<path class="{shade}" d="{"".join(squares)}"/>' for shade, squares in paths.items())
    height = (len(cells) + ACROSS - 1) // ACROSS * PITCH
    label = escape(f"{title}: {_counts(cells)}")
    head = f'<svg class="map" viewBox="0 0 {ACROSS * PITCH} {height}" role="img" aria-label="{label}">'
    return f'{head}{drawn}<g class="named">{"".join(named)}</g></svg>'


def shade_class(cell: Cell) -> str:
    """Return the class that gives a cell its colour."""
    return f"heat{cell.heat}" if cell.heat is not None else cell.state
