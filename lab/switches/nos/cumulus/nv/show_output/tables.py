"""Tables as NVUE prints them: columns as wide as their cells."""

from collections.abc import Iterable, Sequence

SHOWS = ()


def table(titles: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table."""
    cells = [tuple(map(str, row)) for row in rows]
    widths = [max(len(row[number]) for row in (tuple(titles), *cells)) for number in range(len(titles))]
    lines = [titles, ["-" * width for width in widths], *cells]
    return "".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() + "\n" for line in lines
    )
