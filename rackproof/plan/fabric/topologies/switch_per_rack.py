"""Out of band: a switch for a rack, or for as many neighbouring racks as it has ports, each with a subnet of its own.

Nothing joins these switches to each other: each has its own uplink to the management network around the site.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rackproof.errors import Problems
from rackproof.plan.fabric.port_allocation import Attachment, SwitchPorts
from rackproof.plan.fabric.server_ports import Socket
from rackproof.plan.fabric.switch_fill import own_management
from rackproof.plan.fabric.topologies import Demand, Layout, Seat

ROLES: Final = ("oob",)
NOS_FEATURES: Final[tuple[str, ...]] = ()
STANDS_WITH_DEVICES: Final = True


def _sockets(demand: Demand) -> list[Socket]:
    """Return every socket of a device that stands in a rack."""
    everything = [socket for block in demand.blocks for socket in block] + list(demand.top)
    return [socket for socket in everything if socket.device in demand.racks]


def lay_out(demand: Demand, problems: Problems) -> Layout:
    """Serve the devices of ``n`` neighbouring racks of a row from one switch, n as large as the fullest rack allows."""
    sockets = _sockets(demand)
    if not sockets:  # none fits; each was recorded
        return Layout((), ())
    fullest = max(Counter(demand.racks[socket.device] for socket in sockets).values())
    kind = demand.fit(sockets[0]).ports
    ports = kind.last - kind.first
    if fullest > ports:
        problems.add(
            (*demand.path, "switch"),
            f"fabric {demand.fabric}: a rack has {fullest} out-of-band ports, {demand.switch_model} serves {ports}",
            "take a switch with more ports, or fewer devices a rack",
        )
        return Layout((), ())
    blocks = {socket.device: _block(demand.racks[socket.device], ports // fullest) for socket in sockets}
    numbers = {block: number for number, block in enumerate(sorted(set(blocks.values())))}
    near = {numbers[blocks[device]]: device for device in sorted(blocks, key=lambda d: demand.racks[d], reverse=True)}
    done = list(_serve(demand, sockets, {device: numbers[block] for device, block in blocks.items()}))
    digits = max(2, len(str(len(numbers))))
    return Layout(
        seats=tuple(
            Seat("leaf", n, f"leaf-{n + 1:0{digits}d}", domain=n, asn=n, near=near[n]) for n in range(len(numbers))
        ),
        attachments=tuple(done),
    )


def _block(place: tuple[int, int], racks_per_switch: int) -> tuple[int, int]:
    """Return row and number in it of the neighbouring racks that one switch serves."""
    row, column = place
    return row, column // racks_per_switch


def _serve(demand: Demand, sockets: Sequence[Socket], numbers: Mapping[str, int]) -> Iterator[Attachment]:
    """Yield what is plugged into each switch: its uplinks, itself, and the devices of its racks."""
    count = max(numbers.values()) + 1
    switches = [SwitchPorts(number, dict(demand.pins.get(number, {}))) for number in range(count)]
    digits = max(2, len(str(count)))
    wanted = [(switch, up, True) for switch in switches for up in demand.uplinks]
    for switch in switches:
        name = f"{demand.fabric}-leaf-{switch.switch + 1:0{digits}d}"
        wanted += [(switch, own, False) for own in own_management(demand, name)]
    wanted += [(switches[numbers[socket.device]], socket, False) for socket in sockets]
    for switch, socket, from_top in wanted:
        attachment = switch.take(socket, demand.fit(socket), from_top=from_top)
        if attachment is not None:
            yield attachment
