"""The hosts of a site as a Pulumi component; each depends on the fabrics that it is cabled to."""

from collections.abc import Mapping

import pulumi

from infra.inputs.node import TOKEN, node_values, planned_node
from rackproof.deploy.nodes.build_steps import NodeOrder

IMPORTED = pulumi.Alias(parent=pulumi.ROOT_STACK_RESOURCE)
"""The parent under which `pulumi import` records an existing host: the stack."""


class NodeConfig(pulumi.CustomResource):
    """The intended files and settings of one host, as planned.

    Parameters
    ----------
    name
        Name of the host, which is the resource's name and ID.
    order
        The order of the host, from the plan.
    options
        Pulumi's options, such as parent and dependencies.
    """

    device: pulumi.Output[str]
    """Name of the host."""

    def __init__(self, name: str, order: NodeOrder, options: pulumi.ResourceOptions) -> None:
        super().__init__(TOKEN, name, node_values(planned_node(name, order)), options)


class Nodes(pulumi.ComponentResource):
    """The hosts; members of a redundancy group depend on each other one after the other.

    Parameters
    ----------
    orders
        For each host, its order from the plan.
    fabrics
        The resources of the stack's fabrics by deploy step; the dependencies of a host are found here.
    """

    def __init__(self, orders: Mapping[str, NodeOrder], fabrics: Mapping[str, pulumi.Resource]) -> None:
        super().__init__("rackproof:node:Nodes", "nodes")
        last_of_group: dict[str, NodeConfig] = {}
        for name, order in orders.items():
            needed = [fabrics[step] for step in order.depends_on if step in fabrics]
            before = [last_of_group[order.redundancy_group]] if order.redundancy_group in last_of_group else []
            options = pulumi.ResourceOptions(parent=self, depends_on=[*needed, *before], aliases=[IMPORTED])
            last_of_group[order.redundancy_group] = NodeConfig(name, order, options)
        self.register_outputs({"hosts": list(orders)})
