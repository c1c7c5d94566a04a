"""Cabling check: LLDP neighbours compared with the planned peer ends."""

from collections.abc import Iterator, Mapping

from rackproof.deploy.switch.operational_state import PlannedNeighbour
from rackproof.facts.models import LldpNeighbour

CUT = "..."
"""Ends a name that a table cut off."""


def contradictions(
    heard: Mapping[str, LldpNeighbour], planned: Mapping[str, PlannedNeighbour], site_devices: frozenset[str]
) -> tuple[str, ...]:
    """Return a sentence on every cable that contradicts the plan; a missing neighbour contradicts nothing.

    Parameters
    ----------
    heard
        Port to its LLDP neighbour.
    planned
        Port to its planned peer end.
    site_devices
        Names of all devices of the site; another name may be that of a device that is not configured yet.
    """
    wrong = dict(wrong_ports(heard, planned, site_devices))
    messages: list[str] = []
    while wrong:
        port, other = next(iter(wrong.items()))
        del wrong[port]
        if other is not None and wrong.get(other) == port:
            del wrong[other]
            messages.append(f"the cables at {port} and {other} are swapped: {neighbour_text(port, heard, planned)}")
        else:
            move = f", and this end on {other}" if other else ""
            messages.append(f"{neighbour_text(port, heard, planned)}{move}")
    return tuple(messages)


def wrong_ports(
    heard: Mapping[str, LldpNeighbour], planned: Mapping[str, PlannedNeighbour], site_devices: frozenset[str]
) -> Iterator[tuple[str, str | None]]:
    """Yield each port with a wrong neighbour, and the port that the neighbour is planned on (None: none here)."""
    planned_on = {(peer.device, peer.port): port for port, peer in planned.items()}
    devices = site_devices | {peer.device for peer in planned.values()}
    for port, neighbour in heard.items():
        device = full_name(neighbour.device, devices)
        if device is None or same_cage(port, device, planned):
            continue
        belongs = planned_on.get((device, neighbour.remote_port))
        expected = planned.get(port)
        if belongs == port or (belongs is None and (expected is None or expected.device == device)):
            continue
        yield port, belongs


def full_name(announced: str, devices: frozenset[str]) -> str | None:
    """Return the device of the site with this name, given with or without domain or cut off; None: none."""
    name = announced.partition(".")[0]
    if announced.endswith(CUT):
        return next((device for device in devices if device.startswith(announced.removesuffix(CUT))), None)
    return name if name in devices else None


def same_cage(port: str, device: str, planned: Mapping[str, PlannedNeighbour]) -> bool:
    """Whether an unplanned port, not broken out or not joined yet, leads to a device planned in the same cage."""
    if port in planned:
        return False
    return any(
        peer.device == device and (is_part(other, port) or is_part(port, other)) for other, peer in planned.items()
    )


def is_part(port: str, cage: str) -> bool:
    """Whether a port is a part of another: Eth1/3/2 of Eth1/3, swp3s1 of swp3, and not Eth1/31 or swp31."""
    rest = port.removeprefix(cage)
    return rest not in {"", port} and not rest[0].isdigit()


def neighbour_text(port: str, heard: Mapping[str, LldpNeighbour], planned: Mapping[str, PlannedNeighbour]) -> str:
    """Return the LLDP neighbour of a port and the planned one."""
    neighbour, expected = heard[port], planned.get(port)
    should = f"{expected.device} {expected.port}" if expected else "nothing"
    return f"{port} hears {neighbour.device} {neighbour.remote_port}, the plan has {should} there"
