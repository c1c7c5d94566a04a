"""Tables in fixed columns, as network command lines print them."""

from collections.abc import Iterator


def table_rows(text: str, titles: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the cells of a table whose columns start where their titles start.

    A cell that is wider than its column pushes the rest of its row to the right; such a row is taken apart at its
    blanks instead, which is right as long as only its last cell holds blanks.

    Parameters
    ----------
    text
        The read-out; lines before the titles are left out, lines of dashes too.
    titles
        The titles of all columns, in order.
    """
    lines = iter(text.splitlines())
    starts = next((found for line in lines if (found := column_starts(line, titles))), ())
    for line in lines:
        if starts and line.strip(" -"):
            yield row_cells(line.rstrip(), starts)


def column_starts(line: str, titles: tuple[str, ...]) -> tuple[int, ...]:
    """Return where each title starts in a line, or nothing when the line is not the table's head."""
    starts: list[int] = []
    for title in titles:
        start = line.find(title, starts[-1] + 1 if starts else 0)
        if start < 0:
            return ()
        starts.append(start)
    return tuple(starts)


def row_cells(line: str, starts: tuple[int, ...]) -> tuple[str, ...]:
    """Return the cells of one row."""
    if all(start > len(line) or start == 0 or line[start - 1] == " " for start in starts):
        ends = (*starts[1:], None)
        return tuple(line[start:end].strip() for start, end in zip(starts, ends, strict=True))
    cells = line.split(maxsplit=len(starts) - 1)
    return (*cells, *("" for _ in range(len(starts) - len(cells))))
