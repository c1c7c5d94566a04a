"""Fabric gates: a resource succeeds when all links and sessions between the switches of a fabric are up."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from typing_extensions import override

from infra.inputs.fabric_gate import GATE_INPUTS, TOKEN
from infra.provider.common.input_check import problems_of_type
from infra.provider.common.json_schema import named_types, object_type
from infra.provider.common.kind import InputProblem, ResourceKind, Settings
from infra.provider.common.properties import JsonMap
from infra.provider.common.site_view import site_view
from infra.provider.common.switch_steps import planned_switch, step_with_neighbors
from rackproof.deploy.events import Report, unreported
from rackproof.deploy.protocol import Change
from rackproof.deploy.switch.fabric_gate import FabricGateStep
from rackproof.deploy.switch.job import Timeouts

MODULE: Final = "rackproof:fabric"


class GateKind(ResourceKind[FabricGateStep]):
    """The resource type of gates."""

    token = TOKEN
    summary = "The gate of a fabric: every link and session between its switches is up."
    identity = "fabric"

    @override
    def input_types(self) -> tuple[dict[str, Any], dict[str, Any]]:
        schema = GATE_INPUTS.json_schema()
        return object_type(schema, MODULE), named_types(schema, MODULE)

    @override
    def problems(self, inputs: JsonMap) -> Iterator[InputProblem]:
        yield from problems_of_type(GATE_INPUTS, inputs, ())

    @override
    def claim(self, settings: Settings) -> None:
        """Do nothing: a gate changes no device."""

    @override
    def to_deploy(self, inputs: JsonMap, settings: Settings, report: Report) -> FabricGateStep:
        wanted = GATE_INPUTS.validate_python(inputs)
        return gate_step(wanted.fabric, list(wanted.switches), settings)

    @override
    def to_find(self, name: str, inputs: JsonMap, settings: Settings) -> FabricGateStep:
        known = GATE_INPUTS.validate_python(inputs).switches if inputs else ()
        still_there = [switch for switch in known if switch in site_view(settings).plan.switches]
        return gate_step(name, still_there, settings)

    @override
    def found(self, inputs: JsonMap, step: FabricGateStep, state: tuple[str, ...]) -> JsonMap:
        found = replace(GATE_INPUTS.validate_python(inputs or {"fabric": step.fabric}), pending=state)
        values: JsonMap = GATE_INPUTS.dump_python(found, mode="json", exclude_defaults=True)
        return values

    @override
    def changes(self, old: JsonMap, new: JsonMap) -> tuple[Change, ...]:
        return ()


def gate_step(fabric: str, switches: Sequence[str], settings: Settings) -> FabricGateStep:
    """Return the step of the gate behind these switches of the plan."""
    steps = [step_with_neighbors(planned_switch(name, settings), settings, unreported) for name in switches]
    return FabricGateStep(fabric, steps, Timeouts())


KIND = GateKind()
