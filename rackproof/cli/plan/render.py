"""`rackproof render`: the generated files of a site."""

import typer

from rackproof.cli.excerpt import shown_path
from rackproof.cli.load_plan import planned_site
from rackproof.cli.options import FolderOption, JsonOption, SiteArgument
from rackproof.cli.output import reporting
from rackproof.paths import build_folder

verbs = typer.Typer()


@verbs.command()
def render(site: SiteArgument, *, folder: FolderOption = None, as_json: JsonOption = False) -> None:
    """Write the files of a site: switch configuration, cable schedule, addresses, ports, plan.json.

    `rackproof render metrum-h200` writes build/metrum-h200. The same site file always gives the same bytes. Earlier
    files are replaced only when all new ones are ready. Files that Rackproof did not write are never replaced or
    removed: a folder that holds such files under the same names is refused.
    """
    with reporting(as_json=as_json) as output:
        planned = planned_site(site, output)
        from rackproof.render.site import render_site  # noqa: PLC0415 templates are not needed to find an error

        rendered = render_site(planned.plan, planned.catalogue, folder or build_folder(planned.plan.site))
        did = "Written to" if rendered.changed else "Nothing to change in"
        rows = [(file.relative_to(rendered.folder), file.stat().st_size) for file in rendered.files]
        output.table(f"{did} {shown_path(rendered.folder)}", ("file", "bytes"), rows)
        output.result(folder=rendered.folder, changed=rendered.changed, files=rendered.files)
