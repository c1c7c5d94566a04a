"""The inputs of a host's resource: what its files and settings follow from, keyed; no file's text, no credential."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from rackproof.deploy.nodes.build_steps import NodeOrder
from rackproof.types import Hostname

TOKEN = "rackproof:node:NodeConfig"  # noqa: S105 Pulumi calls the name of a type its token


@dataclass(frozen=True, slots=True)
class NodeInputs:
    """What one host must hold, as its plan intends it."""

    device: Hostname
    """Name of the host, as access.yaml has it."""
    redundancy_group: str
    """Hosts of one group are never brought up at the same time."""
    roles: dict[str, dict[str, Any]]
    """Role to its variables: a change of one shows in the role that brings it about."""
    differing: tuple[str, ...] = ()
    """Only read back: what differs on the host from what it must hold."""


NODE_INPUTS = TypeAdapter(NodeInputs)


def planned_node(name: str, order: NodeOrder) -> NodeInputs:
    """Return a host of the plan as the inputs of its resource; what holds nothing is left out, as Pulumi does."""
    roles: dict[str, dict[str, Any]] = {}
    for variable, value in order.variables.items():
        if value is not None:
            role, short = role_of(variable)
            roles.setdefault(role, {})[short] = without_nothing(value)
    return NodeInputs(name, order.redundancy_group, roles)


def without_nothing(value: Any) -> Any:  # noqa: ANN401 values of any role
    """Return a value without the keys that hold nothing."""
    if isinstance(value, Mapping):
        return {key: without_nothing(part) for key, part in value.items() if part is not None}
    return [without_nothing(part) for part in value] if isinstance(value, list | tuple) else value


def with_nothing(value: Any, shape: Any) -> Any:  # noqa: ANN401 likewise
    """Return a list's records with every key that a record of the same list in the plan has."""
    if not isinstance(value, list) or not isinstance(shape, list | tuple):
        return value
    keys = dict.fromkeys(key for record in shape if isinstance(record, Mapping) for key in record)
    return [{**keys, **record} if isinstance(record, Mapping) else record for record in value]


def role_of(variable: str) -> tuple[str, str]:
    """Return the role of a variable, and its name in it: every role's variables begin with its name."""
    for role in ROLE_NAMES:
        if variable.startswith(f"{role}_"):
            return role, variable.removeprefix(f"{role}_")
    return variable.partition("_")[0], variable.partition("_")[2]


ROLE_NAMES = (
    "port_names", "nic_roce", "rdma_stack", "gpu_driver", "container_runtime", "kubernetes_node", "storage_client",
    "server_settings",
)  # fmt: skip
"""Roles whose names have more than one word."""


def order_of(inputs: NodeInputs, planned: NodeOrder) -> NodeOrder:
    """Return what a host is asked to be.

    Parameters
    ----------
    inputs
        What is asked.
    planned
        The host as the plan has it, for the keys that hold nothing.
    """
    asked = {f"{role}_{name}": value for role, held in inputs.roles.items() for name, value in held.items()}
    full = {name: with_nothing(value, planned.variables.get(name)) for name, value in asked.items()}
    return NodeOrder({**dict.fromkeys(planned.variables), **full}, inputs.redundancy_group)


def node_values(inputs: NodeInputs) -> dict[str, Any]:
    """Return inputs as JSON values."""
    values: dict[str, Any] = NODE_INPUTS.dump_python(inputs, mode="json", exclude_defaults=True)
    return values


def node_from(values: Mapping[str, Any]) -> NodeInputs:
    """Return the inputs that JSON values describe.

    Raises
    ------
    pydantic.ValidationError
        A value is missing or has another type.
    """
    return NODE_INPUTS.validate_python(values)
