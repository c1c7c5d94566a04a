"""A switch for each rail and nothing between them: a rail reaches only itself, other rails go through the servers."""

from typing import Final

from rackproof.errors import Problems
from rackproof.plan.clos import host_sockets
from rackproof.plan.filling import fill_switch, servers_that_fit
from rackproof.plan.topologies import Demand, Layout, Seat

ROLES: Final = ("backend",)
NOS_FEATURES: Final[tuple[str, ...]] = ()
STANDS_WITH_DEVICES: Final = False


def lay_out(demand: Demand, problems: Problems) -> Layout:
    """Serve rail n of every server from switch n."""
    rails = 1 + max((socket.rail or 0 for socket in host_sockets(demand)), default=0)
    sides = [
        fill_switch(demand, rail, [], problems, lambda socket, rail=rail: socket.rail == rail)  # type: ignore[misc]
        for rail in range(rails)
    ]
    return Layout(
        seats=tuple(Seat("leaf", rail, "rails", domain=rail, asn=rail) for rail in range(rails)),
        attachments=tuple(attachment for side in sides for attachment in side),
        servers_max=servers_that_fit(demand, 0, lambda socket: socket.rail == 0),
    )
