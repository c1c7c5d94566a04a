"""A scalable unit of servers on leaves of two rails each, and spines that join the units.

Traffic within a rail of a unit takes one hop; NCCL keeps most of a collective there (PXN).  The unit follows NVIDIA's
Spectrum-X scenario: 32 servers of eight rails on four leaves of two rails each.
"""

from typing import Final

from rackproof.errors import Problems
from rackproof.plan.fabric.cable_fit import Fit
from rackproof.plan.fabric.clos import lay_out_clos
from rackproof.plan.fabric.clos_sizing import LeafPlan, host_ports_max
from rackproof.plan.fabric.demand import Demand
from rackproof.plan.fabric.layout import Layout
from rackproof.plan.fabric.server_ports import DevicePort

ROLES: Final = ("backend",)
NOS_FEATURES: Final[tuple[str, ...]] = ("bgp-unnumbered",)
STANDS_WITH_DEVICES: Final = False

RAILS_PER_LEAF = 2


def lay_out(demand: Demand, problems: Problems) -> Layout:
    """Serve rails 2n and 2n+1 of a unit's servers from the unit's leaf n."""
    return lay_out_clos(demand, _plan_leaves, problems)


def _plan_leaves(demand: Demand, isl: Fit) -> LeafPlan:
    """Return units that are as large as a leaf holds two rails of."""
    device_ports = demand.block_ports
    rails = 1 + max(device_port.rail or 0 for device_port in device_ports)
    leaves_per_unit = -(-rails // RAILS_PER_LEAF)
    servers_per_unit = host_ports_max(demand, device_ports[0], isl) // min(rails, RAILS_PER_LEAF)

    def leaf_number(server: int, device_port: DevicePort) -> int:
        return server // servers_per_unit * leaves_per_unit + (device_port.rail or 0) // RAILS_PER_LEAF

    return LeafPlan(leaf_number, leaves_per_unit, servers_per_unit, in_rack=False)
