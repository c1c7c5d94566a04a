"""A validation that interrupts the site: what it will interrupt, printed and confirmed before it starts."""

from pathlib import Path
from typing import NamedTuple

from rackproof.cli.confirmation import confirm_or_abort
from rackproof.cli.output import Output
from rackproof.connect.access import load_access
from rackproof.deploy.switch.build_steps import selected, selected_servers
from rackproof.measure.outage.selection import disruptions
from rackproof.measure.traffic.participants import TrafficSite
from rackproof.plan.model.plan import Plan


class Selection(NamedTuple):
    """The options of a disruptive validation."""

    only: tuple[str, ...]
    checks: str
    cold_start: bool
    soak_hours: float


def confirm_disruption(plan: Plan, access: Path, selection: Selection, output: Output, *, ask: bool) -> None:
    """Print what is going to be interrupted, and ask whether to go on.

    Raises
    ------
    BadInputError
        The access.yaml cannot be used, or there is no terminal to ask.
    typer.Abort
        The answer is no.
    """
    reached = load_access(access).access.devices
    servers = frozenset(name for name in plan.servers if name in reached)
    here = TrafficSite(plan, servers, rehearsal=False, accelerators={})
    restarted = (
        (*selected(plan, selection.only), *selected_servers(plan, selection.only, reached))
        if selection.cold_start
        else ()
    )
    told = list(disruptions(here, reached, selection.soak_hours, [name for name in restarted if name in reached]))
    limit = f" (only checks that match -k '{selection.checks}' run)" if selection.checks else ""
    output.line(f"This interrupts the site{limit}:" if told else "There is nothing to interrupt here.")
    for sentence in told:
        output.line(f"  {sentence}", "yellow")
    output.result(interrupted=told)
    if ask and told:
        confirm_or_abort(output, "Interrupt it now?", "to interrupt the site without being asked")
