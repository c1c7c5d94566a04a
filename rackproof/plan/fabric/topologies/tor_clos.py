"""A leaf at the top of each rack with all ports of its servers, and spines that join the racks."""

from collections import Counter
from typing import Final

from rackproof.errors import Problems
from rackproof.plan.fabric.cable_fit import Fit
from rackproof.plan.fabric.clos import lay_out_clos
from rackproof.plan.fabric.clos_sizing import LeafPlan, host_ports_max
from rackproof.plan.fabric.demand import Demand
from rackproof.plan.fabric.layout import Layout
from rackproof.plan.fabric.server_ports import DevicePort

ROLES: Final = ("backend", "frontend")
NOS_FEATURES: Final[tuple[str, ...]] = ("bgp-unnumbered",)
STANDS_WITH_DEVICES: Final = True


def lay_out(demand: Demand, problems: Problems) -> Layout:
    """Serve all ports of a rack's servers from its leaf."""
    return lay_out_clos(demand, _plan_leaves, problems)


def _plan_leaves(demand: Demand, isl: Fit) -> LeafPlan:
    """Return a leaf for as many servers as the leaf and the rack hold."""
    device_ports = demand.block_ports
    ports_per_server = max(Counter(device_port.device for device_port in device_ports).values())
    per_leaf = min(host_ports_max(demand, device_ports[0], isl) // ports_per_server, demand.servers_per_rack)

    def leaf_number(server: int, device_port: DevicePort) -> int:
        del device_port
        return server // per_leaf

    return LeafPlan(leaf_number, 1, per_leaf, in_rack=True)
