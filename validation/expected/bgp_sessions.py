"""What the suites about routing share: the BGP sessions of a switch's plan, in every VRF."""

from collections.abc import Iterator
from typing import NamedTuple

from rackproof.facts.models import BgpSession
from rackproof.facts.nos.readers import DEFAULT_VRF
from rackproof.plan.model.plan import BgpNeighborIntent
from validation.expected.subjects import Switch
from validation.expected.switch_ports import port_name, switch_cables


class PlannedSession(NamedTuple):
    """A session that the plan has."""

    vrf: str
    name: str
    """Address or port, by the switch's own name."""
    intent: BgpNeighborIntent

    @property
    def families(self) -> tuple[str, ...]:
        """What routes it is to carry, in order."""
        return ("evpn", "ipv4") if self.intent.evpn else ("ipv4",)

    @property
    def who(self) -> str:
        """Who is at its other end, as a person calls them."""
        return self.intent.description or self.name


def configured_sessions(switch: Switch) -> Iterator[PlannedSession]:
    """Yield every session that the switch is configured for."""
    intent = switch.intent
    vrfs = {name: vrf.neighbors for name, vrf in intent.vrfs.items()}
    for vrf, neighbours in {DEFAULT_VRF: intent.bgp.neighbors if intent.bgp else {}, **vrfs}.items():
        for key, one in neighbours.items():
            yield PlannedSession(vrf, key if "." in key else port_name(switch, key), one)


def planned_sessions(switch: Switch) -> Iterator[PlannedSession]:
    """Yield the sessions that must be up; a port without a planned cable or uplink has none."""
    uplinks = {one.port for one in switch.site.plan.uplinks if one.switch == switch.name}
    used = {*switch_cables(switch), *uplinks}
    yield from (one for one in configured_sessions(switch) if "." in one.name or one.name in used)


def session_subject(switch: Switch, one: PlannedSession) -> str:
    """Return how results name a session: ``leaf-01/swp49``, in another VRF ``leaf-01/EXIT/swp49``."""
    vrf = "" if one.vrf == DEFAULT_VRF else f"{one.vrf}/"
    return f"{switch.name}/{vrf}{one.name}"


def running_session(switch: Switch, one: PlannedSession) -> BgpSession | None:
    """Return what the switch says of a session; None: it has none."""
    return switch.facts.sessions(one.vrf).get(one.name)
