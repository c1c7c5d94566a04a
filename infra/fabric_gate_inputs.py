"""The inputs of a fabric's gate: which switches it stands behind, and what they are meant to be."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from pydantic import TypeAdapter

from infra.switch_inputs import planned_inputs, values_of
from rackproof.plan.model.plan import SwitchPlan
from rackproof.types import Hostname

TOKEN = "rackproof:fabric:FabricGate"  # noqa: S105 Pulumi calls the name of a type its token
FINGERPRINT_LENGTH = 12


@dataclass(frozen=True, slots=True)
class GateInputs:
    """The gate at the end of a fabric: nothing between its switches may still be pending."""

    fabric: Hostname
    """Name of the fabric."""
    switches: dict[str, str] = field(default_factory=dict)
    """Switch to the fingerprint of what it is meant to be: another one, and the gate looks again."""
    pending: tuple[str, ...] = ()
    """Only read back: links and sessions that are not up."""


GATE_INPUTS = TypeAdapter(GateInputs)


def planned_gate(fabric: str, switches: Sequence[SwitchPlan]) -> dict[str, Any]:
    """Return the inputs of the gate of a planned fabric as JSON values."""
    inputs = GateInputs(fabric, {switch.name: fingerprint(switch) for switch in switches})
    values: dict[str, Any] = GATE_INPUTS.dump_python(inputs, mode="json", exclude_defaults=True)
    return values


def fingerprint(switch: SwitchPlan) -> str:
    """Return a short text that differs where a switch is meant to be something else."""
    text = json.dumps(values_of(planned_inputs(switch)), sort_keys=True)
    return sha256(text.encode()).hexdigest()[:FINGERPRINT_LENGTH]
