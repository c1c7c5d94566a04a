"""Hosts: a resource is the intended files and settings of one host, applied by its deploy step."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from typing_extensions import override

from infra.inputs.node import NODE_INPUTS, TOKEN, NodeInputs, node_from, node_order, node_values, planned_node
from infra.provider.common.difference import detailed_difference
from infra.provider.common.input_check import problems_of_type
from infra.provider.common.json_schema import object_type
from infra.provider.common.kind import InputProblem, ResourceKind, Settings
from infra.provider.common.properties import JsonMap
from infra.provider.common.site_view import site_view
from rackproof.deploy.events import Report, unreported
from rackproof.deploy.nodes.build_steps import NodeOrder, node_task
from rackproof.deploy.nodes.job import Commands, NodeOptions
from rackproof.deploy.nodes.read_state import NodeState
from rackproof.deploy.nodes.step import NodeStep
from rackproof.deploy.protocol import Change

MODULE: Final = "rackproof:node"
RESUME: Final = "`pulumi up`"
DISCOVER: Final = "rackproof discover {site}"


class NodeKind(ResourceKind[NodeStep]):
    """The resource type of hosts."""

    token = TOKEN
    summary = "The files and settings of one host, as planned."
    identity = "device"

    @override
    def input_types(self) -> tuple[dict[str, Any], dict[str, Any]]:
        schema = NODE_INPUTS.json_schema()
        # The variables of a role are any values: Pulumi's schema language says so with a type of its own.
        anything = {"type": "object", "additionalProperties": {"$ref": "pulumi.json#/Any"}}
        typed = {**schema["properties"], "roles": {"type": "object", "additionalProperties": {"type": "string"}}}
        described = object_type({**schema, "properties": typed}, MODULE)
        described["properties"]["roles"] = {"type": "object", "additionalProperties": anything}
        return described, {}

    @override
    def problems(self, inputs: JsonMap) -> Iterator[InputProblem]:
        yield from problems_of_type(NODE_INPUTS, inputs, ())

    @override
    def claim(self, settings: Settings) -> None:
        site_view(settings).claim()

    @override
    def to_deploy(self, inputs: JsonMap, settings: Settings, report: Report) -> NodeStep:
        return _step(node_from(inputs), settings, report)

    @override
    def to_find(self, name: str, inputs: JsonMap, settings: Settings) -> NodeStep:
        held = node_from(inputs) if inputs else planned_node(name, site_view(settings).node_order(name))
        return _step(held, settings, unreported)

    @override
    def found(self, inputs: JsonMap, step: NodeStep, state: NodeState) -> JsonMap:
        """Return the inputs of the state with the differences on the host; it does not show the variables of roles."""
        order = NodeOrder(step.task.variables, step.task.redundancy_group)
        known = node_from(inputs) if inputs else planned_node(step.name, order)
        return node_values(replace(known, differing=tuple(map(str, step.diff(state)))))

    @override
    def changes(self, old: JsonMap, new: JsonMap) -> tuple[Change, ...]:
        """Return the changes in the variables of each role, and the differences that were found on the host."""
        before, after = node_from(old), node_from(new)
        keys = detailed_difference(before.roles, after.roles, frozenset())
        drift = (Change(("host", text), text, None, f"on the host: {text}") for text in before.differing)
        return (*(_variable(key, before, after) for key in keys), *drift)


def _variable(key: str, before: NodeInputs, after: NodeInputs) -> Change:
    """Return the change of one variable of a role."""
    role = key.partition(".")[0]
    return Change((role, key), before.roles.get(role), after.roles.get(role), f"role {role}: {key} changes")


def _step(inputs: NodeInputs, settings: Settings, report: Report) -> NodeStep:
    site = site_view(settings)
    planned = site.node_order(inputs.device) if inputs.device in site.plan.servers else NodeOrder({}, inputs.device)
    order = node_order(inputs, planned)
    commands = Commands(RESUME, DISCOVER.format(site=settings.site))
    controller = site.controller(inputs.device, settings)
    task = node_task(order, site.target(inputs.device, settings), commands, controller)
    return NodeStep(task, site.node_runs, NodeOptions(allow_disruption=settings.allow_disruption), report)


KIND = NodeKind()
