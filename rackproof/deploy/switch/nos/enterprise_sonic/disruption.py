"""What a change of the intent does to traffic on Enterprise SONiC."""

from rackproof.deploy.protocol import Disruption
from rackproof.deploy.switch.compare.diff import Difference
from rackproof.plan.model.plan import SwitchIntent

HARMLESS_PORT_FIELDS = frozenset({"description", "cable_length_m"})
"""A cable length changes a buffer profile, which the switch exchanges while the port stays up."""
RESETS_SESSIONS = frozenset({"asn", "router_id"})


def disruption(difference: Difference, running: SwitchIntent) -> Disruption:
    """Return the disruption of applying a difference.

    Parameters
    ----------
    difference
        Between the running intent and the intended one.
    running
        With RoCE the switch is in lossless mode now: ports that are broken out then work after a restart only (HLD
        "QoS buffer and RoCE", 2.2.9).
    """
    match difference.path:
        case ("roce",) | ("roce", "lossless", _):
            found = Disruption.REBOOT
        case ("breakouts", _):
            found = Disruption.REBOOT if running.roce is not None else Disruption.PORT_RESET
        case ("ports" | "port_channels", _, *rest):
            found = port_disruption(difference, rest)
        case ("vlans", _, *rest):
            found = Disruption.PORT_RESET if difference.after is None or rest == ["address"] else Disruption.NONE
        case ("bgp", *rest):
            found = bgp_disruption(difference, rest)
        case ("vxlan", *_) | ("loopback",) | ("management", *_):
            found = Disruption.NONE if difference.before is None else Disruption.SESSION_RESET
        case _:
            found = Disruption.NONE
    return found


def port_disruption(difference: Difference, rest: list[str | int]) -> Disruption:
    """Return what a change of a port, or of a port channel, does: a new one disturbs no traffic."""
    if not rest:
        return Disruption.NONE if difference.before is None else Disruption.PORT_RESET
    return Disruption.NONE if rest[0] in HARMLESS_PORT_FIELDS else Disruption.PORT_RESET


def bgp_disruption(difference: Difference, rest: list[str | int]) -> Disruption:
    """Return what a change of BGP does: a neighbour that is new disturbs no other."""
    if difference.before is None:
        return Disruption.NONE
    if not rest or rest[0] in RESETS_SESSIONS or (rest[0] == "neighbors" and rest[-1] != "description"):
        return Disruption.SESSION_RESET
    return Disruption.NONE
