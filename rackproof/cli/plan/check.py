"""`rackproof check`: whether a site file is right."""

import typer

from rackproof.cli.load_plan import planned_site
from rackproof.cli.options import JsonOption, SiteArgument
from rackproof.cli.output import reporting

verbs = typer.Typer()


@verbs.command()
def check(site: SiteArgument, *, as_json: JsonOption = False) -> None:
    """Check a site file: schema, rules, and whether everything fits.

    All errors are shown at once, each with its place and what to do. Warnings do not fail the check.

    `rackproof check metrum-h200` checks a site of inventory/, `rackproof check path/to/site.yaml` any file.
    """
    with reporting(as_json=as_json) as output:
        plan = planned_site(site, output).plan
        counts = {
            "racks": len(plan.racks),
            "servers": len(plan.servers),
            "switches": len(plan.switches),
            "cables": len(plan.assemblies),
        }
        has = ", ".join(f"{word}: {number}" for word, number in counts.items())
        output.line(f"{plan.site}: no errors ({has})", "green")
        output.result(site=plan.site, **counts)
