"""An error as a person reads it: what, where, the line with a caret under the place, what to do."""

from pathlib import Path
from typing import Final

from rich.cells import cell_len
from rich.text import Text

from rackproof.errors import Place, SiteError

LINE_WIDTH_MAX: Final = 110
"""Characters of a source line that are shown; a longer line is cut around the caret."""
LEAD_IN: Final = 60
"""Characters kept before the caret when a line is cut."""


def printable(text: str) -> str:
    """Return ``text`` with everything that could steer a terminal replaced; line breaks stay."""
    return "".join(sign if sign.isprintable() or sign == "\n" else "\N{REPLACEMENT CHARACTER}" for sign in text)


def shown_path(path: Path) -> str:
    """Return a path as a person would type it here: relative where the file lies below the current folder."""
    here = Path.cwd()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def problem_text(error: SiteError) -> Text:
    """Return one error or warning of a site file, over several lines."""
    severity, style = ("warning", "bold yellow") if error.warning else ("error", "bold red")
    text = Text.assemble((severity, style), ": ", (printable(error.message), "bold"))
    if error.place is not None:
        text.append_text(_excerpt(error.place, style))
    if error.hint:
        text.append_text(Text.assemble("\n  ", ("hint", "bold cyan"), ": ", printable(error.hint)))
    return text


def _excerpt(place: Place, style: str) -> Text:
    """The file, line and column, and the line itself with a caret."""
    line, column = _cut(place.text.replace("\t", " "), place.column)
    number = str(place.line)
    margin = " " * len(number)
    before = " " * cell_len(printable(line[: column - 1]))
    return Text.assemble(
        f"\n  {margin}",
        (f"--> {shown_path(place.file)}:{place.line}:{place.column}", "blue"),
        (f"\n  {number} | ", "blue"),
        printable(line),
        (f"\n  {margin} | ", "blue"),
        before,
        ("^", style),
    )


def _cut(line: str, column: int) -> tuple[str, int]:
    """Shorten a long line around ``column`` (from 1); return it and the column in what is left."""
    if len(line) <= LINE_WIDTH_MAX:
        return line, column
    first = max(0, column - 1 - LEAD_IN)
    end = first + LINE_WIDTH_MAX
    start, stop = ("..." if first else ""), ("..." if end < len(line) else "")
    return f"{start}{line[first:end]}{stop}", column - first + len(start)
