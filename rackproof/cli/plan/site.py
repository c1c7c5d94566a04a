"""Verbs that work on the site file alone: check, plan, render, schema."""

import json
from pathlib import Path
from typing import Annotated

import typer

from rackproof.cli.excerpt import shown_path
from rackproof.cli.options import JsonOption, SiteArgument
from rackproof.cli.output import reporting
from rackproof.cli.plan.load_plan import planned_site
from rackproof.paths import build_folder

verbs = typer.Typer()


@verbs.command()
def check(site: SiteArgument, *, as_json: JsonOption = False) -> None:
    """Check a site file: schema, rules, and whether everything fits.

    All errors are shown at once, each with its place and what to do. Warnings stop nothing.

    `rackproof check metrum-h200` checks a site of inventory/, `rackproof check path/to/site.yaml` any file.
    """
    with reporting(as_json=as_json) as output:
        planned = planned_site(site, output)
        plan = planned.plan
        counts = {
            "racks": len(plan.racks),
            "servers": len(plan.servers),
            "switches": len(plan.switches),
            "cables": len(plan.assemblies),
        }
        has = ", ".join(f"{word}: {number}" for word, number in counts.items())
        output.line(f"{plan.site}: no errors ({has})", "green")
        output.result(site=plan.site, **counts)


@verbs.command()
def plan(
    site: SiteArgument,
    *,
    fabric: Annotated[str | None, typer.Option(help="Show one fabric: its subnets, and every port on it.")] = None,
    device: Annotated[str | None, typer.Option(help="Show one server or switch: its ports, cables and power.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show what a site file becomes: fabrics, addresses, cables, power, and what was assumed.

    `rackproof plan metrum-h200` gives the overview, `--fabric backend` its rails and ports, `--device gpu-001` what is
    plugged into one server, and `--json` all of it for a program.
    """
    from rackproof.cli.plan.plan_views import device_tables, fabric_tables, overview  # noqa: PLC0415 not needed to start

    with reporting(as_json=as_json) as output:
        planned = planned_site(site, output)
        if device is not None:
            views, record = device_tables(planned.plan, device)
        elif fabric is not None:
            views, record = fabric_tables(planned.plan, fabric)
        else:
            views, record = overview(planned.plan)
        for view in views:
            output.table(view.title, view.columns, view.rows)
        output.result(**record)


@verbs.command()
def render(
    site: SiteArgument,
    *,
    folder: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder to write to.", show_default="build/<site>")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write everything a site file becomes: switch configuration, cable schedule, addresses, ports, plan.

    `rackproof render metrum-h200` writes build/metrum-h200. The same site file gives the same bytes; what was there
    before is replaced when all of it is ready.
    """
    with reporting(as_json=as_json) as output:
        planned = planned_site(site, output)
        from rackproof.render.site import render_site  # noqa: PLC0415 templates are not needed to find an error

        rendered = render_site(planned.plan, planned.catalogue, folder or build_folder(planned.plan.site))
        did = "Written to" if rendered.changed else "Nothing to change in"
        rows = [(file.relative_to(rendered.folder), file.stat().st_size) for file in rendered.files]
        output.table(f"{did} {shown_path(rendered.folder)}", ("file", "bytes"), rows)
        output.result(folder=rendered.folder, changed=rendered.changed, files=rendered.files)


@verbs.command()
def schema(
    *,
    file: Annotated[Path | None, typer.Option("--output", "-o", help="File to write.", show_default="stdout")] = None,
    as_json: JsonOption = False,
) -> None:
    """Print the JSON Schema of the site file, with which editors complete and check it.

    `rackproof schema -o site.schema.json`, and in the site file: `# yaml-language-server: $schema=site.schema.json`.
    """
    from rackproof.site.schema import json_schema  # noqa: PLC0415 not needed to start

    with reporting(as_json=as_json) as output:
        document = json_schema()
        text = json.dumps(document, indent=2)
        if file is None:
            output.line(text)
        else:
            file.write_text(text + "\n", encoding="utf-8")
            output.line(f"written: {file}")
        output.result(schema=document)
