"""Out of band: a switch for a rack, or for as many neighbouring racks as it has ports, each with a subnet of its own.

Nothing joins these switches to each other: each has its own uplinks to the management network around the site
(`external.uplinks`), or joins a consolidated pair; `rack-aggregation` joins them.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Final

from rackproof.errors import Problems
from rackproof.plan.fabric.demand import Demand
from rackproof.plan.fabric.layout import Layout, LayoutSwitch
from rackproof.plan.fabric.port_allocation import Attachment, SwitchPorts
from rackproof.plan.fabric.server_ports import DevicePort
from rackproof.plan.fabric.switch_fill import own_management

ROLES: Final = ("oob",)
NOS_FEATURES: Final[tuple[str, ...]] = ()
STANDS_WITH_DEVICES: Final = True


def _rack_ports(demand: Demand) -> list[DevicePort]:
    """Return every device port of a device that stands in a rack."""
    return [device_port for device_port in (*demand.block_ports, *demand.top) if device_port.device in demand.racks]


def lay_out(demand: Demand, problems: Problems) -> Layout:
    """Serve the devices of ``n`` neighbouring racks of a row from one switch, n as large as the fullest rack allows."""
    device_ports = _rack_ports(demand)
    if not device_ports:  # none fits; each was recorded
        return Layout((), ())
    fullest = max(Counter(demand.racks[device_port.device] for device_port in device_ports).values())
    kind = demand.fit(device_ports[0]).ports
    ports = kind.last - kind.first - sum(demand.fit(uplink).ports == kind for uplink in demand.uplinks)
    if fullest > ports:
        problems.add(
            (*demand.path, "switch"),
            f"fabric {demand.fabric}: a rack has {fullest} out-of-band ports, {demand.switch_model} serves {ports}",
            "take a switch with more ports, or fewer devices a rack",
        )
        return Layout((), ())
    blocks = {
        device_port.device: _block(demand.racks[device_port.device], ports // fullest) for device_port in device_ports
    }
    numbers = {block: number for number, block in enumerate(sorted(set(blocks.values())))}
    near = {numbers[blocks[device]]: device for device in sorted(blocks, key=lambda d: demand.racks[d], reverse=True)}
    done = list(_serve(demand, device_ports, {device: numbers[block] for device, block in blocks.items()}))
    digits = max(2, len(str(len(numbers))))
    return Layout(
        switches=tuple(
            LayoutSwitch("leaf", n, f"leaf-{n + 1:0{digits}d}", domain=n, asn=n, near=near[n])
            for n in range(len(numbers))
        ),
        attachments=tuple(done),
    )


def _block(place: tuple[int, int], racks_per_switch: int) -> tuple[int, int]:
    """Return row and number in it of the neighbouring racks that one switch serves."""
    row, column = place
    return row, column // racks_per_switch


def _serve(demand: Demand, device_ports: Sequence[DevicePort], numbers: Mapping[str, int]) -> Iterator[Attachment]:
    """Yield what is plugged into each switch: its uplinks, itself, and the devices of its racks."""
    count = max(numbers.values()) + 1
    switches = [SwitchPorts(number, dict(demand.pins.get(number, {}))) for number in range(count)]
    digits = max(2, len(str(count)))
    wanted = [(switch, up, True) for switch, up in product(switches, demand.uplinks)]
    for switch in switches:
        name = f"{demand.fabric}-leaf-{switch.switch + 1:0{digits}d}"
        wanted += [(switch, own, False) for own in own_management(demand, name)]
    wanted += [(switches[numbers[device_port.device]], device_port, False) for device_port in device_ports]
    for switch, device_port, from_top in wanted:
        attachment = switch.take(device_port, demand.fit(device_port), from_top=from_top)
        if attachment is not None:
            yield attachment
