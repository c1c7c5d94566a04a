"""A matrix on paper: squares a device and column, dark where something is wrong, so that it survives a copier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from reportlab.lib.colors import HexColor
from reportlab.platypus import Flowable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rackproof.report.findings import Standing
    from rackproof.report.matrices import Cell, Matrix

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


MOST: Final = 4000
"""Devices of a column that still fit on a page."""


def drawings(matrix: Matrix, width: float) -> Iterator[Flowable]:
    """Yield a picture a column of a matrix, as wide as the page; of more devices than fit on it the first ones."""
    for number, column in enumerate(matrix.columns):
        yield ColumnDrawing(column, [cells[number] for _, cells in matrix.rows[:MOST]], width)


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
        self.canv.setFont("Helvetica", 6.5)
        self.canv.drawString(0, self.height - PITCH + 1, self._name)
        for place, cell in enumerate(self._cells):
            if cell is not None:
                line, column = divmod(place, self._across)
                self.canv.setFillColor(HexColor(COLOURS[cell.state]))
                self.canv.rect(NAMES + column * PITCH, self.height - (line + 1) * PITCH, SIDE, SIDE, stroke=0, fill=1)
