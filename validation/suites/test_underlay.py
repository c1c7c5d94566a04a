"""Underlay: BGP sessions, their neighbours and address families, and ECMP paths are the planned ones."""

from collections.abc import Collection
from typing import Final

from rackproof.facts.models import Route
from rackproof.facts.nos.readers import DEFAULT_VRF
from validation.expected.bgp_sessions import (
    PlannedSession,
    configured_sessions,
    planned_sessions,
    running_session,
    session_subject,
)
from validation.expected.ecmp_paths import EcmpPaths, asn, expected_paths
from validation.expected.fixtures import Judge, Switch, applies_to
from validation.expected.switch_ports import RUN_UP, other_end

LOOK: Final = "is the link up, and is the other end configured? `rackproof up <site>` waits for every session"
SPOKEN: Final = {"evpn": "EVPN", "ipv4": "IPv4"}


def has_sessions(switch: Switch) -> bool:
    """Whether the plan has BGP sessions, in any VRF."""
    return any(True for _ in planned_sessions(switch))


@applies_to(has_sessions)
def test_session_is_established(switch: Switch, judge: Judge) -> None:
    """Every planned BGP session is established, in every VRF."""
    for one in planned_sessions(switch):
        session = running_session(switch, one)
        actual = "not configured" if session is None else "established" if session.established else "not established"
        judge.expect(
            session_subject(switch, one),
            actual == "established",
            expected="established",
            actual=actual,
            remedy=f"BGP session of {switch.name} with {one.who}: {RUN_UP if session is None else LOOK}",
        )


@applies_to(has_sessions)
def test_neighbour_has_the_planned_asn(switch: Switch, judge: Judge) -> None:
    """The neighbor of every BGP session has the planned ASN."""
    for one in planned_sessions(switch):
        subject, session, expected = (
            session_subject(switch, one),
            running_session(switch, one),
            planned_asn(switch, one),
        )
        if session is None or not session.established:
            judge.error(subject, "the session is not established, so the ASN of its neighbor is not known", LOOK)
        elif expected is None:
            other = session.remote_asn != asn(switch.intent)
            judge.expect(
                subject, other, expected="any ASN other than our own", actual=str(session.remote_asn), remedy=RUN_UP
            )
        else:
            remedy = f"{one.who} runs with another ASN: {RUN_UP}"
            judge.expect_equal(subject, expected=expected, actual=session.remote_asn, remedy=remedy)


def planned_asn(switch: Switch, one: PlannedSession) -> int | None:
    """Return the ASN of a neighbour; None: the plan leaves it open."""
    if one.intent.internal:
        return asn(switch.intent)
    end = other_end(switch, switch.name, one.name)
    there = switch.site.plan.intents().get("" if end is None else end.device)
    return one.intent.remote_asn or (None if there is None else asn(there))


@applies_to(has_sessions)
def test_session_carries_the_planned_routes(switch: Switch, judge: Judge) -> None:
    """Every BGP session carries exactly the planned address families."""
    for one in planned_sessions(switch):
        session = running_session(switch, one)
        up = session is not None and session.established
        actual = families_text(sorted(session.families)) if session is not None and up else "no session"
        remedy = f"{one.who}: {RUN_UP if up else LOOK}"
        judge.expect_equal(
            session_subject(switch, one), expected=families_text(one.families), actual=actual, remedy=remedy
        )


@applies_to(has_sessions)
def test_no_session_is_beside_the_plan(switch: Switch, judge: Judge) -> None:
    """No switch has a BGP session that is not planned."""
    known = {(one.vrf, one.name) for one in configured_sessions(switch)}
    for vrf in (DEFAULT_VRF, *switch.intent.vrfs):
        strange = sorted(name for name in switch.facts.sessions(vrf) if (vrf, name) not in known)
        remedy = f"`rackproof diff <site> --only {switch.name}` shows where it comes from; {RUN_UP}"
        judge.expect_equal(f"{switch.name}/VRF {vrf}", expected="none", actual=listed(strange), remedy=remedy)


@applies_to(lambda switch: any(expected_paths(switch.site, switch.name)))
def test_all_ways_of_equal_cost_are_in_use(switch: Switch, judge: Judge) -> None:
    """Routes to every prefix of every other switch use exactly the ECMP paths of equal cost."""
    routes = switch.facts.routes()
    limit = switch.intent.bgp.maximum_paths if switch.intent.bgp else 1
    for other, prefixes in expected_paths(switch.site, switch.name):
        wrong = [prefix for prefix, paths in prefixes.items() if not uses_paths(routes.get(prefix), paths, limit)]
        shown = next(iter(wrong or prefixes))
        route, paths = routes.get(shown), prefixes[shown]
        more = f"; {len(wrong) - 1} more prefixes of it differ too" if len(wrong) > 1 else ""
        judge.expect(
            f"{switch.name} > {other}",
            not wrong,
            expected=f"to {shown} {min(limit, len(paths.ports))} paths over {listed(sorted(paths.ports))}",
            actual=route_text(route, paths) + more,
            remedy=f"check the links and sessions of {switch.name} at {listed(doubtful_ports(route, paths))}",
        )


def uses_paths(route: Route | None, paths: EcmpPaths, limit: int) -> bool:
    """Whether a route uses exactly the given paths, or as many of them as the switch can use."""
    used = frozenset() if route is None else frozenset(route.next_hops)
    return used <= paths.ports and len(used) == min(limit, len(paths.ports))


def route_text(route: Route | None, paths: EcmpPaths) -> str:
    """Return the paths of a route, and how they differ from the plan, in words."""
    if route is None:
        return "no route"
    used = frozenset(route.next_hops)
    missing, strange = sorted(paths.ports - used), sorted(used - paths.ports)
    words = [f"{len(used)} paths"]
    words += [f"not over {listed(missing)}"] if missing else []
    words += [f"over {listed(strange)}, which is no path of the plan"] if strange else []
    return "; ".join(words)


def doubtful_ports(route: Route | None, paths: EcmpPaths) -> list[str]:
    """Return the ports that a route leaves out; where it leaves out none, those that it should not use."""
    used = frozenset() if route is None else frozenset(route.next_hops)
    return sorted(paths.ports - used) or sorted(used - paths.ports)


def families_text(families: Collection[str]) -> str:
    """Return address families as a person reads them."""
    return " and ".join(SPOKEN[one] for one in families) or "nothing"


def listed(ports: Collection[str]) -> str:
    """Return ports as a person reads them."""
    return ", ".join(ports) or "none"
