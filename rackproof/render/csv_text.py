"""Tables as CSV that spreadsheets open as text, never as formulas."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final

FORMULA_STARTS: Final = ("=", "+", "-", "@")
"""A cell that begins so, after blanks, is taken for a formula (OWASP, CSV injection)."""

ROWS_AT_ONCE: Final = 1000
NOTHING: Final = type(None)
TEXT: Final = frozenset({str, NOTHING})
PLAIN: Final = frozenset({str, int, float, bool, NOTHING})
"""Kinds of cells of which two that are equal are written alike, if their kinds are."""
SEPARATOR: Final = "|"
"""Between the texts of a column that is searched."""
UNCLEAN: Final = ('"', ",", *(SEPARATOR + start for start in (*FORMULA_STARTS, " ")), f" {SEPARATOR}", "  ")
"""What such texts have that are not written as they are: signs of CSV, formulas, needless blanks."""
SIGNS: Final = ('"', ",")
"""A cell with one of them is written in quotes (RFC 4180, section 2); line ends are not among them, no cell has one."""

EMPTY_LINE: Final = '""'
"""The line of one cell that is empty: an empty line would be no row."""


def csv_text(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as CSV with one header line; None is an empty cell, a number keeps no needless decimals."""
    return b"".join(csv_lines(header, rows)).decode()


def csv_lines(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[bytes]:
    """Yield a table as ``csv_text`` returns it, some lines at a time."""
    remaining = iter(rows)
    some: list[Sequence[object]] = [header]
    while some:
        lines = map(",".join, zip(*map(_column, zip(*some, strict=True)), strict=True))
        yield "".join(f"{line or EMPTY_LINE}\n" for line in lines).encode()
        some = list(islice(remaining, ROWS_AT_ONCE))


def _column(cells: tuple[object, ...]) -> Iterable[str]:
    """Return what is written for the cells of a column.

    A large table has millions of cells: equal ones are looked at once, and texts together.
    """
    kinds = set(map(type, cells))
    if len(kinds - {NOTHING}) > 1 or not kinds <= PLAIN:
        return map(_cell, cells)
    distinct = set(cells)
    if kinds <= TEXT and _clean(str(cell or "") for cell in distinct):
        return [str(cell or "") for cell in cells]
    written = {cell: _cell(cell) for cell in distinct}
    return map(written.__getitem__, cells)


def _clean(texts: Iterable[str]) -> bool:
    """Return whether texts are certainly written as they are; a text with the separator may be taken for unclean."""
    column = f"{SEPARATOR}{SEPARATOR.join(texts)}{SEPARATOR}"
    return column.isprintable() and not any(sign in column for sign in UNCLEAN)


def _cell(value: object) -> str:
    """Return what is written for one value."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:g}"
    return str(value) if isinstance(value, int) else _text(str(value))


def _text(text: str) -> str:
    """Return a text on one line; an apostrophe keeps a spreadsheet from reading it as a formula."""
    line = " ".join(text.split())
    line = f"'{line}" if line.startswith(FORMULA_STARTS) else line
    return '"' + line.replace('"', '""') + '"' if any(sign in line for sign in SIGNS) else line
