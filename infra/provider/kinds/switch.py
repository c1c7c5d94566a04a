"""Switches: a resource is the whole configuration of one switch, applied by its deploy step."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from typing_extensions import override

from infra.inputs.switch import SWITCH_INPUTS, TOKEN, SwitchInputs, inputs_from, switch_values
from infra.provider.common.input_check import problems_of_type
from infra.provider.common.json_schema import named_types, object_type
from infra.provider.common.kind import InputProblem, ResourceKind, Settings
from infra.provider.common.properties import JsonMap
from infra.provider.common.site_view import site_view
from infra.provider.common.switch_steps import planned_switch, single_switch_step, step_with_neighbors, switch_order
from rackproof.connect.credentials import Credential
from rackproof.connect.ssh import Target
from rackproof.deploy.events import Report
from rackproof.deploy.protocol import Change
from rackproof.deploy.switch.build_steps import switch_step
from rackproof.deploy.switch.read import SwitchState
from rackproof.deploy.switch.step import SwitchStep
from rackproof.deploy.switch.unfinished import UNFINISHED
from rackproof.hardware.load import Catalogue, UnknownModelError
from rackproof.render.switch import render_switch
from rackproof.site.access import DeviceAccess

MODULE: Final = "rackproof:switch"


class SwitchKind(ResourceKind[SwitchStep]):
    """The resource type of switches."""

    token = TOKEN
    summary = "The whole configuration of one switch, as planned."
    identity = "device"

    def __init__(self) -> None:
        self._catalogue = Catalogue()

    @override
    def input_types(self) -> tuple[dict[str, Any], dict[str, Any]]:
        schema = SWITCH_INPUTS.json_schema()
        return object_type(schema, MODULE), named_types(schema, MODULE)

    @override
    def problems(self, inputs: JsonMap) -> Iterator[InputProblem]:
        yield from problems_of_type(SWITCH_INPUTS, inputs, ())
        for key, look_up in {"nos": self._catalogue.nos, "model": self._catalogue.switch}.items():
            try:
                look_up(str(inputs.get(key)))
            except UnknownModelError as error:
                yield InputProblem((key,), f"{error.message}: {error.hint}")

    @override
    def claim(self, settings: Settings) -> None:
        site_view(settings).claim()

    @override
    def to_deploy(self, inputs: JsonMap, settings: Settings, report: Report) -> SwitchStep:
        return step_with_neighbors(inputs_from(inputs), settings, report)

    @override
    def to_find(self, name: str, inputs: JsonMap, settings: Settings) -> SwitchStep:
        return single_switch_step(inputs_from(inputs) if inputs else planned_switch(name, settings), settings)

    @override
    def found(self, inputs: JsonMap, step: SwitchStep, state: SwitchState) -> JsonMap:
        parsed, task = step.found(state), step.task
        found = SwitchInputs(step.name, task.nos.model, task.model.model, parsed.intent, task.unmanaged)
        unfinished = tuple(map(str, step.unfinished_changes(state)))
        return switch_values(replace(found, unexpected=parsed.unknown, missing=parsed.missing, unfinished=unfinished))

    @override
    def changes(self, old: JsonMap, new: JsonMap) -> tuple[Change, ...]:
        before, after = inputs_from(old), inputs_from(new)
        nowhere = Target(after.device, DeviceAccess(host=after.device, user="none"), Credential)
        step = switch_step(switch_order(after, nowhere), self._catalogue)
        running = render_switch(before.nos, self._catalogue.switch(before.model), before.intent)
        return (*step.diff(SwitchState(running)), *unexplained_line_changes(before))


def unexplained_line_changes(before: SwitchInputs) -> Iterator[Change]:
    """Yield the changes of refreshed state that are in no intent: lines, and what a deployment left unfinished."""
    for line in before.unexpected:
        yield Change(("unexpected", line), line, None, f"unexpected line `{line}`: removed")
    for line in before.missing:
        yield Change(("missing", line), None, line, f"missing line `{line}`: added")
    for text in before.unfinished:
        yield Change((UNFINISHED, text), text, None, text)


KIND = SwitchKind()
