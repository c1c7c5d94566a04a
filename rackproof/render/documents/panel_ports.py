"""What is plugged into each cage of a switch, in the words of the person who stands in front of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final

from rackproof.plan.model.port_names import front_panel_port, port_keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rackproof.hardware.models import PortRange, SwitchModel
    from rackproof.plan.model.plan import SwitchPlan
    from rackproof.render.documents.record import Record

NUMBERED: Final = re.compile(r"^(.*?)(\d+)$")


@dataclass(frozen=True, slots=True)
class CagePort:
    """A cage of a front panel."""

    number: int
    names: tuple[str, ...]
    """What the NOS calls the port, or its child ports."""
    split: str
    """Breakout mode, or the speed of the unsplit port."""
    use: str
    """server, switch, PDU, uplink, free, or off where the split next to it takes its lanes."""
    lines: tuple[str, ...]
    """What is at the other end."""


def cages(record: Record, switch: SwitchPlan) -> list[tuple[PortRange, list[CagePort]]]:
    """Return the cages of a switch, range by range."""
    model, breakouts = record.catalogue.switch(switch.model), switch.breakouts
    names: dict[int, list[tuple[str, str]]] = {}
    for name, key in port_keys(record.catalogue.nos(switch.nos), model, breakouts).items():
        names.setdefault(front_panel_port(key), []).append((name, key))
    off = _switched_off(model, breakouts)
    return [
        (ports, [_cage(record, switch, ports, number, names, off) for number in range(ports.first, ports.last + 1)])
        for ports in model.ports
    ]


def _switched_off(model: SwitchModel, breakouts: Mapping[str, str]) -> set[int]:
    """Return the cages that a split of the one before them takes the lanes of."""
    return {int(port) + 1 for port, mode in breakouts.items() if _blocks_neighbour(model, int(port), mode)}


def _blocks_neighbour(model: SwitchModel, port: int, mode: str) -> bool:
    """Return whether a split of a port takes the lanes of the next one."""
    return any(one.mode == mode and one.blocks_neighbour for one in model.port_range(port).breakouts)


def _cage(
    record: Record,
    switch: SwitchPlan,
    ports: PortRange,
    number: int,
    names: Mapping[int, Sequence[tuple[str, str]]],
    off: set[int],
) -> CagePort:
    """Return one cage."""
    here = names[number]
    ends = [(peer.device, peer.port) for name, _ in here if (peer := record.peers.get((switch.name, name)))]
    uses = switch.intent.ports if switch.intent else {}
    others = [uses[key].description for _, key in here if key in uses]
    split = switch.breakouts.get(str(number)) or f"{ports.speed_gbps}G"
    all_names = tuple(name for name, _ in here)
    if ends:
        device = record.devices.get(ends[0][0])
        return CagePort(number, all_names, split, device.kind if device else "uplink", tuple(peer_lines(ends)))
    if others:
        return CagePort(number, all_names, split, "uplink", tuple(dict.fromkeys(others)))
    return CagePort(number, all_names, split, *(("off", ("disabled",)) if number in off else ("free", ())))


def peer_lines(ends: Iterable[tuple[str, str]]) -> list[str]:
    """Return the other ends of a cage: device and ports on two lines where there is one device, else a line each."""
    rows = [(device, joined([port for _, port in run])) for device, run in groupby(ends, key=lambda end: end[0])]
    return list(rows[0]) if len(rows) == 1 else [f"{device} {ports}" for device, ports in rows]


def joined(ports: Sequence[str]) -> str:
    """Return port names in short: rail0, rail1, rail2 are ``rail0-2``."""
    matches = [NUMBERED.match(port) for port in ports]
    found = [(match[1], int(match[2])) for match in matches if match]
    if len(found) != len(ports) or len(ports) == 1:
        return " ".join(ports)
    shown = []
    for (prefix, _), run in groupby(enumerate(found), key=lambda pair: (pair[1][0], pair[1][1] - pair[0])):
        numbers = [number for _, (_, number) in run]
        shown.append(f"{prefix}{numbers[0]}-{numbers[-1]}" if len(numbers) > 1 else f"{prefix}{numbers[0]}")
    return " ".join(shown)
