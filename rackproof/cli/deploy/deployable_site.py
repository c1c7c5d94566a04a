"""A planned site with access to its chosen devices, and the deployment steps of these devices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rackproof.cli.deploy.run_to_end import run_to_end
from rackproof.cli.load_plan import planned_for_access
from rackproof.cli.output import Output
from rackproof.connect.access import LoadedAccess, access_file, load_access
from rackproof.connect.ssh import Target
from rackproof.deploy.events import Report, unreported
from rackproof.deploy.nodes.build_steps import node_orders, node_steps
from rackproof.deploy.nodes.firmware_settings import left_alone
from rackproof.deploy.nodes.job import Commands, NodeOptions
from rackproof.deploy.nodes.step import NodeStep
from rackproof.deploy.protocol import Step
from rackproof.deploy.switch.build_steps import fabric_gates, selected, selected_servers, switch_orders, switch_step
from rackproof.deploy.switch.job import SwitchOptions
from rackproof.deploy.switch.step import SwitchStep
from rackproof.gather.discover import bring_record_up_to_date, without_record
from rackproof.plan.from_file import PlannedSite, host_sources
from rackproof.site.as_built import FILE_NAME, AsBuilt, load_as_built


@dataclass(frozen=True, slots=True)
class DeployableSite:
    """A planned site with access to its chosen devices."""

    planned: PlannedSite
    asked: str
    """The site as the user named it."""
    access: LoadedAccess
    targets: dict[str, Target]
    """Access to each switch, then to each host, in the plan's order."""
    export_only: tuple[str, ...]
    """Switches that were chosen with the whole site, and that no verb connects to."""
    as_built: AsBuilt
    """The recorded ports and serial numbers of the hosts."""
    contradictions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """For each host, what contradicts the plan in it; such a host is not recorded."""

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
        """Access to the management controllers of the chosen hosts, where access.yaml names them."""
        return {name: target for name in self.hosts if (target := self.access.controller(name))}

    @property
    def left_alone(self) -> str:
        """A sentence that names the chosen hosts whose BIOS is not configured, and why; empty: there are none."""
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
        return fabric_gates(self.planned.plan, switches, options)


def deployable_site(site: str, access: Path | None, only: Sequence[str], output: Output) -> DeployableSite:
    """Return a site with the access to its chosen switches and hosts.

    Raises
    ------
    BadInputError
        There is no such site, it is wrong, or access.yaml is missing, wrong or incomplete.
    """
    planned = planned_for_access(site, access, output)
    loaded = load_access(access_file(planned.plan.site, access))
    output.note(f"access to devices: {loaded.path}")
    servers = selected_servers(planned.plan, only, loaded.access.devices)
    targets = {name: loaded.target(name) for name in (*selected(planned.plan, only), *servers)}
    exported = () if only else planned.plan.export_only()
    chosen = DeployableSite(planned, site, loaded, targets, exported, load_as_built(loaded.path.parent / FILE_NAME))
    if chosen.left_alone:
        output.note(chosen.left_alone)
    return chosen


def with_record(chosen: DeployableSite, output: Output, *, keep: bool) -> DeployableSite:
    """Return the site with the recorded ports of its hosts; hosts without a record are discovered now.

    Parameters
    ----------
    chosen
        The site and the devices that were chosen.
    output
        Where the discovered hosts are printed.
    keep
        Whether discovered ports are recorded beside access.yaml, or only compared with the plan.
    """
    new = without_record(chosen.planned.plan, chosen.as_built, chosen.hosts)
    if not new:
        return chosen
    with output.progress(f"reading the ports of {len(new)} servers"):
        done = run_to_end(bring_record_up_to_date(chosen.planned, chosen.access, new, keep=keep))
    if found := ", ".join(done.survey.consistent):
        recorded = (
            f"recorded in {done.path}" if done.changed else "not recorded yet (`rackproof discover` records them)"
        )
        output.note(f"{found}: ports found; {recorded}")
    against = {one.server: tuple(map(str, one.contradictions)) for one in done.survey.compared if one.contradictions}
    return replace(chosen, as_built=done.record, contradictions=against)
