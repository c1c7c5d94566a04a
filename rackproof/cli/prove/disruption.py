"""What a validation is going to interrupt, told to a person before it happens."""

from pathlib import Path
from typing import NamedTuple

from rackproof.cli.deploy.switches_and_nodes import confirmed_by_user
from rackproof.cli.output import Output
from rackproof.connect.access import load_access
from rackproof.deploy.switch.build_steps import selected, selected_servers
from rackproof.measure.outage.selection import disruptions
from rackproof.measure.traffic.participants import TrafficSite
from rackproof.plan.model.plan import Plan


class Wish(NamedTuple):
    """What was asked for beside the disruptive checks themselves."""

    only: tuple[str, ...]
    checks: str
    cold_start: bool
    soak_hours: float


def agreed(plan: Plan, access: Path, wish: Wish, output: Output, *, ask: bool) -> None:
    """Tell what is going to be interrupted, and ask whether to go on.

    Raises
    ------
    BadInputError
        The access.yaml cannot be used, or nobody can answer.
    typer.Abort
        The answer is no.
    """
    reached = load_access(access).access.devices
    here = TrafficSite(
        plan, frozenset(name for name in plan.servers if name in reached), rehearsal=False, accelerators={}
    )
    chosen = (*selected(plan, wish.only), *selected_servers(plan, wish.only, reached)) if wish.cold_start else ()
    told = list(disruptions(here, reached, wish.soak_hours, [name for name in chosen if name in reached]))
    chosen_of = f", as far as -k '{wish.checks}' chooses the check" if wish.checks else ""
    output.line(f"This interrupts the site{chosen_of}:" if told else "There is nothing to interrupt here.")
    for sentence in told:
        output.line(f"  {sentence}", "yellow")
    output.result(interrupted=told)
    if ask and told:
        confirmed_by_user(output, "Interrupt it now?", "to interrupt the site")
