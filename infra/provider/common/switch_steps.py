"""Deploy steps of switches, from the inputs of a resource and the site behind it."""

from dataclasses import replace

from infra.inputs.switch import SwitchInputs, planned_inputs
from infra.provider.common.kind import Settings
from infra.provider.common.site_view import site_view
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


def single_switch_step(inputs: SwitchInputs, settings: Settings) -> SwitchStep:
    """Return the step of a switch without its neighbors: it needs no site file, so a switch can be read or reset."""
    return _step(switch_order(inputs, site_view(settings).target(inputs.device, settings)), settings, unreported)


def step_with_neighbors(inputs: SwitchInputs, settings: Settings, report: Report) -> SwitchStep:
    """Return the step of a switch with its redundancy group and planned neighbors."""
    site = site_view(settings)
    order = replace(switch_order(inputs, site.target(inputs.device, settings)), site=site.name)
    if inputs.device in site.plan.switches:
        group = site.plan.switches[inputs.device].redundancy_group
        neighbours = site.neighbours[inputs.device]
        order = replace(order, redundancy_group=group, neighbours=neighbours, site_devices=site.devices)
    return _step(order, settings, report)


def switch_order(inputs: SwitchInputs, target: Target) -> SwitchOrder:
    """Return the deploy order of a switch, alone in its redundancy group and without neighbors."""
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
