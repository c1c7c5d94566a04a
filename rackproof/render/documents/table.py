"""A table once, whatever it is written to: CSV, a sheet of a spreadsheet, or a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rackproof.render.csv_text import csv_text
from rackproof.render.documents.record import File

if TYPE_CHECKING:
    from collections.abc import Iterable

NO_NUMBER: Final = "no part number known: ask the vendor"

Cell = str | int | float | None
Row = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its heading, and how wide its text is in characters."""

    title: str
    width: int = 14
    choices: tuple[str, ...] = ()
    """What a person may fill in; empty: anything."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under a heading."""

    name: str
    """File name without suffix, and anchor in a page."""
    title: str
    columns: tuple[Column, ...]
    rows: Iterable[Row]


def columns(*titles_and_widths: str | tuple[str, int]) -> tuple[Column, ...]:
    """Return columns from headings, each alone or with its width."""
    return tuple(Column(item) if isinstance(item, str) else Column(*item) for item in titles_and_widths)


def csv_file(table: Table) -> File:
    """Return a table as CSV: headings in small letters with underscores, as in the other schedules."""
    header = [column.title.lower().replace(" ", "_") for column in table.columns]
    return File(f"{table.name}.csv", csv_text(header, table.rows).encode())


def format_value(cell: Cell) -> str:
    """Return a cell as a person reads it: no needless decimals, thousands apart."""
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{cell:,.1f}".removesuffix(".0") if abs(cell) >= 1000 else f"{cell:g}"
    return str(cell)
