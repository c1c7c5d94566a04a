"""Two switches that know nothing of each other: a storage node has a port on each (a PowerScale cluster's own)."""

from typing import Final

from rackproof.errors import Problems
from rackproof.plan.clos import host_sockets
from rackproof.plan.filling import fill_switch, servers_that_fit
from rackproof.plan.topologies import Demand, Layout, Seat

ROLES: Final = ("storage-backend",)
NOS_FEATURES: Final[tuple[str, ...]] = ()
STANDS_WITH_DEVICES: Final = False


def lay_out(demand: Demand, problems: Problems) -> Layout:
    """Serve port n of every node from switch n."""
    switches = 1 + max((socket.side for socket in host_sockets(demand)), default=0)
    sides = [
        fill_switch(demand, side, [], problems, lambda socket, side=side: socket.side == side)  # type: ignore[misc]
        for side in range(switches)
    ]
    return Layout(
        seats=tuple(Seat("leaf", side, "pair-01", domain=side, asn=side) for side in range(switches)),
        attachments=tuple(attachment for side in sides for attachment in side),
        servers_max=servers_that_fit(demand, 0, lambda socket: socket.side == 0),
    )
