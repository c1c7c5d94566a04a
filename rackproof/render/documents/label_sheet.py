"""A sheet of labels as PDF: Avery L7651 and its equals, 65 labels of 38.1 x 21.2 mm on A4.

Sizes are those on the maker's packet.  Text is made smaller, then broken in two, until it fits its label; what is
longer still ends in an ellipsis, and nothing is printed beside a label.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from io import BytesIO
from itertools import groupby, islice
from typing import TYPE_CHECKING, Final

from reportlab import rl_config
from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfgen.canvas import Canvas

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

rl_config.useA85 = 0  # text encoding of what is compressed: a quarter more bytes, for mail of the 1990s

ACROSS, DOWN = 5, 13
LABEL_WIDTH: Final = 38.1 * mm
LABEL_HEIGHT: Final = 21.2 * mm
GAP: Final = 2.5 * mm
"""Between two columns; rows touch."""
PADDING: Final = 2.0 * mm
"""Printers are off by up to a millimetre."""
ROOM: Final = LABEL_WIDTH - 2 * PADDING
PLAIN, BOLD = "Helvetica", "Helvetica-Bold"
LARGEST, SMALLEST = 7.0, 4.5
"""Points; 4.5 is what is still read at arm's length."""
LEADING: Final = 7.2
"""Points from one line to the next."""
ELLIPSIS: Final = "…"


@dataclass(frozen=True, slots=True)
class Label:
    """What is on one label."""

    head: str
    """The labelled part: assembly and leg."""
    here: str
    """Where this end goes."""
    here_place: str
    there: str
    """Where the other end is."""
    there_place: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a label that fits it."""

    text: str
    font: str
    size: float


@cache
def _widths(font: str) -> tuple[int, ...]:
    """Return the width of every character of the printer's own character set, in thousandths of the size."""
    return tuple(pdfmetrics.getFont(font).widths)


def text_width(text: str, font: str, size: float) -> float:
    """Return how wide a text is, in points."""
    return sum(map(_widths(font).__getitem__, text.encode("cp1252", "replace"))) * size / 1000


@lru_cache(maxsize=20_000)
def fitted(text: str, font: str, most_lines: int = 1) -> tuple[Line, ...]:
    """Return a text on as few lines as it needs, as large as they allow."""
    width = text_width(text, font, LARGEST)
    if width <= ROOM:
        return (Line(text, font, LARGEST),)
    if width * SMALLEST / LARGEST <= ROOM:
        return (Line(text, font, int(20 * LARGEST * ROOM / width) / 20),)
    if most_lines > 1:
        cut = _cut(text, font)
        return (Line(text[:cut], font, SMALLEST), *fitted(text[cut:].lstrip(), font, most_lines - 1))
    return (Line(_shortened(text, font), font, SMALLEST),)


def _cut(text: str, font: str) -> int:
    """Return where a text is broken: after the last blank, slash or dash that still fits, else where it is full."""
    full = next(end for end in range(len(text), 0, -1) if text_width(text[:end], font, SMALLEST) <= ROOM)
    after = max(text.rfind(mark, 0, full) for mark in " /-") + 1
    return after or full


def _shortened(text: str, font: str) -> str:
    """Return the beginning of a text that fits with an ellipsis."""
    ends = range(len(text), 0, -1)
    return next(text[:end] + ELLIPSIS for end in ends if text_width(text[:end] + ELLIPSIS, font, SMALLEST) <= ROOM)


def label_lines(label: Label) -> Iterator[Line]:
    """Yield the lines of a label, from its top."""
    yield from fitted(label.head, BOLD)
    yield from fitted(label.here, BOLD, 2)
    yield from fitted(label.here_place, PLAIN)
    yield from fitted(f"to {label.there}", PLAIN, 2)
    yield from fitted(label.there_place, PLAIN)


def sheet_pdf(title: str, labels: Iterable[Label]) -> bytes:
    """Return labels on as many sheets as they need, row by row; the same labels give the same bytes."""
    buffer = BytesIO()
    canvas = Canvas(buffer, pagesize=A4, invariant=1, pageCompression=1)
    canvas.setTitle(title)
    rest = iter(labels)
    while page := list(islice(rest, ACROSS * DOWN)):
        _write_page(canvas, page)
    canvas.save()
    return buffer.getvalue()


@cache
def corner(place: int) -> tuple[float, float]:
    """Return the upper left corner of label ``place`` (from 0) of a sheet, in points from its lower left corner."""
    row, column = divmod(place, ACROSS)
    left = (A4[0] - ACROSS * LABEL_WIDTH - (ACROSS - 1) * GAP) / 2
    top = A4[1] - (A4[1] - DOWN * LABEL_HEIGHT) / 2
    return left + column * (LABEL_WIDTH + GAP), top - row * LABEL_HEIGHT


def _write_page(canvas: Canvas, labels: Sequence[Label]) -> None:
    """Write a sheet, one font and size after the other: changing them, and moving about, is what takes time."""
    placed: dict[tuple[str, float], list[tuple[float, float, list[str]]]] = {}
    for place, label in enumerate(labels):
        left, top = corner(place)
        base = top - PADDING - LEADING + 1
        for (font, size), run in groupby(label_lines(label), key=lambda line: (line.font, line.size)):
            words = [line.text for line in run]
            placed.setdefault((font, size), []).append((left + PADDING, base, words))
            base -= LEADING * len(words)
    text = canvas.beginText()
    for (font, size), blocks in placed.items():
        text.setFont(font, size, LEADING)
        for left, base, words in blocks:
            text.setTextOrigin(left, base)
            for line in words:
                text.textLine(line)
    canvas.drawText(text)
    canvas.showPage()
