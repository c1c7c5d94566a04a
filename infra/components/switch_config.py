"""A switch as a Pulumi resource."""

import pulumi

from infra.switch_inputs import TOKEN, planned_inputs, values_of
from rackproof.plan.model.plan import SwitchPlan


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
        super().__init__(TOKEN, switch.name, values_of(planned_inputs(switch)), options)
