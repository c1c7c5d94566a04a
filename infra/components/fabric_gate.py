"""The gate at the end of a fabric as a Pulumi resource."""

from collections.abc import Sequence

import pulumi

from infra.inputs.fabric_gate import TOKEN, planned_gate
from rackproof.plan.model.plan import SwitchPlan


class FabricGate(pulumi.CustomResource):
    """Succeeds when every link and session between the switches of a fabric is up.

    Parameters
    ----------
    fabric
        Name of the fabric.
    switches
        Its switches.
    options
        Pulumi's options, such as parent and dependencies.
    """

    fabric: pulumi.Output[str]
    """Name of the fabric."""

    def __init__(self, fabric: str, switches: Sequence[SwitchPlan], options: pulumi.ResourceOptions) -> None:
        super().__init__(TOKEN, f"{fabric}-gate", planned_gate(fabric, switches), options)
