"""Underlay and EVPN: every BGP session is established, with the planned neighbour, and all ways are in use."""

from collections.abc import Iterator

from rackproof.plan.models import BgpNeighborIntent, SwitchIntent
from validation.fixtures import Judge, Switch, applies_to
from validation.ports import UP, cables_at, other_end, port_name
from validation.subjects import SiteUnderTest

LOOK = "is the link up, and is the other end configured? `rackproof up <site>` waits for every session"


def has_sessions(switch: Switch) -> bool:
    """Whether the intent has neighbours in the default VRF."""
    return switch.intent.bgp is not None and bool(switch.intent.bgp.neighbors)


def has_evpn(switch: Switch) -> bool:
    """Whether one of them carries EVPN routes."""
    return has_sessions(switch) and any(one.evpn for _, one in neighbours(switch))


@applies_to(has_sessions)
def test_session_is_established(switch: Switch, judge: Judge) -> None:
    """Every BGP session of the plan is established."""
    sessions = switch.facts.sessions()
    for name, intent in neighbours(switch):
        session = sessions.get(name)
        actual = "not configured" if session is None else "established" if session.established else "not established"
        who = f"BGP session of {switch.name} with {intent.description or name}"
        judge.holds(
            f"{switch.name}/{name}",
            actual == "established",
            expected="established",
            actual=actual,
            remedy=f"{who}: {UP if session is None else LOOK}",
        )


@applies_to(has_sessions)
def test_neighbour_has_the_planned_asn(switch: Switch, judge: Judge) -> None:
    """Behind every established session stands a router with the ASN that the plan has there."""
    sessions = switch.facts.sessions()
    for name, intent in neighbours(switch):
        session = sessions.get(name)
        if session is None or not session.established:
            judge.error(f"{switch.name}/{name}", "the session is not established, so nobody told an ASN", LOOK)
            continue
        there = other_end(switch, switch.name, name)
        expected = asn_of(switch, intent, None if there is None else there.device)
        if expected is None:
            judge.holds(
                f"{switch.name}/{name}",
                session.remote_asn != switch.intent.bgp.asn if switch.intent.bgp else True,
                expected="any ASN but our own",
                actual=str(session.remote_asn),
                remedy=UP,
            )
        else:
            remedy = f"{intent.description or name} runs with another ASN: {UP}"
            judge.equal(f"{switch.name}/{name}", expected=expected, actual=session.remote_asn, remedy=remedy)


@applies_to(lambda switch: any(expected_ways(switch.site, switch.name)))
def test_all_ways_of_equal_cost_are_in_use(switch: Switch, judge: Judge) -> None:
    """To the loopback of every other switch of the fabric leads a route over all shortest ways that the plan has."""
    routes = switch.facts.routes()
    for other, keys in expected_ways(switch.site, switch.name):
        limit = switch.intent.bgp.maximum_paths if switch.intent.bgp else 1
        expected = {key for key, _ in keys}
        route = routes.get(loopback_of(switch.site.plan.intents()[other]))
        actual = set() if route is None else set(route.next_hops)
        wide_enough = len(actual) == min(limit, len(expected)) and actual <= expected
        missing, strange = sorted(expected - actual), sorted(actual - expected)
        judge.holds(
            f"{switch.name} > {other}",
            wide_enough,
            expected=f"{min(limit, len(expected))} ways over {listed(sorted(expected))}",
            actual=told(route is not None, len(actual), missing, strange),
            remedy=f"look at the links and sessions of {switch.name} at {listed(missing or strange)}",
        )


@applies_to(has_evpn)
def test_session_carries_evpn(switch: Switch, judge: Judge) -> None:
    """Every session that stretches networks carries EVPN routes."""
    sessions = switch.facts.sessions()
    for name, intent in neighbours(switch):
        if intent.evpn:
            session = sessions.get(name)
            carried = session is not None and session.established and session.evpn
            actual = "EVPN" if carried else "no EVPN" if session is not None and session.established else "no session"
            judge.equal(f"{switch.name}/{name}", expected="EVPN", actual=actual, remedy=UP)


def neighbours(switch: Switch) -> Iterator[tuple[str, BgpNeighborIntent]]:
    """Yield the sessions of the default VRF, by the switch's own names; one over a port without a cable is nobody's."""
    planned = cables_at(switch)
    found = switch.intent.bgp.neighbors if switch.intent.bgp else {}
    for key, intent in found.items():
        name = key if "." in key else port_name(switch, key)
        if "." in name or name in planned:
            yield name, intent


def asn_of(switch: Switch, intent: BgpNeighborIntent, device: str | None) -> int | None:
    """Return the ASN of a neighbour; None: the plan leaves it open."""
    own = switch.intent.bgp
    if intent.internal:
        return None if own is None else own.asn
    there = switch.site.plan.intents().get(device or "")
    return intent.remote_asn or (there.bgp.asn if there is not None and there.bgp is not None else None)


def expected_ways(site: SiteUnderTest, name: str) -> Iterator[tuple[str, set[tuple[str, str]]]]:
    """Yield every switch that sessions over cables lead to, with the ports (and who is there) of all shortest ways.

    A route that has been through an ASN does not come back to it (RFC 4271, 9.1.2): two switches with one ASN have
    routes to each other only over a session of their own.
    """
    intents = site.plan.intents()
    found: dict[str, set[tuple[str, str]]] = {name: set()}
    edge = [name]
    while edge:
        further: dict[str, set[tuple[str, str]]] = {}
        for here in edge:
            for port, far in adjacent(site, here):
                if far not in found:
                    further.setdefault(far, set()).update({(port, far)} if here == name else found[here])
        found.update(further)
        edge = list(further)
    for far, ways in found.items():
        near = far in {one for _, one in adjacent(site, name)}
        if far != name and (near or asn(intents[far]) != asn(intents[name])) and loopback_of(intents[far]):
            yield far, ways


def adjacent(site: SiteUnderTest, name: str) -> Iterator[tuple[str, str]]:
    """Yield the ports of a switch over which it has a session with another switch, and that switch."""
    switches = site.plan.switches
    for port, cable in site.cables.get(name, {}).items():
        intents = (switches[one].intent for one in (name, cable.there.device) if cable.joins_switches)
        if cable.joins_switches and all(intent is not None and asn(intent) for intent in intents):
            yield port, cable.there.device


def asn(intent: SwitchIntent) -> int | None:
    """Return a switch's ASN."""
    return None if intent.bgp is None else intent.bgp.asn


def loopback_of(intent: SwitchIntent) -> str:
    """Return the prefix of a switch's loopback; empty: it has none."""
    return intent.loopback or ""


def listed(ports: list[str]) -> str:
    """Return ports as a person reads them."""
    return ", ".join(ports) or "none"


def told(known: bool, width: int, missing: list[str], strange: list[str]) -> str:  # noqa: FBT001 a fact, not a mode
    """Return what a route is like."""
    if not known:
        return "no route"
    words = [f"{width} ways"]
    words += [f"not over {listed(missing)}"] if missing else []
    words += [f"over {listed(strange)}, where no way leads"] if strange else []
    return "; ".join(words)
