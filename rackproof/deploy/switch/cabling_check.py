"""Cabling: what ports hear, against what the plan puts at their other end."""

from collections.abc import Iterator, Mapping

from rackproof.deploy.switch.operational_state import PlannedNeighbour
from rackproof.facts.models import LldpNeighbour

CUT = "..."
"""What tables end a name with that is too long for its column."""


def contradictions(
    heard: Mapping[str, LldpNeighbour], planned: Mapping[str, PlannedNeighbour], site_devices: frozenset[str]
) -> tuple[str, ...]:
    """Return, in words, every cable that is not where the plan has it; silence contradicts nothing.

    Parameters
    ----------
    heard
        Our port to what it hears.
    planned
        Our port to what it should hear.
    site_devices
        Names of all devices of the site: another name may be a device that has not got its own yet.
    """
    wrong = dict(wrong_ports(heard, planned, site_devices))
    told: list[str] = []
    while wrong:
        port, other = next(iter(wrong.items()))
        del wrong[port]
        if other is not None and wrong.get(other) == port:
            del wrong[other]
            told.append(f"the cables at {port} and {other} are swapped: {sighting(port, heard, planned)}")
        else:
            move = f", and this end on {other}" if other else ""
            told.append(f"{sighting(port, heard, planned)}{move}")
    return tuple(told)


def wrong_ports(
    heard: Mapping[str, LldpNeighbour], planned: Mapping[str, PlannedNeighbour], site_devices: frozenset[str]
) -> Iterator[tuple[str, str | None]]:
    """Yield each port that hears the wrong end, with the port that this end belongs on (None: not on this switch)."""
    places = {(there.device, there.port): port for port, there in planned.items()}
    devices = site_devices | {there.device for there in planned.values()}
    for port, neighbour in heard.items():
        device = full_name(neighbour.device, devices)
        if device is None or same_cage(port, device, planned):
            continue
        belongs = next((at for (there, end), at in places.items() if there == device and is_name(neighbour, end)), None)
        expected = planned.get(port)
        if belongs == port or (belongs is None and (expected is None or expected.device == device)):
            continue
        yield port, belongs


def full_name(announced: str, devices: frozenset[str]) -> str | None:
    """Return the device that announces this name, with or without domain, cut off or not; None: none of ours."""
    name = announced.partition(".")[0]
    if announced.endswith(CUT):
        return next((device for device in devices if device.startswith(announced.removesuffix(CUT))), None)
    return name if name in devices else None


def is_name(neighbour: LldpNeighbour, port: str) -> bool:
    """Whether the other end announces this port."""
    return neighbour.remote_port == port


def same_cage(port: str, device: str, planned: Mapping[str, PlannedNeighbour]) -> bool:
    """Whether a port is not broken out yet, or not joined yet, and leads to a device that the plan has in its cage."""
    if port in planned:
        return False
    return any(
        there.device == device and (is_part(other, port) or is_part(port, other)) for other, there in planned.items()
    )


def is_part(port: str, cage: str) -> bool:
    """Whether a port is a part of another: Eth1/3/2 of Eth1/3, swp3s1 of swp3, and not Eth1/31 or swp31."""
    rest = port.removeprefix(cage)
    return rest not in {"", port} and not rest[0].isdigit()


def sighting(port: str, heard: Mapping[str, LldpNeighbour], planned: Mapping[str, PlannedNeighbour]) -> str:
    """Return what a port hears and what it should hear."""
    neighbour, expected = heard[port], planned.get(port)
    should = f"{expected.device} {expected.port}" if expected else "nothing"
    return f"{port} hears {neighbour.device} {neighbour.remote_port}, the plan has {should} there"
