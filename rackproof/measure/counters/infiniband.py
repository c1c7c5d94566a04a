"""InfiniBand subnets, from ``ibnetdiscover`` and ``sminfo`` (linux-rdma/rdma-core, infiniband-diags)."""

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

SWITCH: Final = re.compile(r'^Switch\s+(?P<ports>\d+)\s+"S-(?P<guid>[0-9a-f]+)"', re.MULTILINE)
PEER: Final = re.compile(
    r'^\[(?P<port>\d+)\](?:\[ext \d+\])?\s+"H-(?P<guid>[0-9a-f]+)"\[\d+\]'
    r'.*?#\s*"(?P<name>[^"]*)".*?\s(?P<link>\d+x\w+)\s*$',
    re.MULTILINE,
)
MANAGER: Final = re.compile(r"sm lid (?P<lid>\d+) .*priority (?P<priority>\d+) state \d+ SMINFO_(?P<state>\w+)")
PORTS_UNSPLIT: Final = 65
"""Of a QM9700 or QM9790: 64 of 400 Gb/s and one inside (NVIDIA QM97XX user manual, Interfaces). With ports that may be
split it has 129, and a port that is not split has the first number of its two."""


class Cable(NamedTuple):
    """The adapter on a port of a switch."""

    switch: str
    """GUID, in hex."""
    port: int
    """Number of the port if no port were split."""
    host: str
    """GUID of the adapter, in hex."""
    name: str
    """As the adapter describes itself: ``gpu-001 mlx5_0``."""
    link: str
    """``4xNDR``."""


def discovered_cables(text: str) -> tuple[Cable, ...]:
    """Return the adapters on switches, from ``ibnetdiscover``.

    Raises
    ------
    ValueError
        There is no switch in it.
    """
    found = tuple(_cables(text))
    if not SWITCH.search(text):
        raise ValueError("ibnetdiscover shows no switch")
    return found


def _cables(text: str) -> Iterator[Cable]:
    heads = list(SWITCH.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    for head, end in zip(heads, ends, strict=True):
        split = int(head["ports"]) > PORTS_UNSPLIT
        # The adapters follow the last switch; each begins with its vendor ID.
        block = text[head.end() : end].split("\nvendid=", maxsplit=1)[0]
        for peer in PEER.finditer(block):
            number = int(peer["port"])
            yield Cable(head["guid"], (number + 1) // 2 if split else number, peer["guid"], peer["name"], peer["link"])


def port_number(port: str) -> int:
    """Return a switch's number for a port that the plan names ``3/2``: two in a cage, counted from 1.

    Raises
    ------
    ValueError
        The port has another kind of name.
    """
    cage, _, child = port.partition("/")
    return (int(cage) - 1) * 2 + int(child) if child else int(cage)


class Manager(NamedTuple):
    """A subnet manager as it describes itself."""

    state: str
    """``master``, ``standby``, ``discover`` or ``notact``."""
    priority: int


def subnet_manager(text: str) -> Manager:
    """Return the subnet manager that ``sminfo`` prints.

    Raises
    ------
    ValueError
        No manager answered.
    """
    match = MANAGER.search(text)
    if match is None:
        raise ValueError("no subnet manager answers there")
    return Manager(match["state"].lower(), int(match["priority"]))


def guid_digits(guid: str) -> str:
    """Return a GUID as ``ibnetdiscover`` writes it: sysfs puts colons between its words."""
    return guid.replace(":", "").removeprefix("0x").lower().rjust(16, "0")


def switch_guids(cables: Mapping[str, tuple[str, Cable]]) -> dict[str, str]:
    """Return switch of the plan to the GUID of the switch with most of its planned adapters.

    Parameters
    ----------
    cables
        Rail port to its planned switch, and the cable found.
    """
    votes: dict[str, dict[str, int]] = {}
    for switch, cable in cables.values():
        counted = votes.setdefault(switch, {})
        counted[cable.switch] = counted.get(cable.switch, 0) + 1
    return {switch: max(counted, key=lambda guid: counted[guid]) for switch, counted in votes.items()}
