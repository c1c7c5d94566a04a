"""The inputs of a fabric gate: the fabric, and a fingerprint of each switch, so that a change repeats the check."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from pydantic import TypeAdapter

from infra.inputs.switch import planned_inputs, switch_values
from rackproof.plan.model.plan import SwitchPlan
from rackproof.types import Hostname

TOKEN = "rackproof:fabric:FabricGate"  # noqa: S105 Pulumi calls the name of a type its token
FINGERPRINT_LENGTH = 12


@dataclass(frozen=True, slots=True)
class GateInputs:
    """The gate of a fabric: every link and session between its switches is up."""

    fabric: Hostname
    """Name of the fabric."""
    switches: dict[str, str] = field(default_factory=dict)
    """For each switch, the fingerprint of its intended configuration; when one changes, the gate checks again."""
    pending: tuple[str, ...] = ()
    """Only in refreshed state: links and sessions that are not up."""


GATE_INPUTS = TypeAdapter(GateInputs)


def planned_gate(fabric: str, switches: Sequence[SwitchPlan]) -> dict[str, Any]:
    """Return the inputs of the gate of a planned fabric as JSON values."""
    inputs = GateInputs(fabric, {switch.name: fingerprint(switch) for switch in switches})
    values: dict[str, Any] = GATE_INPUTS.dump_python(inputs, mode="json", exclude_defaults=True)
    return values


def fingerprint(switch: SwitchPlan) -> str:
    """Return a short hash of the intended configuration of a switch."""
    text = json.dumps(switch_values(planned_inputs(switch)), sort_keys=True)
    return sha256(text.encode()).hexdigest()[:FINGERPRINT_LENGTH]
