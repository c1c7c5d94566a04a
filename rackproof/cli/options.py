"""Arguments and options that several verbs have."""

from pathlib import Path
from typing import Annotated

import typer


def complete_site(incomplete: str) -> list[str]:
    """Return the sites of ``inventory/`` that begin so, for the shell's completion."""
    from rackproof.site.load import site_names  # noqa: PLC0415 not needed to start

    return [name for name in site_names() if name.startswith(incomplete)]


SiteArgument = Annotated[
    str,
    typer.Argument(
        metavar="SITE", help="Name of a site in inventory/, or the path of a site file.", autocompletion=complete_site
    ),
]
"""The site a verb works on; `rackproof.site.load.find_site` gives its file."""

AccessOption = Annotated[
    Path | None,
    typer.Option(
        help="The access.yaml that says how devices are reached.",
        show_default="build/<site>/lab/access.yaml of a lab that is up, else inventory/<site>/access.yaml",
    ),
]
OnlyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--only",
        metavar="NAME",
        help="Only this switch, scalable unit, fabric, server or group of servers; may be repeated.",
    ),
]
FolderOption = Annotated[
    Path | None, typer.Option("--output", "-o", help="Folder to write to.", show_default="build/<site>")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document for a program.")]
"""Whether a program reads the output."""
