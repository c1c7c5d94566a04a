"""Measures the wall time of check, plan and render, the start of Python included.

usage: python benchmarks/startup.py [--json FILE] [--runs N] [SITE ...]

Each command runs in a process of its own, as from a shell. The table shows the fastest run (what the code costs), the
median (what a user waits) and the limit. Exit status 1 when a median is over the limit.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from itertools import product
from pathlib import Path
from typing import Final, NamedTuple

from benchmarks.command import command_s
from benchmarks.report import Row, finish

LIMIT_S: Final = 1.0
VERBS: Final = ("check", "plan", "render")
SITES: Final = ("metrum-h200", "metrum-mi300x")


class Arguments(NamedTuple):
    """The command line."""

    json: Path | None
    runs: int
    sites: list[str]


def arguments() -> Arguments:
    """Return the command line's arguments."""
    parser = argparse.ArgumentParser(description="Measure check, plan and render from the shell.")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--runs", type=int, default=7, help="runs a command (default: 7)")
    parser.add_argument("sites", nargs="*", default=SITES)
    parsed = parser.parse_args()
    return Arguments(parsed.json, parsed.runs, list(parsed.sites))


def measure(verb: str, site: str, runs: int) -> Row:
    """Return the figures of one command; a first run that fills caches is not counted."""
    command_s(verb, site)
    times_s = [command_s(verb, site) for _ in range(runs)]
    median_s = statistics.median(times_s)
    return Row(
        name=f"rackproof {verb} {site}",
        figures={"fastest_s": min(times_s), "median_s": median_s, "limit_s": LIMIT_S},
        kept=median_s < LIMIT_S,
    )


def main() -> int:
    """Measure and report."""
    options = arguments()
    rows = [measure(verb, site, options.runs) for site, verb in product(options.sites, VERBS)]
    return finish("From the shell, start of Python included", rows, options.json)


if __name__ == "__main__":
    sys.exit(main())
