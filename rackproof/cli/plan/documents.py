"""`rackproof documents`: the spreadsheets, labels, pictures and book of a site."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from rackproof.cli.excerpt import shown_path
from rackproof.cli.load_plan import planned_site
from rackproof.cli.options import FolderOption, JsonOption, SiteArgument
from rackproof.cli.output import reporting
from rackproof.paths import build_folder

if TYPE_CHECKING:
    from collections.abc import Iterable

verbs = typer.Typer()


@verbs.command()
def documents(site: SiteArgument, *, folder: FolderOption = None, as_json: JsonOption = False) -> None:
    """Write the documents for building a site: bill of materials, cable schedule, labels, pictures, and the site book.

    `rackproof documents metrum-h200` writes build/metrum-h200/documents; open book.html there first. `rackproof render`
    does not write them, because spreadsheets, PDF and pictures take longer than all other files: a moment for a few
    racks, a minute for thousands of servers.
    """
    with reporting(as_json=as_json) as output:
        planned = planned_site(site, output)
        from rackproof.render.documents.site import render_documents  # noqa: PLC0415 not needed to find an error

        made = render_documents(planned.plan, planned.catalogue, folder or build_folder(planned.plan.site))
        did = "Written to" if made.changed else "Nothing to change in"
        output.table(f"{did} {shown_path(made.folder)}", ("document", "files", "bytes"), _rows(made.folder, made.files))
        output.result(folder=made.folder, changed=made.changed, files=made.files)


def _rows(folder: Path, files: Iterable[Path]) -> list[tuple[str, int, int]]:
    """Return one row for each document, and one for each folder of documents: name, files, bytes."""
    sizes: dict[str, list[int]] = defaultdict(list)
    for file in files:
        path = file.relative_to(folder)
        sizes[path.name if path.parent == Path() else f"{path.parent}/"].append(file.stat().st_size)
    return [(name, len(found), sum(found)) for name, found in sorted(sizes.items())]
