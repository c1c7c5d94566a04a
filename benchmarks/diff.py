"""Measures `rackproof diff` of 300 switches without changes against the time to open the connections.

usage: python benchmarks/diff.py [--json FILE] [--smallest] [--runs N] [--switches N]

A lab of that many switches runs in a process of its own and is deployed once. Then three things are timed in turn:
opening the connections with the client that ``rackproof diff`` uses, all at once, doing nothing else; the whole command
with its cache of unchanged switches removed, so that site, plan and configurations are derived anew; and the whole
command again, with the cache. Exit status 1 when a command takes more than three times what connecting takes.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks.command import command_s
from benchmarks.large_site import SITE_NAME, SWITCHES_PER_POD, site_text
from benchmarks.report import Row, finish, parser
from lab.daemon import client
from lab.spec.from_plan import lab_site
from rackproof.connect.access import LoadedAccess, load_access
from rackproof.connect.ssh import connected
from rackproof.deploy.switch.unchanged_cache import cache_file
from rackproof.paths import BUILD
from rackproof.plan.from_file import plan_site

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from rackproof.connect.ssh import Target

RATIO_MAX: Final = 3.0
FOLDER: Final = BUILD / "benchmarks" / "diff"


class Arguments(NamedTuple):
    """The command line."""

    json: Path | None
    smallest: bool
    runs: int
    switches: int


def arguments() -> Arguments:
    """Return the command line's arguments."""
    options = parser("Measure `rackproof diff` of a large site with nothing changed.")
    options.add_argument("--runs", type=int, default=5, help="runs of each (default: 5)")
    options.add_argument("--switches", type=int, default=300, help="switches, a multiple of three (default: 300)")
    parsed = options.parse_args()
    if parsed.smallest:
        return Arguments(parsed.json, smallest=True, runs=1, switches=SWITCHES_PER_POD)
    return Arguments(parsed.json, smallest=False, runs=parsed.runs, switches=parsed.switches)


@contextmanager
def running_lab(site_file: Path) -> Iterator[LoadedAccess]:
    """Start the lab of a site file, yield the access to its switches, and stop it again."""
    planned = plan_site(site_file)
    state = client.up(lab_site(planned.plan, planned.catalogue), FOLDER / "lab")
    try:
        yield load_access(state.access_file)
    finally:
        client.down(state.folder)


async def connect_s(targets: Sequence[Target]) -> float:
    """Open a connection to every target at once and return the time until the last one is open."""
    opened = asyncio.Barrier(len(targets))

    async def one(target: Target) -> float:
        async with connected(target):
            await opened.wait()
            return time.perf_counter()

    start = time.perf_counter()
    return max(await asyncio.gather(*map(one, targets))) - start


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds of every run."""

    connect_s: list[float] = field(default_factory=list)
    derived_s: list[float] = field(default_factory=list)
    again_s: list[float] = field(default_factory=list)


def measure(site_file: Path, access: LoadedAccess, runs: int) -> Times:
    """Return the times, taken in turn so that all meet the same machine."""
    targets = [access.target(name) for name in access.access.devices]
    nothing = f"{len(targets)} devices without changes"
    times = Times()
    for _ in range(runs):
        times.connect_s.append(asyncio.run(connect_s(targets)))
        cache_file(SITE_NAME).unlink(missing_ok=True)
        times.derived_s.append(command_s("diff", site_file, "--access", access.path, says=nothing))
        times.again_s.append(command_s("diff", site_file, "--access", access.path, says=nothing))
    return times


def row(name: str, times_s: Sequence[float], open_s: float) -> Row:
    """Return the figures of one way to compare, beside those of connecting."""
    median_s = statistics.median(times_s)
    ratio = median_s / open_s
    figures = {"median_s": median_s, "connect_s": open_s, "ratio": ratio, "ratio_max": RATIO_MAX}
    return Row(name, figures, kept=ratio <= RATIO_MAX)


def main() -> int:
    """Measure and report."""
    options = arguments()
    FOLDER.mkdir(parents=True, exist_ok=True)
    site_file = FOLDER / "site.yaml"
    site_file.write_text(site_text(options.switches // SWITCHES_PER_POD), encoding="utf-8")
    command_s("check", site_file, says="no errors")
    with running_lab(site_file) as access:
        first_up_s = command_s("up", site_file, "--access", access.path, "--yes")
        times = measure(site_file, access, options.runs)
    open_s = statistics.median(times.connect_s)
    rows = [row("diff, derived anew", times.derived_s, open_s), row("diff again", times.again_s, open_s)]
    title = f"{options.switches} switches, nothing changed; the first `rackproof up` took {first_up_s:.0f} s"
    return finish(title, rows, options.json, judged=not options.smallest)


if __name__ == "__main__":
    sys.exit(main())
