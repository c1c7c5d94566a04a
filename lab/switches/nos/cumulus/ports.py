"""Front panel ports: what they are called and what they are, as they are split (Switch-Port-Attributes)."""

from collections.abc import Iterator
from dataclasses import dataclass

from lab.spec.models import PortSpec, SwitchSpec
from lab.switches.nos.cumulus.tree import Tree, at

DISABLED = "disabled"


@dataclass(frozen=True, slots=True)
class Port:
    """An interface of the front panel."""

    name: str
    cage: str
    """Name of the port it is or is a part of."""
    lanes: int
    speed_mbps: int
    """What its lanes carry."""


def front_panel_ports(spec: SwitchSpec, tree: Tree) -> Iterator[Port]:
    """Yield the interfaces that a switch has in a configuration."""
    for port in spec.ports.values():
        cage = f"swp{port.number}"
        breakout = at(tree, "interface", cage, "link", "breakout")
        mode = next(iter(breakout), "1x")
        if mode == DISABLED:
            continue
        children = int(mode.removesuffix("x"))
        lanes = _lanes(port, children, breakout.get(mode))
        speed_mbps = port.speed_mbps // port.cage_lanes * lanes
        if children == 1:
            yield Port(cage, cage, lanes, speed_mbps)
        else:
            yield from (Port(f"{cage}s{child}", cage, lanes, speed_mbps) for child in range(children))


def _lanes(port: PortSpec, children: int, settings: Tree | None) -> int:
    stated = (settings or {}).get("lanes-per-port")
    return int(stated) if stated else max(port.cage_lanes // children, 1)
