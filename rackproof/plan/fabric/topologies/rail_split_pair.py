"""Two switches: even rails on the first, odd rails on the second, and as much between them as towards the hosts."""

from typing import Final

from rackproof.errors import Problems
from rackproof.plan.fabric.cable_fit import plugs
from rackproof.plan.fabric.clos import host_sockets, split_leaf
from rackproof.plan.fabric.server_ports import Socket
from rackproof.plan.fabric.switch_fill import fill_switch, servers_that_fit
from rackproof.plan.fabric.topologies import Demand, Layout, Seat, Trunk
from rackproof.plan.model.port_names import port_of

ROLES: Final = ("backend",)
NOS_FEATURES: Final[tuple[str, ...]] = ("bgp-unnumbered",)
STANDS_WITH_DEVICES: Final = False

SWITCHES = 2


def lay_out(demand: Demand, problems: Problems) -> Layout:
    """Serve rails by parity; the cages from the last one down join the two switches."""
    if demand.split_trunk_fit is None:
        problems.add((*demand.path, "switch"), f"no cable of the catalogue joins two {demand.switch_model}")
        return Layout((), ())
    sockets = host_sockets(demand)
    if not sockets:  # none fits; each was recorded
        return Layout((), ())
    split = split_leaf(demand, sockets[0])
    ports, path = demand.split_trunk_fit.ports, (*demand.path, "switch")
    trunks = [
        Socket("peer", f"isl{n}", demand.fabric, "inter-switch", ports.speed_gbps, plugs(ports), {}, path)
        for n in range(split.up)
    ]
    sides = [
        fill_switch(demand, side, trunks, problems, lambda socket, side=side: (socket.rail or 0) % SWITCHES == side)  # type: ignore[misc]
        for side in range(SWITCHES)
    ]
    cages = [[port_of(a.key) for a in side if a.socket.kind == "inter-switch"] for side in sides]
    return Layout(
        seats=tuple(Seat("leaf", side, "pair-01", domain=side, asn=side) for side in range(SWITCHES)),
        attachments=tuple(a for side in sides for a in side if a.socket.kind != "inter-switch"),
        trunks=tuple(Trunk(0, a, 1, b, demand.split_trunk_fit.mode) for a, b in zip(*cages, strict=True)),
        trunk_fit=demand.split_trunk_fit,
        oversubscription=round(split.down / split.up, 2),
        servers_max=servers_that_fit(demand, split.up, lambda socket: (socket.rail or 0) % SWITCHES == 0),
    )
