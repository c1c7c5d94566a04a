"""The hosts of a site as a Pulumi component, after the fabrics that they are plugged into."""

from collections.abc import Mapping

import pulumi

from infra.node_inputs import TOKEN, node_values, planned_node
from rackproof.deploy.nodes.build_steps import NodeOrder

IMPORTED = pulumi.Alias(parent=pulumi.ROOT_STACK_RESOURCE)
"""Where `pulumi import` puts a host: at the top."""


class NodeConfig(pulumi.CustomResource):
    """What one host must hold, as its plan intends it.

    Parameters
    ----------
    name
        Name of the host, which is the resource's name and ID.
    order
        What the plan says about it.
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
        Host to what it is meant to be.
    fabrics
        What the stack has of the network: the steps of a host's order are looked up in it.
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
