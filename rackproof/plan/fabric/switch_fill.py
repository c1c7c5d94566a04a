"""Fill one switch of a fabric, and say how many servers it can hold."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

from rackproof.errors import Problems
from rackproof.plan.fabric.cable_fit import Fit
from rackproof.plan.fabric.demand import Demand
from rackproof.plan.fabric.port_allocation import Attachment, SwitchPorts
from rackproof.plan.fabric.server_ports import DevicePort, copper_port

Wanted = Callable[[DevicePort], bool]


def own_management(demand: Demand, name: str) -> Iterator[DevicePort]:
    """Yield the management port of an out-of-band switch itself: it is plugged into its own first port."""
    if demand.manages_itself:
        yield copper_port(name, "mgmt", demand.fabric, (*demand.path, "switch"))


def _served(demand: Demand, isl_ports: Iterable[DevicePort], wanted: Wanted) -> Iterator[tuple[DevicePort, bool]]:
    """Yield every device port of one switch in the order ports are handed out, and whether it counts from the top."""
    for device_port in chain(isl_ports, demand.top, demand.uplinks):
        yield device_port, True
    for device_port in own_management(demand, f"{demand.fabric}-leaf-01"):
        yield device_port, False
    for device_port in chain.from_iterable(demand.blocks):
        if wanted(device_port):
            yield device_port, False


def fill_switch(
    demand: Demand, number: int, isl_ports: Sequence[DevicePort], problems: Problems, wanted: Wanted
) -> tuple[Attachment, ...]:
    """Hand out the ports of switch ``number``: links to its peer and uplinks from the top, the rest from port 1 up.

    Device ports that find no switch port are one error that names the largest site the switch holds.
    """
    ports = SwitchPorts(number, dict(demand.pins.get(number, {})))
    done: list[Attachment] = []
    left_out: list[DevicePort] = []
    for device_port, from_top in _served(demand, isl_ports, wanted):
        to_peer = device_port.kind == "inter-switch"
        fit = (demand.isl_fit or demand.split_isl_fit) if to_peer else demand.fit(device_port)
        attachment = ports.take(device_port, fit, from_top=from_top) if fit else None
        if attachment is None:
            left_out.append(device_port)
        else:
            done.append(attachment)
    if left_out:
        _report_full(demand, left_out, servers_that_fit(demand, len(isl_ports), wanted), problems)
    return tuple(done)


def _report_full(demand: Demand, left_out: Sequence[DevicePort], servers_max: int, problems: Problems) -> None:
    first = left_out[0]
    problems.add(
        first.path,
        f"fabric {demand.fabric}: {len(left_out)} port(s) find no place on {demand.switch_model}, "
        f"from {first.device}:{first.port} on",
        f"{_largest_site(servers_max)}; take fewer, a smaller grows_to, a larger switch or another topology",
    )


def _largest_site(servers_max: int) -> str:
    """Return how many servers like the fabric's first one a switch holds, in words; others may take all its ports."""
    if servers_max > 0:
        return f"the largest site this topology holds with it is {servers_max} server(s)"
    return "the other servers on this fabric take more ports than the switch has"


def servers_that_fit(demand: Demand, isl_ports: int, wanted: Wanted) -> int:
    """Return how many servers like the fabric's first one a switch holds beside everything else that is on it."""
    device_ports = [device_port for device_port in demand.block_ports if wanted(device_port)]
    own = [
        device_port for device_port in device_ports if device_port.device == (demand.example or device_ports[-1].device)
    ]
    if not own:
        return 0
    needed, fit = len(own), demand.fit(own[-1])
    above = [demand.fit(device_port) for device_port in (*demand.top, *demand.uplinks)]
    lost = sum(other.ports == fit.ports for other in above)
    lost += _cages(demand, [device_port for device_port in device_ports if device_port.device in demand.others], fit)
    lost += isl_ports if demand.isl_fit and demand.isl_fit.ports == fit.ports else 0
    return (fit.ports.last - fit.ports.first + 1 - lost) * fit.legs // needed


def _cages(demand: Demand, device_ports: Sequence[DevicePort], fit: Fit) -> int:
    """Return how many ports of the kind ``fit`` names other device ports take."""
    kinds = Counter((device_port.speed_gbps, device_port.modules) for device_port in device_ports)
    fits = [(demand.fits[kind], count) for kind, count in kinds.items()]
    return sum(-(-count // other.legs) for other, count in fits if other.ports == fit.ports)
