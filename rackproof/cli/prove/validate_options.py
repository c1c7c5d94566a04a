"""The options of `rackproof validate`; `validation/runner/options.py` has them for pytest."""

from pathlib import Path
from typing import Annotated

import typer

ChecksOption = Annotated[
    str, typer.Option("--checks", "-k", metavar="EXPRESSION", help="Only checks by name, as pytest's -k.")
]
FailedOption = Annotated[
    bool, typer.Option("--failed", help="Only what did not pass last time; the rest is carried over.")
]
ReplayOption = Annotated[
    Path | None, typer.Option(metavar="FOLDER", help="Judge the facts of an earlier run; no device is asked.")
]
CalibrateOption = Annotated[
    bool, typer.Option("--calibrate", help="Keep what a good run measures as this site's baseline.")
]
ProcessesOption = Annotated[
    int | None, typer.Option("--processes", "-n", min=0, help="Processes that judge; default: by size.")
]
DisruptiveOption = Annotated[
    bool,
    typer.Option(
        "--disruptive",
        help="Also checks that interrupt the site: of all that is there twice (legs, leaves, spines, storage "
        "nodes) one is lost, and the others must carry on. What will be interrupted is told first, and asked.",
    ),
]
ColdStartOption = Annotated[
    bool,
    typer.Option(
        "--cold-start",
        help="With --disruptive: restart all switches and servers at once, wait until they are back, and only "
        "then gather facts and judge. Everything that passes then came up by itself.",
    ),
]
SoakHoursOption = Annotated[
    float,
    typer.Option(
        "--soak-hours",
        min=0.0,
        metavar="HOURS",
        help="With --disruptive: keep all rails of all servers busy for so long and allow no error, flap or slowed "
        "clock; 12 is a night, 24 a day. Without it the soak is skipped, and on a real site that leaves the "
        "verdict incomplete.",
    ),
]
InterruptOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before interrupting the site.")]
