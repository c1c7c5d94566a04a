"""Reports a benchmark: a table for people, JSON for programs, an exit status for a pipeline."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


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


def finish(title: str, rows: Sequence[Row], json_file: Path | None) -> int:
    """Print the table, write the JSON, and return the exit status: 1 when a limit was not kept."""
    table = Table("", *rows[0].figures, "", title=f"{title} ({machine()})", title_justify="left")
    for row in rows:
        table.add_row(row.name, *(f"{figure:.2f}" for figure in row.figures.values()), "kept" if row.kept else "OVER")
    Console().print(table)
    if json_file is not None:
        json_file.parent.mkdir(parents=True, exist_ok=True)
        document = {"title": title, "machine": machine(), "rows": [asdict(row) for row in rows]}
        json_file.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return 0 if all(row.kept for row in rows) else 1
