"""Spreadsheets: text stays text, the heading stays in sight, and the same tables give the same bytes."""

from __future__ import annotations

from datetime import datetime
from io import BytesIO
from typing import TYPE_CHECKING, Final

import xlsxwriter

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from rackproof.render.documents.table import Cell, Column, Table

NO_DATE: Final = datetime(2000, 1, 1)  # noqa: DTZ001 the format has no time zone; a fixed date keeps the bytes the same
SHEET_NAME_LONGEST: Final = 31
"""Characters a sheet's name may have."""
A3, A4 = 8, 9
"""As the format numbers paper (ECMA-376, 18.3.1.63)."""
WIDEST_ON_A4: Final = 240
"""Characters across a landscape page that are still read."""
OPTIONS: Final = {
    "constant_memory": True,
    "strings_to_formulas": False,
    "strings_to_numbers": False,
    "strings_to_urls": False,
}


def workbook(title: str, tables: Iterable[Table]) -> bytes:
    """Return an XLSX file with a sheet a table: filter, frozen heading, ready to print on landscape pages."""
    buffer = BytesIO()
    with xlsxwriter.Workbook(buffer, OPTIONS) as book:
        book.set_properties({"title": title, "created": NO_DATE})
        heading = book.add_format(
            {"bold": True, "bg_color": "#DCE6F1", "border": 1, "text_wrap": True, "valign": "top"}
        )
        taken: set[str] = set()
        for table in tables:
            sheet = book.add_worksheet(sheet_name(table.title, taken))
            _set_up(sheet, title, table.columns, heading)
            _finish(sheet, table.columns, _write(sheet, table.rows))
    return buffer.getvalue()


def sheet_name(title: str, taken: set[str]) -> str:
    """Return a name that a sheet may have and no other has; it is added to ``taken``."""
    clean = "".join("-" if letter in "[]:*?/\\" else letter for letter in title)
    name, number = clean[:SHEET_NAME_LONGEST], 1
    while name.lower() in taken:
        number += 1
        name = f"{clean[: SHEET_NAME_LONGEST - len(str(number)) - 1]}~{number}"
    taken.add(name.lower())
    return name


def _set_up(sheet: xlsxwriter.worksheet.Worksheet, title: str, columns: Sequence[Column], heading: object) -> None:
    """Write the heading and what a printer needs."""
    sheet.freeze_panes(1, 0)
    sheet.repeat_rows(0)
    sheet.set_landscape()
    sheet.hide_gridlines(0)
    sheet.set_paper(A3 if sum(column.width for column in columns) > WIDEST_ON_A4 else A4)
    sheet.set_margins(left=0.4, right=0.4, top=0.5, bottom=0.6)
    sheet.fit_to_pages(1, 0)
    sheet.set_footer(f"&L{title.replace('&', '&&')}&C&A&R&P / &N")
    sheet.set_row(0, 31)
    for number, column in enumerate(columns):
        sheet.set_column(number, number, column.width)
        sheet.write_string(0, number, column.title, heading)


def _write(sheet: xlsxwriter.worksheet.Worksheet, rows: Iterable[Sequence[Cell]]) -> int:
    """Write rows under the heading and return how many there are."""
    write_string, write_number, number = sheet.write_string, sheet.write_number, 0
    for number, row in enumerate(rows, start=1):
        for place, cell in enumerate(row):
            if isinstance(cell, str):
                write_string(number, place, cell if cell.isprintable() else " ".join(cell.split()))
            elif cell is not None:
                write_number(number, place, cell)
    return number


def _finish(sheet: xlsxwriter.worksheet.Worksheet, columns: Sequence[Column], rows: int) -> None:
    """Put a filter on the heading, and lists on the columns that a person fills in."""
    sheet.autofilter(0, 0, rows, len(columns) - 1)
    for number, column in enumerate(columns):
        if column.choices and rows:
            sheet.data_validation(1, number, rows, number, {"validate": "list", "source": list(column.choices)})
