"""Out of band: a switch for a rack, or for as many neighbouring racks as it has ports, each with a subnet of its own.

Nothing joins these switches to each other: each has its own uplink to the management network around the site.
"""

from collections import Counter
from typing import Final

from rackproof.errors import Problems
from rackproof.plan.allocation import Attachment, SwitchPorts
from rackproof.plan.filling import own_management
from rackproof.plan.sockets import Socket
from rackproof.plan.topologies import Demand, Layout, Seat

ROLES: Final = ("oob",)
NOS_FEATURES: Final[tuple[str, ...]] = ()
STANDS_WITH_DEVICES: Final = True


def _sockets(demand: Demand) -> list[Socket]:
    """Return every socket of a device that stands in a rack."""
    everything = [socket for block in demand.blocks for socket in block] + list(demand.top)
    return [socket for socket in everything if socket.device in demand.racks]


def lay_out(demand: Demand, problems: Problems) -> Layout:
    """Serve the devices of ``n`` neighbouring racks from one switch, n as large as the fullest rack allows."""
    sockets = _sockets(demand)
    fullest = max(Counter(demand.racks[socket.device] for socket in sockets).values())
    fit = demand.fit(sockets[0])
    ports = fit.ports.last - fit.ports.first + 1 - 1
    if fullest > ports:
        problems.add(
            (*demand.path, "switch"),
            f"fabric {demand.fabric}: a rack has {fullest} out-of-band ports, {demand.switch_model} serves {ports}",
            "take a switch with more ports, or fewer devices a rack",
        )
        return Layout((), ())
    racks_per_switch = ports // fullest
    count = max(demand.racks.values()) // racks_per_switch + 1
    near = {rack // racks_per_switch: device for device, rack in sorted(demand.racks.items(), key=lambda row: -row[1])}
    switches = [SwitchPorts(number, dict(demand.pins.get(number, {}))) for number in range(count)]
    digits = max(2, len(str(count)))
    done: list[Attachment | None] = []
    for number, switch in enumerate(switches):
        done += [switch.take(up, demand.fit(up), from_top=True) for up in demand.uplinks]
        done += [
            switch.take(own, fit) for own in own_management(demand, f"{demand.fabric}-leaf-{number + 1:0{digits}d}")
        ]
    done += [switches[demand.racks[s.device] // racks_per_switch].take(s, demand.fit(s)) for s in sockets]
    return Layout(
        seats=tuple(
            Seat("leaf", n, f"leaf-{n + 1:0{digits}d}", domain=n, asn=n, near=near.get(n)) for n in range(count)
        ),
        attachments=tuple(attachment for attachment in done if attachment is not None),
        servers_max=0,
    )
