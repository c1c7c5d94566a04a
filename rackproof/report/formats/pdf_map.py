"""A matrix on paper: one square for each device and column, dark for a failure, so that a photocopy is readable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from reportlab.lib.colors import HexColor
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.platypus import Flowable, Table

from rackproof.report.content.matrices import Cell

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rackproof.report.content.findings import Standing
    from rackproof.report.content.matrices import Matrix

Place = tuple[int, int]
"""Column and row of a cell."""
SIDE, PITCH = 5.0, 6.0
"""Points."""
NAMES: Final = 90.0
"""Points for the name of a column of the matrix, which is a line here."""
GAP: Final = 4.0
COLOURS: Final[dict[Standing, str]] = {
    "passed": "#a9dfb5",
    "failed": "#b3161f",
    "error": "#9a5b00",
    "missing": "#7a3bb5",
    "skipped": "#e7ebef",
    "waived": "#79b8ff",
}


DARK: Final = tuple(HexColor(COLOURS[state]) for state in ("failed", "error", "missing"))
MOST: Final = 4000
"""Devices of a column that still fit on a page."""


LEGEND: Final = "Green: passed. Red: failed. Brown: error. Violet: missing. Grey: skipped. Blue: waived."
TALLEST: Final = 24
"""Rows of a matrix that is a table."""
WIDEST: Final = 52.0
"""Width of a column in points."""
FONT, SIZE = "Helvetica", 6.5


def drawings(matrix: Matrix, width: float) -> Iterator[Flowable]:
    """Yield a matrix as a table, or a picture a column where it is large, a square a device in their order.

    Parameters
    ----------
    matrix
        The matrix; of more devices than fit on a page the first ones are drawn.
    width
        Points that there are from left to right.
    """
    grid: list[list[str | Cell | None]] = [[None, *matrix.columns], *([name, *cells] for name, cells in matrix.rows)]
    for way in (grid, [list(line) for line in zip(*grid, strict=True)]):
        room = (width - NAMES) / (len(way[0]) - 1)
        if len(way) <= TALLEST and all(_width(name) <= room for name in way[0]):
            yield _table(way, min(WIDEST, room))
            return
    for number, column in enumerate(matrix.columns):
        yield ColumnDrawing(column, [cells[number] for _, cells in matrix.rows[:MOST]], width)


def _width(name: str | Cell | None) -> float:
    """Return how much room the name of a column takes."""
    return float(stringWidth(str(name or ""), FONT, SIZE)) + 4


def _table(grid: Sequence[Sequence[str | Cell | None]], share: float) -> Table:
    """Return lines of names and cells as a table."""
    words = [[one.text if isinstance(one, Cell) else one or "" for one in line] for line in grid]
    shades = list(_shades(grid))
    style = [
        ("FONT", (0, 0), (-1, -1), FONT, SIZE),
        ("ALIGN", (1, 0), (-1, -1), "CENTER"),
        ("INNERGRID", (1, 1), (-1, -1), 1.5, HexColor("#ffffff")),
        ("TOPPADDING", (0, 0), (-1, -1), 1.5),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 1.5),
        *(("TEXTCOLOR", *place, HexColor("#ffffff")) for _, *place, colour in shades if colour in DARK),
    ]
    widths = [NAMES, *[share] * (len(grid[0]) - 1)]
    return Table(words, colWidths=widths, style=[*style, *shades], hAlign="LEFT", repeatRows=1)


def _shades(grid: Sequence[Sequence[str | Cell | None]]) -> Iterator[tuple[str, Place, Place, HexColor]]:
    """Yield the background of each cell, as reportlab's table styles have it."""
    for row, line in enumerate(grid):
        for column, cell in enumerate(line):
            if isinstance(cell, Cell):
                yield "BACKGROUND", (column, row), (column, row), HexColor(COLOURS[cell.state])


class ColumnDrawing(Flowable):  # type: ignore[misc] # reportlab is not typed
    """One column of a matrix, on as many lines as its devices take."""

    def __init__(self, name: str, cells: Sequence[Cell | None], width: float) -> None:
        super().__init__()
        self._name, self._cells = name, cells
        self._across = int((width - NAMES) // PITCH)
        self.width = width
        self.height = -(-len(cells) // self._across) * PITCH + GAP

    def wrap(self, _width: float, _height: float) -> tuple[float, float]:
        """Return how much room it takes."""
        return self.width, self.height

    def draw(self) -> None:
        """Draw it, from its upper left corner."""
        self.canv.setFillColor(HexColor("#1b1f24"))
        self.canv.setFont(FONT, SIZE)
        self.canv.drawString(0, self.height - PITCH + 1, self._name)
        for place, cell in enumerate(self._cells):
            if cell is not None:
                line, column = divmod(place, self._across)
                self.canv.setFillColor(HexColor(COLOURS[cell.state]))
                self.canv.rect(NAMES + column * PITCH, self.height - (line + 1) * PITCH, SIDE, SIDE, stroke=0, fill=1)
