"""A scalable unit of servers on leaves of two rails each, and spines that join the units.

Traffic within a rail of a unit takes one hop; NCCL keeps most of a collective there (PXN).  The unit follows NVIDIA's
Spectrum-X scenario: 32 servers of eight rails on four leaves of two rails each.
"""

from typing import Final

from rackproof.errors import Problems
from rackproof.plan.fabric.clos import LeafPlan, lay_out_clos, leaves_max, server_numbers, split_leaf
from rackproof.plan.fabric.demand import Demand
from rackproof.plan.fabric.layout import Layout
from rackproof.plan.fabric.server_ports import DevicePort

ROLES: Final = ("backend",)
NOS_FEATURES: Final[tuple[str, ...]] = ("bgp-unnumbered",)
STANDS_WITH_DEVICES: Final = False

RAILS_PER_LEAF = 2


def lay_out(demand: Demand, problems: Problems) -> Layout:
    """Serve rails 2n and 2n+1 of a unit's servers from the unit's leaf n."""
    device_ports = demand.block_ports
    if not device_ports:  # none fits; each was recorded
        return Layout((), ())
    split = split_leaf(demand, device_ports[0])
    rails = 1 + max(device_port.rail or 0 for device_port in device_ports)
    leaves_per_unit = -(-rails // RAILS_PER_LEAF)
    servers_per_unit = split.host_ports // min(rails, RAILS_PER_LEAF)
    units = -(-len(server_numbers(device_ports)) // servers_per_unit)
    cages = demand.fit(device_ports[0]).ports

    def leaf_number(server: int, device_port: DevicePort) -> int:
        return server // servers_per_unit * leaves_per_unit + (device_port.rail or 0) // RAILS_PER_LEAF

    most = leaves_max(split, cages.last - cages.first + 1) // leaves_per_unit * servers_per_unit
    return lay_out_clos(
        demand,
        LeafPlan(units * leaves_per_unit, leaf_number, leaves_per_unit, in_rack=False, servers_max=most),
        problems,
    )
