"""Fill one switch of a fabric, and say how many servers it can hold."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from rackproof.errors import Problems
from rackproof.plan.fabric.cable_fit import Fit
from rackproof.plan.fabric.port_allocation import Attachment, SwitchPorts
from rackproof.plan.fabric.server_ports import Socket, copper_socket
from rackproof.plan.fabric.topologies import Demand

Wanted = Callable[[Socket], bool]


def own_management(demand: Demand, name: str) -> Iterator[Socket]:
    """Yield the management port of an out-of-band switch itself: it is plugged into its own first port."""
    if demand.manages_itself:
        yield copper_socket(name, "mgmt", demand.fabric, (*demand.path, "switch"))


def _served(demand: Demand, trunks: Iterable[Socket], wanted: Wanted) -> Iterator[tuple[Socket, bool]]:
    """Yield every socket of one switch in the order ports are handed out, and whether it counts from the top."""
    for socket in chain(trunks, demand.top, demand.uplinks):
        yield socket, True
    for socket in own_management(demand, f"{demand.fabric}-leaf-01"):
        yield socket, False
    for socket in chain.from_iterable(demand.blocks):
        if wanted(socket):
            yield socket, False


def fill_switch(
    demand: Demand, number: int, trunks: Sequence[Socket], problems: Problems, wanted: Wanted
) -> tuple[Attachment, ...]:
    """Hand out the ports of switch ``number``: links to its peer and uplinks from the top, the rest from port 1 up.

    Sockets that find no port are one error that names the largest site the switch holds.
    """
    ports = SwitchPorts(number, dict(demand.pins.get(number, {})))
    done: list[Attachment] = []
    left_out: list[Socket] = []
    for socket, from_top in _served(demand, trunks, wanted):
        trunk = socket.kind == "inter-switch"
        fit = (demand.trunk_fit or demand.split_trunk_fit) if trunk else demand.fit(socket)
        attachment = ports.take(socket, fit, from_top=from_top) if fit else None
        if attachment is None:
            left_out.append(socket)
        else:
            done.append(attachment)
    if left_out:
        _report_full(demand, left_out, servers_that_fit(demand, len(trunks), wanted), problems)
    return tuple(done)


def _report_full(demand: Demand, left_out: Sequence[Socket], servers_max: int, problems: Problems) -> None:
    first = left_out[0]
    problems.add(
        first.path,
        f"fabric {demand.fabric}: {len(left_out)} port(s) find no place on {demand.switch_model}, "
        f"from {first.device}:{first.port} on",
        f"the largest site this topology holds with it is {servers_max} server(s); "
        "take fewer, a smaller grows_to, a larger switch or another topology",
    )


def servers_that_fit(demand: Demand, trunks: int, wanted: Wanted) -> int:
    """Return how many servers like the fabric's first one a switch holds beside everything else that is on it."""
    sockets = [socket for block in demand.blocks for socket in block if wanted(socket)]
    own = [socket for socket in sockets if socket.device == (demand.example or sockets[-1].device)]
    if not own:
        return 0
    needed, fit = len(own), demand.fit(own[-1])
    above = [demand.fit(socket) for socket in (*demand.top, *demand.uplinks)]
    lost = sum(other.ports == fit.ports for other in above)
    lost += _cages(demand, [socket for socket in sockets if socket.device in demand.others], fit)
    lost += trunks if demand.trunk_fit and demand.trunk_fit.ports == fit.ports else 0
    return (fit.ports.last - fit.ports.first + 1 - lost) * fit.legs // needed


def _cages(demand: Demand, sockets: Sequence[Socket], fit: Fit) -> int:
    """Return how many ports of the kind ``fit`` names other sockets take."""
    kinds = Counter((socket.speed_gbps, socket.modules) for socket in sockets)
    fits = [(demand.fits[kind], count) for kind, count in kinds.items()]
    return sum(-(-count // other.legs) for other, count in fits if other.ports == fit.ports)
