"""The inputs of a switch's resource: plain JSON values, keyed, defaults left out so that the state stays small."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from rackproof.errors import BadInputError
from rackproof.plan.model.plan import SwitchIntent, SwitchPlan
from rackproof.types import Hostname, ModelName

TOKEN = "rackproof:switch:SwitchConfig"  # noqa: S105 Pulumi calls the name of a type its token


@dataclass(frozen=True, slots=True)
class SwitchInputs:
    """The whole configuration of one switch, as its plan intends it."""

    device: Hostname
    """Name of the switch, as access.yaml has it."""
    nos: ModelName
    """Network operating system, as the catalogue has it."""
    model: ModelName
    """Hardware, as the catalogue has it."""
    intent: SwitchIntent
    unmanaged: tuple[str, ...] = ()
    """Starts of lines and blocks that somebody else owns."""
    unexpected: tuple[str, ...] = ()
    """Only read back: lines on the switch that no intent accounts for."""
    missing: tuple[str, ...] = ()
    """Only read back: lines the switch lacks to do what it is configured to do."""


SWITCH_INPUTS = TypeAdapter(SwitchInputs)


def planned_inputs(switch: SwitchPlan) -> SwitchInputs:
    """Return a switch of the plan as the inputs of its resource.

    Raises
    ------
    BadInputError
        Nobody configures this switch.
    """
    if switch.intent is None:
        raise BadInputError(f"{switch.name} is not configured by Rackproof", f"it runs {switch.nos}")
    return SwitchInputs(switch.name, switch.nos, switch.model, switch.intent, switch.unmanaged)


def values_of(inputs: SwitchInputs) -> dict[str, Any]:
    """Return inputs as JSON values."""
    values: dict[str, Any] = SWITCH_INPUTS.dump_python(inputs, mode="json", exclude_defaults=True)
    return values


def inputs_from(values: Mapping[str, Any]) -> SwitchInputs:
    """Return the inputs that JSON values describe.

    Raises
    ------
    pydantic.ValidationError
        A value is missing or has another type.
    """
    return SWITCH_INPUTS.validate_python(values)
