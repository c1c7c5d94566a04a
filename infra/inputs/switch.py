"""The inputs of a switch resource as plain JSON; defaults are left out, so that the state stays small."""

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
    """The whole configuration of one switch, as planned."""

    device: Hostname
    """Name of the switch, as access.yaml has it."""
    nos: ModelName
    """Network operating system, as the catalogue has it."""
    model: ModelName
    """Hardware, as the catalogue has it."""
    intent: SwitchIntent
    unmanaged: tuple[str, ...] = ()
    """Prefixes of configuration lines and blocks that Rackproof does not manage."""
    unexpected: tuple[str, ...] = ()
    """Only in refreshed state: configuration lines on the switch that the intent does not explain."""
    missing: tuple[str, ...] = ()
    """Only in refreshed state: configuration lines that the intent needs and the switch does not have."""
    unfinished: tuple[str, ...] = ()
    """Only in refreshed state: an armed return, an unsaved configuration, files of an interrupted deployment."""


SWITCH_INPUTS = TypeAdapter(SwitchInputs)


def planned_inputs(switch: SwitchPlan) -> SwitchInputs:
    """Return a switch of the plan as the inputs of its resource.

    Raises
    ------
    BadInputError
        Rackproof does not configure this switch.
    """
    if switch.intent is None:
        raise BadInputError(f"{switch.name} is not configured by Rackproof", f"it runs {switch.nos}")
    return SwitchInputs(switch.name, switch.nos, switch.model, switch.intent, switch.unmanaged)


def switch_values(inputs: SwitchInputs) -> dict[str, Any]:
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
