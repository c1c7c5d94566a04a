"""Measures the wall time of check, plan and render, the start of Python included.

usage: python benchmarks/startup.py [--json FILE] [--smallest] [--runs N] [SITE ...]

Each command runs in a process of its own, as from a shell. The table shows the fastest run (what the code costs), the
median (what a user waits) and the limit. Exit status 1 when a median is over the limit.
"""

from __future__ import annotations

import statistics
import sys
from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks.command import command_s
from benchmarks.report import Row, finish, parser

if TYPE_CHECKING:
    from pathlib import Path

LIMIT_S: Final = 1.0
VERBS: Final = ("check", "plan", "render")
SITES: Final = ("metrum-h200", "metrum-mi300x")


class Arguments(NamedTuple):
    """The command line."""

    json: Path | None
    smallest: bool
    runs: int
    sites: list[str]


def arguments() -> Arguments:
    """Return the command line's arguments."""
    options = parser("Measure check, plan and render from the shell.")
    options.add_argument("--runs", type=int, default=7, help="runs a command (default: 7)")
    options.add_argument("sites", nargs="*", default=SITES)
    parsed = options.parse_args()
    if parsed.smallest:
        return Arguments(parsed.json, smallest=True, runs=1, sites=[SITES[0]])
    return Arguments(parsed.json, smallest=False, runs=parsed.runs, sites=list(parsed.sites))


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
    title = "From the shell, start of Python included"
    return finish(title, rows, options.json, judged=not options.smallest)


if __name__ == "__main__":
    sys.exit(main())
