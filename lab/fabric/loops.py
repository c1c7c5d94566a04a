"""The ports that are kept out of their VLAN's bridge to avoid loops: the lab has neither LACP nor STP."""

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from lab.spec.models import LabEnd, LabLink
from lab.switches.forwarding import Forwarding

Segment: TypeAlias = tuple[str, int]
"""A VLAN of a switch."""


def blocked(links: Iterable[LabLink], states: Mapping[str, Forwarding]) -> frozenset[LabEnd]:
    """Return both ends of every link between switches that would close a loop: all members of a bundle but one.

    Hosts close no loop: each of their ports is a station of its own.
    """
    group: dict[Segment, Segment] = {}

    def root(segment: Segment) -> Segment:
        while segment in group:
            segment = group[segment]
        return segment

    found: set[LabEnd] = set()
    for link in links:
        ends = tuple(_segment(end, states) for end in (link.a, link.b))
        if ends[0] is None or ends[1] is None:
            continue
        one, two = root(ends[0]), root(ends[1])
        if one == two:
            found.update((link.a, link.b))
        else:
            group[one] = two
    return frozenset(found)


def _segment(end: LabEnd, states: Mapping[str, Forwarding]) -> Segment | None:
    state = states.get(end.device)
    port = None if state is None else state.ports.get(end.port)
    return None if port is None or port.access_vlan is None else (end.device, port.access_vlan)
