"""Switch steps from a resource's inputs and the site's files."""

from dataclasses import replace

from infra.provider.kind import Settings
from infra.provider.site_view import site_view
from infra.switch_inputs import SwitchInputs, planned_inputs
from rackproof.connect.ssh import Target
from rackproof.deploy.events import Report, unreported
from rackproof.deploy.switch.build_steps import SwitchOrder, switch_step
from rackproof.deploy.switch.job import SwitchOptions
from rackproof.deploy.switch.step import SwitchStep
from rackproof.errors import BadInputError


def planned_switch(name: str, settings: Settings) -> SwitchInputs:
    """Return a switch as the site's plan has it now.

    Raises
    ------
    BadInputError
        The site has no such switch.
    """
    switches = site_view(settings).plan.switches
    if name not in switches:
        raise BadInputError(f"{name} is not a switch of {settings.site}", f"it has {', '.join(switches)}")
    return planned_inputs(switches[name])


def lone_step(inputs: SwitchInputs, settings: Settings) -> SwitchStep:
    """Return the step of a switch that needs no site file, so that a switch can be read or reset without one."""
    return _step(order_of(inputs, site_view(settings).target(inputs.device, settings)), settings, unreported)


def surrounded_step(inputs: SwitchInputs, settings: Settings, report: Report) -> SwitchStep:
    """Return the step of a switch that knows from the plan what is to be at the other end of its cables."""
    site = site_view(settings)
    order = order_of(inputs, site.target(inputs.device, settings))
    if inputs.device in site.plan.switches:
        group = site.plan.switches[inputs.device].redundancy_group
        neighbours = site.neighbours[inputs.device]
        order = replace(order, redundancy_group=group, neighbours=neighbours, site_devices=site.devices)
    return _step(order, settings, report)


def order_of(inputs: SwitchInputs, target: Target) -> SwitchOrder:
    """Return a switch as it is asked for, alone in its redundancy group."""
    return SwitchOrder(
        target=target,
        nos=inputs.nos,
        model=inputs.model,
        intent=inputs.intent,
        redundancy_group=inputs.device,
        unmanaged=inputs.unmanaged,
    )


def _step(order: SwitchOrder, settings: Settings, report: Report) -> SwitchStep:
    site = site_view(settings)
    options = SwitchOptions(allow_disruption=settings.allow_disruption)
    return switch_step(order, site.catalogue, options, site.confirmed, report)
