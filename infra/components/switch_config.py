"""A switch as a Pulumi resource."""

import pulumi

from infra.inputs.switch import TOKEN, planned_inputs, switch_values
from rackproof.plan.model.plan import SwitchPlan


class SwitchConfig(pulumi.CustomResource):
    """The whole configuration of one switch, as its plan intends it.

    Parameters
    ----------
    switch
        The switch of the plan; its name is the resource's name and ID.
    options
        Pulumi's options, such as parent and dependencies.
    """

    device: pulumi.Output[str]
    """Name of the switch."""

    def __init__(self, switch: SwitchPlan, options: pulumi.ResourceOptions) -> None:
        super().__init__(TOKEN, switch.name, switch_values(planned_inputs(switch)), options)
