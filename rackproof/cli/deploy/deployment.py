"""What the deploying verbs share: from a site to its steps, and how differences are told."""

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from rackproof.cli.output import Output
from rackproof.cli.plan.load_plan import planned_for_access
from rackproof.connect.access import LoadedAccess, access_file, load_access
from rackproof.connect.ssh import Target
from rackproof.deploy.events import Report, unreported
from rackproof.deploy.nodes.build_steps import node_orders, node_steps
from rackproof.deploy.nodes.firmware_settings import left_alone
from rackproof.deploy.nodes.job import Commands, NodeOptions
from rackproof.deploy.nodes.step import NodeStep
from rackproof.deploy.protocol import Step
from rackproof.deploy.scheduler import Compared
from rackproof.deploy.switch.build_steps import gates, selected, selected_servers, switch_orders, switch_step
from rackproof.deploy.switch.job import SwitchOptions
from rackproof.deploy.switch.read import SwitchState
from rackproof.deploy.switch.step import SwitchStep
from rackproof.deploy.switch.unchanged_cache import Verified, VerifiedDevice, digest, remember
from rackproof.errors import RackproofError
from rackproof.gather.discover import bring_record_up_to_date, without_record
from rackproof.plan.from_file import PlannedSite, host_sources
from rackproof.plural import counted
from rackproof.site.as_built import FILE_NAME, AsBuilt, load_as_built

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class DeployableSite:
    """A planned site and how its chosen devices are reached."""

    planned: PlannedSite
    asked: str
    """The site as the user named it."""
    access: LoadedAccess
    targets: dict[str, Target]
    """Switch, then host, to how it is reached, in the plan's order."""
    export_only: tuple[str, ...]
    """Switches that were chosen with the whole site, and that no verb connects to."""
    as_built: AsBuilt
    """What was found in the hosts."""
    contradictions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Host to what was found in it against the plan, where nothing could be recorded."""

    @property
    def name(self) -> str:
        """Name of the site."""
        return self.planned.plan.site

    @property
    def hosts(self) -> tuple[str, ...]:
        """The chosen hosts."""
        return tuple(name for name in self.targets if name in self.planned.plan.servers)

    def steps(self, options: SwitchOptions, report: Report = unreported) -> dict[str, Step[Any]]:
        """Return the steps of the chosen devices, by name."""
        return {**self.switch_steps(options, report), **self.node_steps(options, report)}

    def node_steps(self, options: SwitchOptions, report: Report) -> dict[str, NodeStep]:
        """Return the steps of the chosen hosts, by name."""
        if not self.hosts:
            return {}
        orders = node_orders(host_sources(self.planned, self.as_built), self.hosts)
        orders = {name: replace(one, contradictions=self.contradictions.get(name, ())) for name, one in orders.items()}
        commands = Commands(f"`rackproof up {self.asked} --only {{host}}`", f"rackproof discover {self.asked}")
        allowed = NodeOptions(allow_disruption=options.allow_disruption)
        return node_steps(orders, self.targets, commands, allowed, report, self.controllers)

    @property
    def controllers(self) -> dict[str, Target]:
        """Chosen host to how its management controller is reached, where access.yaml says it."""
        return {name: target for name in self.hosts if (target := self.access.controller(name))}

    @property
    def left_alone(self) -> str:
        """Of which chosen hosts the BIOS is left alone, and why, in one sentence; empty: of none."""
        return left_alone(self.planned, self.hosts, self.access)

    def switch_steps(self, options: SwitchOptions, report: Report) -> dict[str, SwitchStep]:
        """Return the steps of the chosen switches, by name."""
        confirmed: set[str] = set()
        orders = switch_orders(self.planned.plan, self.targets)
        return {
            order.target.device: switch_step(order, self.planned.catalogue, options, confirmed, report)
            for order in orders
        }

    def gates(self, steps: Mapping[str, Step[Any]], options: SwitchOptions) -> Sequence[Any]:
        """Return the gates of the fabrics whose switches are all chosen."""
        switches = {name: step for name, step in steps.items() if isinstance(step, SwitchStep)}
        return gates(self.planned.plan, switches, options)


def deployable_site(site: str, access: Path | None, only: Sequence[str], output: Output) -> DeployableSite:
    """Return a site with the access to its chosen switches and hosts.

    Raises
    ------
    BadInputError
        There is no such site, it is wrong, or access.yaml is missing, wrong or incomplete.
    """
    planned = planned_for_access(site, access, output)
    loaded = load_access(access_file(planned.plan.site, access))
    output.note(f"devices are reached as {loaded.path} says")
    servers = selected_servers(planned.plan, only, loaded.access.devices)
    targets = {name: loaded.target(name) for name in (*selected(planned.plan, only), *servers)}
    exported = () if only else planned.plan.export_only()
    chosen = DeployableSite(planned, site, loaded, targets, exported, load_as_built(loaded.path.parent / FILE_NAME))
    if chosen.left_alone:
        output.note(chosen.left_alone)
    return chosen


def with_record(chosen: DeployableSite, output: Output, *, keep: bool) -> DeployableSite:
    """Return a site that knows where the ports of its hosts are: hosts that nobody has asked yet are asked now.

    Parameters
    ----------
    chosen
        The site and the devices that were chosen.
    output
        Told what was found.
    keep
        Whether what was found is recorded beside access.yaml, or only held against the plan.
    """
    new = without_record(chosen.planned.plan, chosen.as_built, chosen.hosts)
    if not new:
        return chosen
    with output.progress(f"asking {len(new)} servers what is in them"):
        done = run_to_end(bring_record_up_to_date(chosen.planned, chosen.access, new, keep=keep))
    if found := ", ".join(done.survey.well):
        output.note(f"{found}: ports found; " + (f"recorded in {done.path}" if done.changed else "not recorded yet"))
    against = {one.server: tuple(map(str, one.contradictions)) for one in done.survey.compared if one.contradictions}
    return replace(chosen, as_built=done.record, contradictions=against)


def run_to_end(work: Coroutine[Any, Any, T], left: "Sequence[str] | set[str]" = ()) -> T:
    """Run asynchronous work; Ctrl-C once lets it end well, a second time says what is left.

    Raises
    ------
    RackproofError
        The user did not wait.
    """
    try:
        return asyncio.run(work)
    except KeyboardInterrupt as error:
        devices = ", ".join(sorted(left))
        if not devices:
            raise
        message = f"stopped at once, with changes under way on {devices}"
        hint = "a switch returns by its own timer, within half an hour, a host keeps what was done; then run it again"
        raise RackproofError(message, hint) from error


def remember_unchanged(chosen: DeployableSite, compared: Sequence[Compared]) -> None:
    """Keep which devices were found to be as intended, for the next comparison; a choice of them tells too little."""
    plan, loaded = chosen.planned.plan, chosen.planned.loaded
    if plan.export_only() or not plan.intents().keys() <= {one.step for one in compared}:
        return
    devices = {
        one.step: VerifiedDevice(plan.switches[one.step].fabric, plan.switches[one.step].nos, digest(one.state.running))
        for one in compared
        if not one.changes and isinstance(one.state, SwitchState)
    }
    complete = devices.keys() == plan.intents().keys()
    remember(loaded.path, Verified(plan.site, devices, complete, chosen.planned.warnings))


def change_records(compared: Compared) -> list[dict[str, object]]:
    """Return the changes of one device as a program reads them."""
    return [
        {
            "path": list(change.path),
            "before": change.before,
            "after": change.after,
            "text": change.text,
            "disruption": change.disruption,
            "disturbs": list(change.disturbs),
        }
        for change in compared.changes
    ]


def comparison_record(compared: Compared) -> dict[str, object]:
    """Return what was found about one device as a program reads it."""
    error = compared.error
    found: dict[str, object] = {"device": compared.step, "changes": change_records(compared)}
    return found if error is None else {**found, "error": {"message": error.cause, "hint": error.hint}}


def show_comparison(output: Output, compared: Sequence[Compared], export_only: Sequence[str] = ()) -> None:
    """Tell a person what differs, device by device."""
    for one in compared:
        if one.error is not None:
            output.line(f"{one.step}: could not be read: {one.error.cause}", "red")
            if one.error.hint:
                output.line(f"  {one.error.hint}", "dim")
        elif one.changes:
            output.line(f"{one.step}: {counted(len(one.changes), 'change')}", "bold")
            for change in one.changes:
                output.line(f"  {change}")
                if change.disturbs:
                    output.line(f"    interrupts {', '.join(change.disturbs)}", "yellow")
    unchanged = sum(not one.changes and one.error is None for one in compared)
    if unchanged:
        output.line(f"{counted(unchanged, 'device')} without changes", "green")
    for name in export_only:
        output.line(f"{name}: export only, not compared", "yellow")
