"""A scalable unit of servers on leaves of two rails each, and spines that join the units.

Traffic within a rail of a unit takes one hop; NCCL keeps most of a collective there (PXN).  The unit follows NVIDIA's
Spectrum-X scenario: 32 servers of eight rails on four leaves of two rails each.
"""

from typing import Final

from rackproof.errors import Problems
from rackproof.plan.fabric.clos import LeafPlan, host_sockets, lay_out_clos, leaves_max, server_numbers, split_leaf
from rackproof.plan.fabric.server_ports import Socket
from rackproof.plan.fabric.topologies import Demand, Layout

ROLES: Final = ("backend",)
NOS_FEATURES: Final[tuple[str, ...]] = ("bgp-unnumbered",)
STANDS_WITH_DEVICES: Final = False

RAILS_PER_LEAF = 2


def lay_out(demand: Demand, problems: Problems) -> Layout:
    """Serve rails 2n and 2n+1 of a unit's servers from the unit's leaf n."""
    sockets = host_sockets(demand)
    if not sockets:  # none fits; each was recorded
        return Layout((), ())
    split = split_leaf(demand, sockets[0])
    rails = 1 + max(socket.rail or 0 for socket in sockets)
    leaves_per_unit = -(-rails // RAILS_PER_LEAF)
    servers_per_unit = split.host_ports // min(rails, RAILS_PER_LEAF)
    units = -(-len(server_numbers(sockets)) // servers_per_unit)
    cages = demand.fit(sockets[0]).ports

    def leaf_of(server: int, socket: Socket) -> int:
        return server // servers_per_unit * leaves_per_unit + (socket.rail or 0) // RAILS_PER_LEAF

    most = leaves_max(split, cages.last - cages.first + 1) // leaves_per_unit * servers_per_unit
    return lay_out_clos(
        demand, LeafPlan(units * leaves_per_unit, leaf_of, leaves_per_unit, in_rack=False, servers_max=most), problems
    )
