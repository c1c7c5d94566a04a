"""Plan and render beside Arista's pyavd: the same number of switches, with the same ports in use, in the same run.

usage: python benchmarks/pyavd.py [--json FILE] [--smallest] [--python FILE] [SWITCHES ...]

Rackproof: from a checked site to the text of every switch (``build_plan`` and ``render_switch``). pyavd: from its
inputs as dictionaries to the text of every switch (``get_avd_facts``, ``get_device_structured_config``,
``get_device_config``). Each in a process of its own that does nothing else, one after the other; neither offers a way
to spread one fabric over processors. Times are processor time, which other work on the machine changes least.
Rackproof plans racks, cables, addresses and power on the way; pyavd writes an overlay. Exit status 1 when Rackproof
does not do fifty times as many devices a second.
"""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import time
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from benchmarks.rail_site import rail_site
from benchmarks.report import Row, finish, parser
from rackproof.hardware.load import Catalogue
from rackproof.paths import BUILD, ROOT
from rackproof.plan.build import build_plan
from rackproof.render.switch import render_switch
from rackproof.site.load import load_site

if TYPE_CHECKING:
    from rackproof.plan.model.plan import Link, LinkEnd, Plan

RATIO_MIN: Final = 50.0
GC_THRESHOLD: Final = (200_000, 100, 100)
"""As Rackproof's command line sets it; pyavd's process gets the same, so that both collect garbage as seldom."""
FOLDER: Final = BUILD / "benchmarks" / "pyavd"
PYTHON: Final = ROOT / ".venv-pyavd" / "bin" / "python"
SITES: Final = {20: (56, 2), 332: (768, 12), 1536: (3584, 142)}
"""Switches to the arguments of ``rail_site`` that give so many."""


class Arguments(NamedTuple):
    """The command line."""

    json: Path | None
    smallest: bool
    python: Path
    switches: list[int]


def arguments() -> Arguments:
    """Return the command line's arguments."""
    options = parser("Plan and render a fabric with Rackproof and with pyavd.")
    options.add_argument(
        "--python", type=Path, default=PYTHON, help="interpreter that has pyavd (default: .venv-pyavd)"
    )
    options.add_argument("switches", nargs="*", type=int, default=list(SITES), help="20, 332 or 1536 (default: all)")
    parsed = options.parse_args()
    switches = [min(SITES)] if parsed.smallest else list(parsed.switches)
    return Arguments(parsed.json, parsed.smallest, parsed.python, switches)


def rackproof_s(site_file: Path) -> tuple[float, Plan]:
    """Return the seconds of processor time from a checked site to every configuration, and the plan."""
    site = load_site(site_file).site
    start = time.process_time()
    catalogue = Catalogue()
    plan = build_plan(site, catalogue)
    for name, intent in plan.intents().items():
        render_switch(plan.switches[name].nos, catalogue.switch(plan.switches[name].model), intent)
    return time.process_time() - start, plan


def pyavd_fabric(plan: Plan) -> dict[str, dict[str, Any]]:
    """Return a plan's switches as ``pyavd_fabric.py`` reads them: tier, number, hosts, and uplinks.

    Ports are counted from 1 on each switch: those of hosts, then those to other switches.
    """
    links = [
        sorted((link.a, link.b), key=lambda end: _tier(plan, end)) for link in plan.links if _connects_tiers(plan, link)
    ]
    used = Counter({name: len(intent.ports) for name, intent in plan.intents().items()})
    used.subtract(end.device for end in chain.from_iterable(links))
    fabric: dict[str, dict[str, Any]] = {}
    for name, switch in plan.switches.items():
        tier = switch.role if plan.fabrics[switch.fabric].role == "backend" else "access"
        fabric[name] = {"tier": tier, "number": switch.index + 1, "hosts": used[name], "up": []}
    for below, above in links:
        used.update((below.device, above.device))
        own, theirs = (f"Ethernet{used[end.device]}" for end in (below, above))
        fabric[below.device]["up"].append((own, above.device, theirs))
    return fabric


def _connects_tiers(plan: Plan, link: Link) -> bool:
    """Return whether a link connects two tiers of a fabric."""
    return link.kind == "inter-switch" and link.a.device in plan.switches and link.b.device in plan.switches


def _tier(plan: Plan, end: LinkEnd) -> int:
    """Return the tier of a switch: 0 for a leaf, 2 for a super-spine."""
    return ("leaf", "spine", "super-spine").index(plan.switches[end.device].role)


def pyavd_s(python: Path, fabric: dict[str, dict[str, Any]]) -> float:
    """Return the seconds of processor time that pyavd takes for a fabric.

    Raises
    ------
    SystemExit
        pyavd failed; its standard error is shown.
    """
    file = FOLDER / f"{len(fabric)}.json"
    file.write_text(json.dumps(fabric), encoding="utf-8")
    script = Path(__file__).with_name("pyavd_fabric.py")
    command: list[str | Path] = [python, "-P", script, file, *map(str, GC_THRESHOLD)]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    if finished.returncode:
        raise SystemExit(finished.stderr)
    return float(json.loads(finished.stdout)["total_s"])


def measure(python: Path, switches: int) -> Row:
    """Return the figures of one size; of Rackproof the worse of two runs, one before and one after pyavd's.

    Neither is the first of the process, which reads the catalogue and the schema of NVUE and imports what renders:
    pyavd plans a fabric of one switch before it is timed, which loads its own.
    """
    site_file = FOLDER / f"{switches}.yaml"
    site_file.write_text(rail_site(*SITES[switches]), encoding="utf-8")
    first_s = rackproof_s(site_file)[0]
    before_s, plan = rackproof_s(site_file)
    ports = sum(len(intent.ports) for intent in plan.intents().values())
    theirs_s = pyavd_s(python, pyavd_fabric(plan))
    ours_s = max(before_s, rackproof_s(site_file)[0])
    ratio = theirs_s / ours_s
    figures = {
        "ports": ports,
        "rackproof_s": ours_s,
        "rackproof_first_s": first_s,
        "pyavd_s": theirs_s,
        "rackproof_devices_per_s": len(plan.switches) / ours_s,
        "pyavd_devices_per_s": len(plan.switches) / theirs_s,
        "ratio": ratio,
        "ratio_min": RATIO_MIN,
    }
    return Row(f"{len(plan.switches)} switches", figures, kept=ratio >= RATIO_MIN)


def main() -> int:
    """Measure and report."""
    options = arguments()
    gc.set_threshold(*GC_THRESHOLD)
    FOLDER.mkdir(parents=True, exist_ok=True)
    rows = [measure(options.python, switches) for switches in options.switches]
    return finish("Plan and render beside pyavd 6.4.0", rows, options.json, judged=not options.smallest)


if __name__ == "__main__":
    sys.exit(main())
