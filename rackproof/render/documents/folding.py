"""A fabric in few boxes: switch by switch where they are few, redundancy group by group where they are many.

Where there are many groups too, the first ones and the last are shown and the rest is one box with a count: units of a
large fabric are alike.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rackproof.plan.model.plan import Link, SwitchPlan
    from rackproof.render.documents.record import Record

MOST: Final = 8
"""Boxes side by side that are still read on A4."""
OUTSIDE: Final = "networks outside"
SHOWN: Final = 3
"""Groups shown before the box of the others."""


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """One or more devices that are drawn as one; equal to itself alone, so that looking it up costs nothing."""

    tier: int
    """0: servers and other hosts; 1: leaves; 2: spines; 3: super-spines."""
    names: tuple[str, ...]
    what: str
    """What they are: the word after their number."""
    kind: str
    """Colour."""

    @property
    def title(self) -> str:
        """The name of one device; the first and the last of several."""
        return self.names[0] if len(self.names) == 1 else f"{self.names[0]} to {self.names[-1]}"


@dataclass(frozen=True, slots=True)
class Folded:
    """Boxes by tier, and what runs between them."""

    tiers: Mapping[int, tuple[Box, ...]]
    edges: tuple[tuple[Box, Box], ...]
    """(upper box, lower box) that links run between; both are the same box for links within it."""


def fold(record: Record, fabric: str, links: Sequence[Link]) -> Folded:
    """Return the boxes of what ``links`` of a fabric join."""
    roles = ("leaf", "spine", "super-spine")
    colour = _colour(record, fabric)
    tiers: dict[int, tuple[Box, ...]] = {}
    switches = [record.plan.switches[name] for name in _serving(links) if name in record.plan.switches]
    for tier, role in enumerate(roles, start=1):
        ours = sorted((s for s in switches if s.role == role), key=lambda s: s.index)
        groups: dict[str, list[str]] = {}
        for switch in ours:
            groups.setdefault(_together(record, switch), []).append(switch.name)
        boxes = _boxes(tier, list(groups.values()), _word(role), colour)
        tiers |= {tier: boxes} if boxes else {}
    box_of = box_by_name(chain.from_iterable(tiers.values()))
    hosts = _hosts(record, [link for link in links if link.kind != "inter-switch"], box_of)
    tiers |= {0: hosts} if hosts else {}
    box_of = box_by_name(hosts) | box_of
    return Folded(dict(sorted(tiers.items(), reverse=True)), _edges(links, tiers, box_of))


def box_by_name(boxes: Iterable[Box]) -> dict[str, Box]:
    """Return the name of each device to the box that it is drawn in."""
    found: dict[str, Box] = {}
    for box in boxes:
        found |= dict.fromkeys(box.names, box)
    return found


def _together(record: Record, switch: SwitchPlan) -> str:
    """Return what a switch is drawn together with: its redundancy group, or its network between storage nodes."""
    if record.plan.fabrics[switch.fabric].role == "storage-backend":
        return f"network {switch.index % 2}"
    return switch.redundancy_group


def _serving(links: Iterable[Link]) -> Iterable[str]:
    """Return the devices that others are plugged into: switches, of this fabric or shared with it."""
    ends = ((link.a.device, link.b.device if link.kind == "inter-switch" else link.a.device) for link in links)
    return dict.fromkeys(chain.from_iterable(ends))


def _colour(record: Record, fabric: str) -> str:
    role = record.plan.fabrics[fabric].role
    return role if role in {"backend", "frontend", "oob"} else "other"


def _word(role: str) -> str:
    return {"leaf": "leaves", "spine": "spines"}.get(role, f"{role}s")


def _boxes(tier: int, groups: Sequence[Sequence[str]], what: str, kind: str, most: int = MOST) -> tuple[Box, ...]:
    """Return a box a device where they are few, a box a group where these are few, else the first and the last."""
    if sum(map(len, groups)) <= most:
        return tuple(Box(tier, (name,), what, kind) for name in chain.from_iterable(groups))
    parts: list[Sequence[str]] = list(groups)
    if len(groups) == 1:
        parts = [groups[0][:1], groups[0][1:-1], groups[0][-1:]] if tier > 1 else [groups[0]]
    elif len(groups) > most:
        middle = list(chain.from_iterable(groups[SHOWN:-1]))
        parts = [*groups[:SHOWN], middle, groups[-1]]
    return tuple(Box(tier, tuple(part), what, kind) for part in parts)


def _hosts(record: Record, links: Sequence[Link], box_of: Mapping[str, Box]) -> tuple[Box, ...]:
    """Return the boxes of what is plugged into leaves: servers by the leaves they share, everything else by kind."""
    above: dict[str, dict[Box, None]] = {}
    for link in links:
        if link.a.device in box_of:
            above.setdefault(link.b.device, {})[box_of[link.a.device]] = None
    servers: dict[tuple[Box, ...], list[str]] = {}
    others: dict[str, list[str]] = {}
    for name, leaves in above.items():
        device = record.devices.get(name)
        if device and device.kind == "server":
            servers.setdefault(tuple(leaves), []).append(name)
        else:
            others.setdefault(_others(device.kind if device else ""), []).append(name)
    kinds = {"storage nodes": "storage"}
    rest = [Box(0, tuple(sorted(names)), what, kinds.get(what, "other")) for what, names in others.items()]
    groups = [sorted(names) for names in servers.values()]
    return (*_boxes(0, groups, "servers", "server", MOST - len(rest)), *rest)


def _others(kind: str) -> str:
    return {"switch": "switches (management)", "PDU": "PDUs", "storage": "storage nodes"}.get(kind, OUTSIDE)


def _edges(
    links: Iterable[Link], tiers: Mapping[int, Sequence[Box]], box_of: Mapping[str, Box]
) -> tuple[tuple[Box, Box], ...]:
    """Return which boxes are joined; the management of switches is a box of its own, though they have one already."""
    managed = box_by_name(tiers.get(0, ()))
    edges: dict[tuple[Box, Box], None] = {}
    for link in links:
        upper = box_of.get(link.a.device)
        lower = (managed if link.kind != "inter-switch" else box_of).get(link.b.device)
        if upper is None or lower is None:
            continue
        edges[(upper, lower) if upper.tier >= lower.tier else (lower, upper)] = None
    return tuple(edges)
