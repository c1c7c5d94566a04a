"""A fabric as a Pulumi component: its switches, in an order that keeps its hosts connected."""

from collections.abc import Sequence

import pulumi

from infra.components.switch_config import SwitchConfig
from rackproof.plan.models import SwitchPlan


class Fabric(pulumi.ComponentResource):
    """The switches of one fabric.

    Members of a redundancy group depend on each other one after the other: never two at the same time, and none
    after one that failed. Groups are changed side by side.

    Parameters
    ----------
    name
        Name of the fabric.
    switches
        Its switches, in the order of the plan.
    """

    def __init__(self, name: str, switches: Sequence[SwitchPlan]) -> None:
        super().__init__("rackproof:fabric:Fabric", name)
        last_of_group: dict[str, SwitchConfig] = {}
        for switch in switches:
            before = [last_of_group[switch.redundancy_group]] if switch.redundancy_group in last_of_group else []
            options = pulumi.ResourceOptions(parent=self, depends_on=before)
            last_of_group[switch.redundancy_group] = SwitchConfig(switch, options)
        self.register_outputs({"switches": [switch.name for switch in switches]})
