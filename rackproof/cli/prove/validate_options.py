"""The options of `rackproof validate`; `validation/runner/options.py` has them for pytest."""

from pathlib import Path
from typing import Annotated

import typer

ChecksOption = Annotated[
    str, typer.Option("--checks", "-k", metavar="EXPRESSION", help="Only checks whose names match, as with pytest -k.")
]
FailedOption = Annotated[
    bool, typer.Option("--failed", help="Only checks that did not pass last time; other results are kept.")
]
ReplayOption = Annotated[
    Path | None, typer.Option(metavar="FOLDER", help="Judge the facts of an earlier run; no device is contacted.")
]
CalibrateOption = Annotated[
    bool, typer.Option("--calibrate", help="Record the measurements of a passed run as the baseline of this site.")
]
ProcessesOption = Annotated[
    int | None, typer.Option("--processes", "-n", min=0, help="Processes that judge; default: by the size of the site.")
]
DisruptiveOption = Annotated[
    bool,
    typer.Option(
        "--disruptive",
        help="Also run checks that interrupt the site: of everything redundant (bond legs, leaves, spines, storage "
        "nodes) one is taken down, and the others must carry the traffic. What will be interrupted is listed first, "
        "and you are asked.",
    ),
]
ColdStartOption = Annotated[
    bool,
    typer.Option(
        "--cold-start",
        help="With --disruptive: restart all switches and servers at once, wait until they are back, and only "
        "then gather facts and judge. Everything that passes then came up without help.",
    ),
]
SoakHoursOption = Annotated[
    float,
    typer.Option(
        "--soak-hours",
        min=0.0,
        metavar="HOURS",
        help="With --disruptive: load all rails of all servers for this many hours and allow no error, link flap or "
        "reduced clock; 12 is a night, 24 a day. Without it the soak is skipped, and on a real site the verdict stays "
        "incomplete.",
    ),
]
InterruptOption = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before interrupting the site.")]
