"""The inputs of a host resource: the variables of its roles, by role; without file contents and credentials."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from pydantic import TypeAdapter

from rackproof.deploy.nodes.build_steps import NodeOrder
from rackproof.types import Hostname

TOKEN = "rackproof:node:NodeConfig"  # noqa: S105 Pulumi calls the name of a type its token


@dataclass(frozen=True, slots=True)
class NodeInputs:
    """The intended files and settings of one host, as planned."""

    device: Hostname
    """Name of the host, as access.yaml has it."""
    redundancy_group: str
    """Hosts of one group are never changed at the same time."""
    roles: dict[str, dict[str, Any]]
    """The variables of each role; a change is shown at the role that applies it."""
    differing: tuple[str, ...] = ()
    """Only in refreshed state: what differs on the host from its intended files and settings."""


NODE_INPUTS = TypeAdapter(NodeInputs)


def planned_node(name: str, order: NodeOrder) -> NodeInputs:
    """Return a host of the plan as the inputs of its resource; null values are left out, as Pulumi leaves them out."""
    roles: dict[str, dict[str, Any]] = {}
    for variable, value in order.variables.items():
        if value is not None:
            role, short = role_and_variable(variable)
            roles.setdefault(role, {})[short] = without_none(value)
    return NodeInputs(name, order.redundancy_group, roles)


def without_none(value: Any) -> Any:  # noqa: ANN401 values of any role
    """Return a value without keys whose value is null."""
    if isinstance(value, Mapping):
        return {key: without_none(part) for key, part in value.items() if part is not None}
    return [without_none(part) for part in value] if isinstance(value, list | tuple) else value


def with_missing_keys(value: Any, shape: Any) -> Any:  # noqa: ANN401 likewise
    """Return a list's records with every key that a record of the same list in the plan has; missing ones are null."""
    if not isinstance(value, list) or not isinstance(shape, list | tuple):
        return value
    keys = dict.fromkeys(chain.from_iterable(record for record in shape if isinstance(record, Mapping)))
    return [{**keys, **record} if isinstance(record, Mapping) else record for record in value]


def role_and_variable(variable: str) -> tuple[str, str]:
    """Return the role of a variable, and the rest of its name: the name of a variable begins with its role."""
    for role in ROLE_NAMES:
        if variable.startswith(f"{role}_"):
            return role, variable.removeprefix(f"{role}_")
    return variable.partition("_")[0], variable.partition("_")[2]


ROLE_NAMES = (
    "port_names", "nic_roce", "rdma_stack", "gpu_driver", "container_runtime", "kubernetes_node", "storage_client",
    "server_settings",
)  # fmt: skip
"""Roles whose names contain an underscore."""


def node_order(inputs: NodeInputs, planned: NodeOrder) -> NodeOrder:
    """Return the deploy order of a host.

    Parameters
    ----------
    inputs
        The inputs of its resource.
    planned
        The order of the same host from the plan; it has the keys whose values are null.
    """
    full: dict[str, Any] = {}
    for role, variables in inputs.roles.items():
        named = {f"{role}_{short}": value for short, value in variables.items()}
        full |= {name: with_missing_keys(value, planned.variables.get(name)) for name, value in named.items()}
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
