"""A leaf at the top of each rack with all ports of its servers, and spines that join the racks."""

from typing import Final

from rackproof.errors import Problems
from rackproof.plan.fabric.clos import LeafPlan, lay_out_clos, leaves_max, server_numbers, split_leaf
from rackproof.plan.fabric.demand import Demand
from rackproof.plan.fabric.layout import Layout
from rackproof.plan.fabric.server_ports import DevicePort

ROLES: Final = ("backend", "frontend")
NOS_FEATURES: Final[tuple[str, ...]] = ("bgp-unnumbered",)
STANDS_WITH_DEVICES: Final = True


def lay_out(demand: Demand, problems: Problems) -> Layout:
    """Serve all ports of a rack's servers from its leaf; a rack has as many servers as the leaf and the rack hold."""
    device_ports = demand.block_ports
    if not device_ports:  # none fits; each was recorded
        return Layout((), ())
    split = split_leaf(demand, device_ports[0])
    numbers = server_numbers(device_ports)
    ports_per_server = sum(device_port.device == device_ports[-1].device for device_port in device_ports)
    per_leaf = min(split.host_ports // ports_per_server, demand.servers_per_rack)
    if per_leaf == 0:
        problems.add(
            (*demand.path, "switch"),
            f"a leaf of {demand.switch_model} has {split.host_ports} host ports; a server needs {ports_per_server}",
            "take a larger switch, more oversubscription, or another topology",
        )
        return Layout((), ())
    cages = demand.fit(device_ports[0]).ports

    def leaf_number(server: int, device_port: DevicePort) -> int:
        del device_port
        return server // per_leaf

    most = leaves_max(split, cages.last - cages.first + 1) * per_leaf
    leaves = -(-len(numbers) // per_leaf)
    return lay_out_clos(demand, LeafPlan(leaves, leaf_number, 1, in_rack=True, servers_max=most), problems)
