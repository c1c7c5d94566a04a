"""Builds the steps of a site's hosts: one for each server that access.yaml names."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from rackproof.connect.ssh import Target
from rackproof.deploy.events import Report, unreported
from rackproof.deploy.nodes.job import Commands, NodeOptions, NodeTask
from rackproof.deploy.nodes.read_state import READ_LIMIT_S
from rackproof.deploy.nodes.shared_run import SharedRuns
from rackproof.deploy.nodes.step import NodeStep
from rackproof.deploy.switch.build_steps import joins_switches
from rackproof.plan.hosts.intent import host_intent
from rackproof.plan.hosts.sources import HostSources
from rackproof.plan.model.plan import Plan
from rackproof.render.host_variables import host_variables, site_variables


@dataclass(frozen=True, slots=True)
class NodeOrder:
    """One host to deploy."""

    variables: Mapping[str, Any]
    """Of the roles: the site's and the host's own."""
    redundancy_group: str
    depends_on: tuple[str, ...] = ()
    contradictions: tuple[str, ...] = ()
    """Contradictions between its hardware and the plan."""


def node_orders(sources: HostSources, names: Iterable[str]) -> dict[str, NodeOrder]:
    """Return orders for the named servers of a plan."""
    shared, needed = site_variables(sources), needed_steps(sources.plan)
    intents = {name: host_intent(sources, name) for name in names}
    return {
        name: NodeOrder({**shared, **host_variables(intent)}, intent.redundancy_group, needed.get(name, ()))
        for name, intent in intents.items()
    }


def needed_steps(plan: Plan) -> dict[str, tuple[str, ...]]:
    """Return for each server the switches and fabric gates of the fabrics it is connected to, management excluded."""
    gated = {link.fabric for link in plan.links if joins_switches(plan, link)}
    found: dict[str, dict[str, None]] = {}
    for link in plan.links:
        if link.kind != "management" and link.b.device in plan.servers:
            steps = found.setdefault(link.b.device, {})
            steps.update(dict.fromkeys(plan.fabrics[link.fabric].switches))
            if link.fabric in gated:
                steps[f"{link.fabric}/gate"] = None
    return {server: tuple(steps) for server, steps in found.items()}


def node_steps(
    orders: Mapping[str, NodeOrder],
    targets: Mapping[str, Target],
    commands: Commands,
    options: NodeOptions | None = None,
    report: Report = unreported,
    controllers: Mapping[str, Target] = MappingProxyType({}),
) -> dict[str, NodeStep]:
    """Return the steps of hosts, by name; they share runs of Ansible.

    Parameters
    ----------
    orders, targets
        Intent and target of each host.
    commands
        Commands that hints name.
    options, report
        See `NodeStep`.
    controllers
        Host to the target of its management controller, where access.yaml has one.
    """
    runs = SharedRuns(options or NodeOptions())
    return {
        name: NodeStep(node_task(order, targets[name], commands, controllers.get(name)), runs, options, report)
        for name, order in orders.items()
        if name in targets
    }


def node_task(order: NodeOrder, target: Target, commands: Commands, controller: Target | None = None) -> NodeTask:
    """Return the task of a host, with the time limit of the state script."""
    limited = replace(target, limits=replace(target.limits, command_s=READ_LIMIT_S))
    return NodeTask(
        limited,
        order.variables,
        order.redundancy_group,
        order.depends_on,
        commands.resume.format(host=target.device),
        commands.discover,
        order.contradictions,
        controller,
    )
