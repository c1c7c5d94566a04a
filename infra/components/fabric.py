"""A fabric as a Pulumi component: its switches, in an order that keeps its hosts connected, and its gate."""

import pulumi

from infra.components.fabric_gate import FabricGate
from infra.components.switch_config import SwitchConfig
from rackproof.deploy.switch.build_steps import joins_switches
from rackproof.plan.model.plan import FabricPlan, Plan

IMPORTED = pulumi.Alias(parent=pulumi.ROOT_STACK_RESOURCE)
"""The parent under which `pulumi import` records an existing switch: the stack, because its fabric is not known."""


class Fabric(pulumi.ComponentResource):
    """The switches that stand in one fabric, and the gate behind them where links join them.

    A switch that carries several fabrics belongs to the component of the fabric that it stands in, and to no other: two
    resources of one URN are refused by the engine.

    Members of a redundancy group depend on each other one after the other: never two at the same time, and none
    after one that failed. Groups are changed side by side.

    Parameters
    ----------
    fabric
        The fabric.
    plan
        The plan of the site.
    chosen
        The switches of the stack; only a stack with all switches of the fabric has its gate.
    """

    def __init__(self, fabric: FabricPlan, plan: Plan, chosen: frozenset[str]) -> None:
        super().__init__("rackproof:fabric:Fabric", fabric.name)
        self.steps: dict[str, pulumi.Resource] = {}
        """Deploy step to its resource."""
        own = own_switches(fabric, plan)
        switches = [plan.switches[name] for name in own if name in chosen]
        configured: list[SwitchConfig] = []
        last_of_group: dict[str, SwitchConfig] = {}
        for switch in switches:
            before = [last_of_group[switch.redundancy_group]] if switch.redundancy_group in last_of_group else []
            options = pulumi.ResourceOptions(parent=self, depends_on=before, aliases=[IMPORTED])
            last_of_group[switch.redundancy_group] = SwitchConfig(switch, options)
            configured.append(last_of_group[switch.redundancy_group])
            self.steps[switch.name] = configured[-1]
        whole = chosen.issuperset(name for name in own if plan.switches[name].intent is not None)
        if whole and any(link.fabric == fabric.name and joins_switches(plan, link) for link in plan.links):
            gate = FabricGate(fabric.name, switches, pulumi.ResourceOptions(parent=self, depends_on=configured))
            self.steps[f"{fabric.name}/gate"] = gate
        self.register_outputs({"switches": [switch.name for switch in switches]})


def own_switches(fabric: FabricPlan, plan: Plan) -> tuple[str, ...]:
    """Return the switches that stand in a fabric; one that shares the switches of another fabric has none."""
    return tuple(name for name in fabric.switches if plan.switches[name].fabric == fabric.name)
