"""Tables as CSV that spreadsheets open as text, never as formulas."""

import csv
import io
from collections.abc import Iterable, Sequence

FORMULA_STARTS = ("=", "+", "-", "@")
"""A cell that begins so, after blanks, is taken for a formula (OWASP, CSV injection)."""


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as CSV with one header line; None is an empty cell, a number keeps no needless decimals."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return buffer.getvalue()


def _cell(value: object) -> str:
    """Return the text of one cell, on one line; an apostrophe keeps a spreadsheet from reading it as a formula."""
    match value:
        case None:
            return ""
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:g}"
        case _:
            text = " ".join(str(value).split())
            return f"'{text}" if text.startswith(FORMULA_STARTS) else text
