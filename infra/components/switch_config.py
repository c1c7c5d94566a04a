"""A switch as a Pulumi resource."""

from typing import Any

import pulumi

from infra.intent import intent_values
from rackproof.plan.models import SwitchPlan


class SwitchConfig(pulumi.CustomResource):
    """The whole configuration of one switch, as its plan intends it.

    Parameters
    ----------
    switch
        What the plan says about it; its name is the resource's name and ID.
    options
        Pulumi's options, such as parent and dependencies.
    """

    device: pulumi.Output[str]
    """Name of the switch."""

    def __init__(self, switch: SwitchPlan, options: pulumi.ResourceOptions) -> None:
        super().__init__("rackproof:switch:SwitchConfig", switch.name, switch_inputs(switch), options)


def switch_inputs(switch: SwitchPlan) -> dict[str, Any]:
    """Return a switch of the plan as the inputs of its resource."""
    return {
        "device": switch.name,
        "model": switch.model,
        "nos": switch.nos,
        "intent": intent_values(switch.intent),
        "unmanaged": list(switch.unmanaged),
    }
