"""Switches: each resource is the whole configuration of one, brought about by its deploy step."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from typing_extensions import override

from infra.provider.input_check import problems_of_type
from infra.provider.json_schema import named_types, object_type
from infra.provider.kind import InputProblem, ResourceKind, Settings
from infra.provider.properties import JsonMap
from infra.provider.site_view import site_view
from infra.switch_inputs import SWITCH_INPUTS, TOKEN, SwitchInputs, inputs_from, planned_inputs, values_of
from rackproof.deploy.connection import Target
from rackproof.deploy.credentials import Credential
from rackproof.deploy.reading import SwitchState
from rackproof.deploy.step import Change
from rackproof.deploy.steps import SwitchOrder, switch_step
from rackproof.deploy.switch import SwitchStep
from rackproof.deploy.task import SwitchOptions
from rackproof.errors import BadInputError
from rackproof.hardware.load import Catalogue, UnknownModelError
from rackproof.render.switch import render_switch
from rackproof.site.access import DeviceAccess

MODULE: Final = "rackproof:switch"


class SwitchKind(ResourceKind[SwitchStep]):
    """The resource type of switches."""

    token = TOKEN
    summary = "The whole configuration of one switch, as its plan intends it."
    identity = "device"

    def __init__(self) -> None:
        self._catalogue = Catalogue()
        self._confirmed: set[str] = set()

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
    def to_deploy(self, inputs: JsonMap, settings: Settings) -> SwitchStep:
        site = site_view(settings.site)
        order = self._order(inputs_from(inputs), settings)
        if order.target.device in site.plan.switches:
            group = site.plan.switches[order.target.device].redundancy_group
            neighbours = site.neighbours[order.target.device]
            order = replace(order, redundancy_group=group, neighbours=neighbours, site_devices=site.devices)
        return self._step(order, settings)

    @override
    def to_find(self, name: str, inputs: JsonMap, settings: Settings) -> SwitchStep:
        known = inputs_from(inputs) if inputs else self._planned(name, settings)
        return self._step(self._order(known, settings), settings)

    @override
    def found(self, step: SwitchStep, state: SwitchState) -> JsonMap:
        parsed = step.found(state)
        task = step.task
        return values_of(
            SwitchInputs(
                device=step.name,
                nos=task.nos.model,
                model=task.model.model,
                intent=parsed.intent,
                unmanaged=task.unmanaged,
                unexpected=parsed.unknown,
                missing=parsed.missing,
            )
        )

    @override
    def changes(self, old: JsonMap, new: JsonMap) -> tuple[Change, ...]:
        before, after = inputs_from(old), inputs_from(new)
        nowhere = Target(after.device, DeviceAccess(host=after.device, user=""), Credential)
        step = switch_step(order_of(after, nowhere), self._catalogue)
        running = render_switch(before.nos, self._catalogue.switch(before.model), before.intent)
        return (*step.diff(SwitchState(running)), *lines_put_right(before))

    def _planned(self, name: str, settings: Settings) -> SwitchInputs:
        switches = site_view(settings.site).plan.switches
        if name not in switches:
            raise BadInputError(f"{name} is not a switch of {settings.site}", f"it has {', '.join(switches)}")
        return planned_inputs(switches[name])

    def _order(self, inputs: SwitchInputs, settings: Settings) -> SwitchOrder:
        return order_of(inputs, site_view(settings.site).target(inputs.device, settings))

    def _step(self, order: SwitchOrder, settings: Settings) -> SwitchStep:
        options = SwitchOptions(allow_disruption=settings.allow_disruption)
        return switch_step(order, self._catalogue, options, self._confirmed)


def order_of(inputs: SwitchInputs, target: Target) -> SwitchOrder:
    """Return a switch as it is asked for; the engine, not the step, keeps redundancy groups apart."""
    return SwitchOrder(
        target=target,
        nos=inputs.nos,
        model=inputs.model,
        intent=inputs.intent,
        redundancy_group=inputs.device,
        unmanaged=inputs.unmanaged,
    )


def lines_put_right(before: SwitchInputs) -> Iterator[Change]:
    """Yield the changes of lines that no value stands for."""
    for line in before.unexpected:
        yield Change(("unexpected", line), line, None, f"unexpected line `{line}`: removed")
    for line in before.missing:
        yield Change(("missing", line), None, line, f"missing line `{line}`: added")


KIND = SwitchKind()
