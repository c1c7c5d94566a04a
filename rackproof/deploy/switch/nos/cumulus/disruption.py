"""What a change of the intent does to traffic on Cumulus Linux."""

from typing import Final

from rackproof.deploy.protocol import Disruption
from rackproof.deploy.switch.compare.diff import Difference
from rackproof.plan.model.plan import PortChannelIntent, PortIntent, SwitchIntent

HARMLESS_PORT_FIELDS: Final = frozenset(
    {"description", "cable_length_m", "lossless", "adaptive_routing", "lacp_bypass"}
)
"""Adaptive routing is judged separately: its effect depends on the release."""
RESETS_SESSIONS: Final = frozenset({"asn", "router_id"})
RESTARTS_FOR_ADAPTIVE_ROUTING: Final = "5.12"
"""The dialect of the releases in which adaptive routing restarts switchd; later ones reload it (What's New, 5.13)."""


def disruption(difference: Difference, running: SwitchIntent) -> Disruption:
    """Return the disruption of applying a difference.

    Parameters
    ----------
    difference
        Between the running intent and the intended one.
    running
        What the switch is configured to do.
    """
    if restarts_switchd(difference, running):
        return Disruption.SWITCHD_RESTART
    match difference.path:
        case ("breakouts", _):
            found = Disruption.PORT_RESET
        case ("roce",) | ("roce", "lossless_buffer_percent" | "lossless"):
            found = Disruption.PORT_RESET
        case ("ports" | "port_channels", _, *rest):
            found = port_disruption(difference, rest)
        case ("vlans", _, *rest):
            found = Disruption.PORT_RESET if difference.after is None or rest == ["address"] else Disruption.NONE
        case ("bgp", *rest):
            found = bgp_disruption(difference, rest)
        case ("vxlan", *_) | ("loopback",) | ("management", *_) | ("vrfs", *_) | ("default_route",):
            found = Disruption.NONE if difference.before is None else Disruption.SESSION_RESET
        case _:
            found = Disruption.NONE
    return found


def restarts_switchd(difference: Difference, running: SwitchIntent) -> bool:
    """Whether switchd restarts, so that every port goes down.

    It does when EVPN multihoming begins or ends (EVPN-Multihoming), and in 5.12 when adaptive routing does
    (Equal-Cost-Multipath-Load-Sharing).
    """
    if difference.path[:1] == ("port_channels",):
        segments = sum(1 for channel in running.port_channels.values() if channel.ethernet_segment)
        return begins_or_ends(has_segment(difference.before), has_segment(difference.after), segments)
    if difference.path[:1] == ("ports",) and running.dialect == RESTARTS_FOR_ADAPTIVE_ROUTING:
        ports = sum(1 for port in running.ports.values() if port.adaptive_routing)
        before, after = (routes_adaptively(difference, side) for side in (difference.before, difference.after))
        return begins_or_ends(before, after, ports)
    return False


def begins_or_ends(before: bool, after: bool, users: int) -> bool:  # noqa: FBT001 two sides of one thing
    """Whether a feature gets its first user, or may lose its last, because other changes may remove the rest."""
    return before != after and (users == 0 if after else True)


def has_segment(side: object) -> bool:
    """Whether one side of a difference of a port channel, or of its segment, has an Ethernet segment."""
    return side.ethernet_segment is not None if isinstance(side, PortChannelIntent) else is_segment(side)


def is_segment(side: object) -> bool:
    """Whether one side of a difference is an Ethernet segment itself."""
    return type(side).__name__ == "EthernetSegmentIntent"


def routes_adaptively(difference: Difference, side: object) -> bool:
    """Whether one side of a difference of a port routes adaptively."""
    if isinstance(side, PortIntent):
        return side.adaptive_routing
    return difference.path[-1] == "adaptive_routing" and side is True


def port_disruption(difference: Difference, rest: list[str | int]) -> Disruption:
    """Return what a change of a port, or of a bond, does: a new one disturbs no traffic."""
    if not rest:
        return Disruption.NONE if difference.before is None else Disruption.PORT_RESET
    return Disruption.NONE if rest[0] in HARMLESS_PORT_FIELDS else Disruption.PORT_RESET


def bgp_disruption(difference: Difference, rest: list[str | int]) -> Disruption:
    """Return what a change of BGP does: enabling it and another ASN restart FRR (Basic-BGP-Configuration)."""
    if not rest or rest[0] in RESETS_SESSIONS:
        return Disruption.SESSION_RESET
    if difference.before is None:
        return Disruption.NONE
    return Disruption.SESSION_RESET if rest[0] == "neighbors" and rest[-1] != "description" else Disruption.NONE
