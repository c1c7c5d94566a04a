"""The largest site there is a plan for: 8,192 servers with 65,536 GPUs on one rail-optimized fabric.

usage: python benchmarks/scale.py [--json FILE] [--smallest] [--runs N] [SERVERS ...]

``rackproof render`` checks the site, plans it and writes every switch's configuration, the cable schedule and
plan.json; then ``rackproof documents`` writes spreadsheets, labels, pictures and the book. Each is a process of its own
from the shell, into an empty folder; the fastest run counts, because nothing makes a run faster than the machine. Exit
status 1 when the largest takes more time or memory than its limit.
"""

from __future__ import annotations

import shutil
import sys
from itertools import product
from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks.process import Measured, measured
from benchmarks.rail_site import rail_site
from benchmarks.report import Row, finish, parser
from rackproof.paths import BUILD

if TYPE_CHECKING:
    from pathlib import Path

FOLDER: Final = BUILD / "benchmarks" / "scale"
SIZES: Final = (512, 2048, 8192)
SMALLEST: Final = 8
LIMIT_S: Final = {"render": 20.0, "documents": 90.0}
PEAK_MAX_MIB: Final = {"render": 1024.0, "documents": 4096.0}


class Arguments(NamedTuple):
    """The command line."""

    json: Path | None
    smallest: bool
    runs: int
    servers: list[int]


def arguments() -> Arguments:
    """Return the command line's arguments."""
    options = parser("Measure render and documents of large sites.")
    options.add_argument("--runs", type=int, default=3, help="runs of each (default: 3)")
    options.add_argument(
        "servers", nargs="*", type=int, default=SIZES, help="multiples of 256 (default: 512 2048 8192)"
    )
    parsed = options.parse_args()
    if parsed.smallest:
        return Arguments(parsed.json, smallest=True, runs=1, servers=[SMALLEST])
    return Arguments(parsed.json, smallest=False, runs=parsed.runs, servers=list(parsed.servers))


def measure(verb: str, servers: int, runs: int) -> Row:
    """Return the figures of one command on a site of one size."""
    site_file = FOLDER / f"{servers}.yaml"
    site_file.write_text(rail_site(servers), encoding="utf-8")
    fastest = min(_measured_in_empty_folder(verb, site_file) for _ in range(runs))
    figures = {
        "wall_s": fastest.wall_s,
        "cpu_s": fastest.cpu_s,
        "peak_mib": fastest.peak_mib,
        "cpu_ms_per_server": 1000 * fastest.cpu_s / servers,
        "limit_s": LIMIT_S[verb],
        "limit_mib": PEAK_MAX_MIB[verb],
    }
    kept = fastest.wall_s <= LIMIT_S[verb] and fastest.peak_mib <= PEAK_MAX_MIB[verb]
    return Row(f"{verb}, {servers} servers", figures, kept)


def _measured_in_empty_folder(verb: str, site_file: Path) -> Measured:
    """Run a command that writes a site's files, and remove them again."""
    folder = FOLDER / "site"
    shutil.rmtree(folder, ignore_errors=True)
    try:
        return measured(verb, site_file, "--output", folder, "--json")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> int:
    """Measure and report."""
    options = arguments()
    FOLDER.mkdir(parents=True, exist_ok=True)
    rows = [measure(verb, servers, options.runs) for verb, servers in product(LIMIT_S, options.servers)]
    title = f"A site of {max(options.servers):,} servers"
    return finish(title, rows, options.json, judged=not options.smallest)


if __name__ == "__main__":
    sys.exit(main())
