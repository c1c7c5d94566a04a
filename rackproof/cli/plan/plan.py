"""`rackproof plan`: the plan of a site as tables."""

from typing import Annotated

import typer

from rackproof.cli.load_plan import planned_site
from rackproof.cli.options import JsonOption, SiteArgument
from rackproof.cli.output import reporting

verbs = typer.Typer()


@verbs.command()
def plan(
    site: SiteArgument,
    *,
    fabric: Annotated[str | None, typer.Option(help="Show one fabric: its subnets, and every port on it.")] = None,
    device: Annotated[str | None, typer.Option(help="Show one server or switch: its ports, cables and power.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the plan of a site: fabrics, addresses, cables, power, what was assumed, and what reaches what.

    `rackproof plan metrum-h200` shows the overview, `--fabric backend` the rails and ports of one fabric,
    `--device gpu-001` the ports and cables of one server; `--json` prints the whole plan.
    """
    from rackproof.cli.plan.plan_views import device_tables, fabric_tables, overview  # noqa: PLC0415 not needed to start
    from rackproof.cli.plan.reachability_views import (  # noqa: PLC0415 likewise
        device_reachability,
        reachability_view,
    )

    with reporting(as_json=as_json) as output:
        planned = planned_site(site, output)
        if device is not None:
            views, record = device_tables(planned.plan, device)
            views = (*views, *device_reachability(planned.plan, planned.catalogue, device))
        elif fabric is not None:
            views, record = fabric_tables(planned.plan, fabric)
        else:
            views, record = overview(planned.plan)
            reached = tuple(reachability_view(planned.plan, planned.catalogue))
            views = (*views, *reached)
            record = {**record, "reachability": reached}
        for view in views:
            output.table(view.title, view.columns, view.rows)
        output.result(**record)
