"""Compares validation of servers over SSH with the same checks in plain testinfra, and measures growth with servers.

usage: python benchmarks/validate.py [--json FILE] [--smallest] [--plain-servers N] [--servers N] [SERVERS ...]

The servers are SSH servers of one process, which replay recordings of every command that runs on a server. Rackproof:
``pytest validation`` from the start of Python to the written run, with every passive check. testinfra: the same
check functions, one test a check and server, each command run when a check reads its answer, over OpenSSH with one
connection a server kept open. Both have to pass every check. Management controllers are not served: Rackproof reports
their three checks as skipped, and testinfra does not have them. Exit status 1 when Rackproof is not twenty times as
fast, when a server costs a large site half as much again as a small one, or when memory goes over its limit.
"""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks.process import Measured, measured_command
from benchmarks.rail_site import rail_site
from benchmarks.report import Row, finish, parser
from rackproof.cli.prove.suites_process import UNUSED_FEATURES_OFF
from rackproof.paths import BUILD, ROOT, VALIDATION

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FOLDER: Final = BUILD / "benchmarks" / "validate"
RATIO_MIN: Final = 20.0
GROWTH_MAX: Final = 1.5
PEAK_MAX_MIB: Final = 2048.0
SMALLEST: Final = 8
INCOMPLETE: Final = 2
"""A run of some checks proves no site."""
PYTEST: Final = (sys.executable, "-m", "pytest", "-c", str(ROOT / "pyproject.toml"), "-q", "--no-header")


class Arguments(NamedTuple):
    """The command line."""

    json: Path | None
    smallest: bool
    servers: int
    plain_servers: int
    sizes: list[int]


def arguments() -> Arguments:
    """Return the command line's arguments."""
    options = parser("Judge servers with Rackproof and with plain testinfra.")
    options.add_argument("--servers", type=int, default=200, help="servers of the comparison (default: 200)")
    options.add_argument("--plain-servers", type=int, help="how many of them testinfra judges (default: all)")
    options.add_argument("sizes", nargs="*", type=int, help="sizes of the series, multiples of 256, or of 8 below")
    parsed = options.parse_args()
    if parsed.smallest:
        return Arguments(parsed.json, smallest=True, servers=SMALLEST, plain_servers=1, sizes=[SMALLEST])
    return Arguments(
        parsed.json,
        smallest=False,
        servers=parsed.servers,
        plain_servers=parsed.plain_servers or parsed.servers,
        sizes=parsed.sizes or [64, 512, 2048],
    )


@contextmanager
def served_site(servers: int) -> Iterator[Path]:
    """Serve a site of so many servers, and yield the folder with its access.yaml."""
    folder = FOLDER / str(servers)
    folder.mkdir(parents=True, exist_ok=True)
    site = folder / "site.yaml"
    site.write_text(rail_site(servers).replace("dell-xe9680-h100", "dell-xe9680-h200"), encoding="utf-8")
    command = [sys.executable, "-m", "benchmarks.serve_recordings", str(site), str(folder)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            assert process.stdout is not None  # noqa: S101 Popen opened the pipe
            if process.stdout.readline() != "ready\n":
                raise SystemExit("the servers did not start")
            yield folder
        finally:
            process.communicate("")


def rackproof(folder: Path) -> Measured:
    """Gather and judge with Rackproof."""
    about = ("--site", str(folder / "site.yaml"), "--access", str(folder / "access.yaml"), "--only", "gpu")
    chosen = ("-m", "not live and not disruptive")
    return measured_command(
        (*PYTEST, str(VALIDATION), *UNUSED_FEATURES_OFF, "-p", "no:xdist", *about, *chosen),
        status=INCOMPLETE,
        says=" passed",
    )


def testinfra(folder: Path, servers: int) -> Measured:
    """Gather and judge with testinfra."""
    hosts = ",".join(f"ssh://gpu-{number:03}" for number in range(1, servers + 1))
    suite = str(ROOT / "benchmarks" / "plain_testinfra.py")
    about = ("-p", "no:cacheprovider", f"--hosts={hosts}", f"--ssh-config={folder / 'ssh_config'}")
    os.environ["RACKPROOF_BENCHMARK"] = str(folder)
    return measured_command((*PYTEST, suite, *about), status=0, says=" passed")


def comparison(servers: int, plain_servers: int) -> list[Row]:
    """Return the figures of both, on the same servers, one after the other."""
    with served_site(servers) as folder:
        ours, plain = rackproof(folder), testinfra(folder, plain_servers)
    each_s, plain_each_s = ours.wall_s / servers, plain.wall_s / plain_servers
    ratio = plain_each_s / each_s
    return [
        Row(f"Rackproof, {servers} servers", figures(ours, servers, ratio), kept=ratio >= RATIO_MIN),
        Row(f"testinfra, {plain_servers} servers", figures(plain, plain_servers, 1.0), kept=True),
    ]


def figures(taken: Measured, servers: int, ratio: float) -> dict[str, float]:
    """Return the resources of a run, in total and for each server."""
    return {
        "wall_s": taken.wall_s,
        "cpu_s": taken.cpu_s,
        "wall_ms_per_server": 1000 * taken.wall_s / servers,
        "cpu_ms_per_server": 1000 * taken.cpu_s / servers,
        "peak_mib": taken.peak_mib,
        "times_as_fast": ratio,
    }


def series(sizes: list[int]) -> list[Row]:
    """Return the figures of sites that grow; growth compares processor time, which other work changes least."""
    rows: list[Row] = []
    for servers in sizes:
        with served_site(servers) as folder:
            found = figures(rackproof(folder), servers, 0.0)
        del found["times_as_fast"]
        first = rows[0].figures["cpu_ms_per_server"] if rows else found["cpu_ms_per_server"]
        grown = found["cpu_ms_per_server"] / first
        kept = grown <= GROWTH_MAX and found["peak_mib"] <= PEAK_MAX_MIB
        rows.append(Row(f"{servers} servers", {**found, "growth": grown}, kept=kept))
    return rows


def main() -> int:
    """Measure and report."""
    options = arguments()
    judged = not options.smallest
    rows = comparison(options.servers, options.plain_servers)
    both = finish("Judged by Rackproof and by testinfra", rows, options.json, judged=judged)
    file = options.json and options.json.with_stem(f"{options.json.stem}-growth")
    growth = finish("Rackproof, by the number of servers", series(options.sizes), file, judged=judged)
    return max(both, growth)


if __name__ == "__main__":
    sys.exit(main())
