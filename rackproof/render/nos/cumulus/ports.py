"""Front panel ports: what they are called, how they are split, and what a port is without a line saying so."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from rackproof.plan.model.port_names import front_panel_port, nos_port_name, port_keys
from rackproof.render.nos.cumulus.tree import tree_from_paths, word
from rackproof.types import split_breakout

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rackproof.hardware.models import Breakout, NosModel, PortRange, SwitchModel
    from rackproof.render.config_tree import ConfigTree
    from rackproof.render.nos.cumulus.grouping import Names
    from rackproof.types import Fec

FEC_WORDS: Final[dict[Fec, str]] = {"rs": "rs", "fc": "baser", "none": "off"}
"""Switch-Port-Attributes: ``link fec`` takes rs, baser, off and auto; the last is the default and never written."""

COUNT: Final = re.compile(r"[248]x\Z")

WORDS_OF_FEC: Final[dict[str, Fec]] = {words: fec for fec, words in FEC_WORDS.items()}

PAM4_LANE_GBPS: Final = 50
"""Lanes from this speed on are PAM4 and always have Reed-Solomon FEC (IEEE 802.3 clauses 134 and 161): no line."""

LANES_FROM_GBPS: Final = 400
LANES_FROM_LANE_GBPS: Final = 100
"""From this speed on, on lanes of this speed, a reduced speed names its lanes.

At a forced speed without lanes, the driver takes the mode that is as wide as the port (Linux, "mlxsw: ethtool: Add
support for setting lanes when autoneg is off"): 400G on eight lanes of 100G would be eight times 50G. Modules of 400G
for such cages have four lanes (400GBASE-DR4, IEEE 802.3bs clause 124). Slower modules have one, two or four lanes.
"""

FEC_FREE_BELOW_GBPS: Final = 25
"""Slower lanes have no FEC (IEEE 802.3): no line."""


@dataclass(frozen=True, slots=True)
class PortNature:
    """What a port is of itself."""

    cage: str
    lanes: int
    speed_gbps: int
    """The default: the most that its lanes carry."""
    asked_speed_gbps: int
    """As the breakout's name has it."""

    def fec(self, speed_gbps: int) -> Fec | None:
        """Return the FEC at a speed without a line saying so; None where it must be said."""
        lane_gbps = speed_gbps / self.lanes
        if self.cage == "rj45" or lane_gbps < FEC_FREE_BELOW_GBPS:
            return "none"
        return "rs" if lane_gbps >= PAM4_LANE_GBPS else None

    def reduced_lanes(self, speed_gbps: int) -> int | None:
        """Return the number of lanes of a speed below the port's own; None where modules differ in it."""
        lane_gbps = self.speed_gbps // self.lanes
        named = speed_gbps >= LANES_FROM_GBPS and lane_gbps >= LANES_FROM_LANE_GBPS
        return speed_gbps // lane_gbps if named else None


@dataclass(frozen=True, slots=True)
class PortNames:
    """Keys of the plan and names of the switch, as it is split; ports without lanes of their own are left out."""

    name_of: Mapping[str, str]
    key_of: Mapping[str, str]
    of_nature: Sequence[tuple[PortNature, Sequence[tuple[str, str]]]]
    """What ports are of themselves, and (name, key) of those that are so."""
    split: Sequence[Names]
    """Whole ports that are split alike or off because of that, and what says so; to be read only."""


_known: dict[tuple[int, int, tuple[tuple[str, str], ...]], tuple[NosModel, SwitchModel, PortNames]] = {}
"""By identity of the models, which stand beside the names so that their identity stays theirs."""


def port_names(nos: NosModel, model: SwitchModel, breakouts: Mapping[str, str]) -> PortNames:
    """Return the names of every port, worked out once for all switches of a model that are split alike."""
    alike = (id(nos), id(model), tuple(breakouts.items()))
    if alike not in _known:
        _known[alike] = (nos, model, _port_names(nos, model, breakouts))
    return _known[alike][2]


def _port_names(nos: NosModel, model: SwitchModel, breakouts: Mapping[str, str]) -> PortNames:
    """Return the names of every port."""
    off = ports_without_lanes(model, breakouts)
    key_of = {name: key for name, key in port_keys(nos, model, breakouts).items() if key not in off}
    name_of = {key: name for name, key in key_of.items()}
    of_nature: dict[PortNature, list[tuple[str, str]]] = {}
    for key, nature in port_natures(model, name_of, breakouts).items():
        of_nature.setdefault(nature, []).append((name_of[key], key))
    return PortNames(name_of, key_of, tuple(of_nature.items()), _split(nos, model, breakouts, off))


def ports_without_lanes(model: SwitchModel, breakouts: Mapping[str, str]) -> frozenset[str]:
    """Return the ports whose lanes the port before them takes."""
    return frozenset(
        str(int(port) + 1) for port, mode in breakouts.items() if _breakout(model, int(port), mode).blocks_neighbour
    )


def _breakout(model: SwitchModel, port: int, mode: str) -> Breakout:
    """Return the catalogue's row for a port's breakout mode.

    Raises
    ------
    KeyError
        The port has no such mode.
    """
    for breakout in model.port_range(port).breakouts:
        if breakout.mode == mode:
            return breakout
    raise KeyError(mode)


def port_natures(model: SwitchModel, keys: Iterable[str], breakouts: Mapping[str, str]) -> dict[str, PortNature]:
    """Return what ports are as they are split, by key."""
    known: dict[tuple[int, str | None], PortNature] = {}
    natures = {}
    for key in keys:
        port = key.partition("/")[0]
        ports, mode = model.port_range(int(port)), breakouts.get(port)
        nature = known.get((ports.first, mode))
        if nature is None:
            nature = known[ports.first, mode] = _nature(ports, mode)
        natures[key] = nature
    return natures


def _nature(ports: PortRange, mode: str | None) -> PortNature:
    """Return what the ports of a range are when they are split so."""
    if mode is None:
        return PortNature(ports.cage, ports.lanes, ports.speed_gbps, ports.speed_gbps)
    children, asked = split_breakout(mode)
    row = next(row for row in ports.breakouts if row.mode == mode)
    most = max(split_breakout(other.mode)[1] for other in _alike(ports, mode))
    return PortNature(ports.cage, max(row.lanes // children, 1), most, asked)


def _alike(ports: PortRange, mode: str) -> list[Breakout]:
    """Return the breakouts with as many children as ``mode``: NVUE distinguishes them by the children's speed."""
    children, _ = split_breakout(mode)
    return [row for row in ports.breakouts if split_breakout(row.mode)[0] == children]


def _split(nos: NosModel, model: SwitchModel, breakouts: Mapping[str, str], off: Iterable[str]) -> list[Names]:
    """Return the ports that are split, by how; and those that are off because of that."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for port, mode in breakouts.items():
        children, _ = split_breakout(mode)
        lanes = _breakout(model, int(port), mode).lanes // children
        words = (f"{children}x", "lanes-per-port", str(lanes))
        alike.setdefault(words, []).append(nos_port_name(nos, model, port, {}))
    if off:
        alike["disabled",] = [nos_port_name(nos, model, port, {}) for port in off]
    blocks = (tree_from_paths([("type", "swp"), ("link", "breakout", *words)]) for words in alike)
    return list(zip(alike.values(), blocks, strict=True))


def read_breakouts(nos: NosModel, model: SwitchModel, tree: ConfigTree) -> dict[str, str]:
    """Return the splits that the model has: of modes with as many children, the one of the first child's speed."""
    found = {}
    for name, key in port_keys(nos, model, {}).items():
        count = word(tree, "interface", name, "link", "breakout") or ""
        if not COUNT.match(count):
            continue
        speed = word(tree, "interface", f"{name}s{nos.first_child}", "link", "speed")
        rows = _alike(model.port_range(front_panel_port(key)), f"{count}1G")
        modes = {split_breakout(row.mode)[1]: row.mode for row in rows}
        if modes:
            found[key] = modes.get(speed_gbps(speed) if speed else max(modes), modes[max(modes)])
    return found


def speed_gbps(speed: str) -> int:
    """Return the speed that a word such as ``400G`` or ``100M`` names, whole Gb/s."""
    return int(speed[:-1]) if speed.endswith("G") and speed[:-1].isdecimal() else 0
