"""Reports a benchmark: a table for people, JSON for programs, an exit status for a pipeline."""

from __future__ import annotations

import argparse
import json
import os
import platform
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Row:
    """The figures of one measurement; the unit of a figure is in its name."""

    name: str
    figures: Mapping[str, float]
    kept: bool
    """Whether the measured figure is within its limit."""


def machine() -> str:
    """Return a description of the machine that measured."""
    return f"{os.cpu_count()} CPUs, {platform.machine()}, Python {platform.python_version()}"


def parser(description: str) -> argparse.ArgumentParser:
    """Return a parser with the options of all benchmarks."""
    options = argparse.ArgumentParser(description=description)
    options.add_argument("--json", type=Path, help="also write the figures to this file")
    options.add_argument(
        "--smallest",
        action="store_true",
        help="the smallest size, once: shows in seconds that the benchmark runs; limits are not judged",
    )
    return options


def finish(title: str, rows: Sequence[Row], json_file: Path | None, *, judged: bool = True) -> int:
    """Print the table, write the JSON, and return the exit status.

    Parameters
    ----------
    title
        Heading of the table.
    rows
        The measurements; at least one.
    json_file
        File for the same figures; None: no file.
    judged
        Whether limits are judged: status 1 when one is exceeded. Limits are set for the default size.
    """
    table = Table("", *rows[0].figures, "", title=f"{title} ({machine()})", title_justify="left")
    for row in rows:
        table.add_row(row.name, *(f"{figure:.2f}" for figure in row.figures.values()), _judgement(row, judged=judged))
    Console().print(table)
    if json_file is not None:
        json_file.parent.mkdir(parents=True, exist_ok=True)
        document = {"title": title, "machine": machine(), "judged": judged, "rows": [asdict(row) for row in rows]}
        json_file.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return 0 if all(row.kept for row in rows) or not judged else 1


def _judgement(row: Row, *, judged: bool) -> str:
    """Return the word for a row in its last column."""
    if not judged:
        return "not judged"
    return "kept" if row.kept else "OVER"
