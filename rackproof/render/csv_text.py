"""Tables as CSV that spreadsheets open as text, never as formulas."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import Final

FORMULA_STARTS = ("=", "+", "-", "@")
"""A cell that begins so, after blanks, is taken for a formula (OWASP, CSV injection)."""

ROWS_AT_ONCE: Final = 1000


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as CSV with one header line; None is an empty cell, a number keeps no needless decimals."""
    return b"".join(csv_lines(header, rows)).decode()


def csv_lines(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[bytes]:
    """Yield a table as ``csv_text`` returns it, some lines at a time."""
    remaining = iter(rows)
    some: list[Sequence[object]] = [header]
    while some:
        buffer = io.StringIO(newline="")
        csv.writer(buffer, lineterminator="\n").writerows(
            [_text(cell) if type(cell) is str else cell if cell is None else _cell(cell) for cell in row]
            for row in some
        )
        yield buffer.getvalue().encode()
        some = list(islice(remaining, ROWS_AT_ONCE))


def _cell(value: object) -> object:
    """Return what is written for a value that is no text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    return value if isinstance(value, int) else _text(str(value))


@lru_cache(maxsize=1 << 16)
def _text(text: str) -> str:
    """Return a text on one line; an apostrophe keeps a spreadsheet from reading it as a formula.

    Most cells of a large table stand in many of its lines.
    """
    line = " ".join(text.split())
    return f"'{line}" if line.startswith(FORMULA_STARTS) else line
