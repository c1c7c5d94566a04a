"""RoCE on switches: classes, PFC, ECN and PFC watchdog match the plan."""

from collections.abc import Container, Mapping

from rackproof.facts.fact import FactError
from rackproof.facts.models import EcnThresholds, PortRoce
from rackproof.plan.model.plan import LosslessIntent, PortIntent, RoceIntent
from rackproof.results import Threshold
from validation.expected.fixtures import Judge, Switch, applies_to
from validation.expected.switch_ports import RUN_UP, lossless_ports, port_rail, port_subject, switch_facing_ports

ROUNDING = 0.005
"""NVUE prints thresholds with two decimals of KB or MB (``1.00 MB``); Enterprise SONiC takes whole kilobytes."""
NO_DROPS = Threshold(
    0, "packets", "at most", source="IEEE 802.1Qbb: a priority with flow control loses no frame for want of room"
)
NO_STORMS = Threshold(
    0, "storms", "at most", source="the fabric's intent: the watchdog is there for broken adapters, not for operation"
)
WATCHES_HOSTS_ONLY = ("cumulus",)
"""NOSes whose rendered configuration leaves ports between switches without a watchdog."""
SILENT = "the switch reports no RoCE settings of this port"


def has_roce(switch: Switch) -> bool:
    """Whether a switch carries RoCE on some port."""
    return switch.intent.roce is not None and any(port.lossless for port in switch.intent.ports.values())


pytestmark = applies_to(has_roce)


def test_dscp_leads_to_its_class(switch: Switch, judge: Judge) -> None:
    """On every RoCE port, exactly the planned DSCP values map to the lossless class and to the class of CNPs."""
    intent = switch_roce(switch)
    wanted = {dscp: priority for priority, one in intent.lossless.items() for dscp in one.dscp}
    wanted[intent.cnp_dscp] = intent.cnp_priority
    for port, found in each_port(switch, judge):
        kept = {code: to for code, to in found.class_of.items() if code in wanted or to in intent.lossless}
        judge.expect_equal(
            port_subject(switch, port),
            expected=classes(wanted),
            actual=classes(kept),
            remedy=RUN_UP,
            rail=port_rail(switch, port),
        )


def test_class_has_its_own_queue(switch: Switch, judge: Judge) -> None:
    """On every RoCE port, the lossless class and the class of CNPs leave by their own queues."""
    intent = switch_roce(switch)
    own = {priority: priority for priority in (*intent.lossless, intent.cnp_priority)}
    for port, found in each_port(switch, judge):
        actual = {one: found.queue_of.get(one, one) for one in own}
        judge.expect_equal(
            port_subject(switch, port), expected=own, actual=actual, remedy=RUN_UP, rail=port_rail(switch, port)
        )


def test_pfc_is_on_for_the_lossless_priority_alone(switch: Switch, judge: Judge) -> None:
    """PFC is on for the lossless priority, and no other, in both directions on every RoCE port of a switch."""
    wanted = tuple(sorted(switch_roce(switch).lossless))
    for port, found in each_port(switch, judge):
        judge.expect_equal(
            port_subject(switch, port), expected=wanted, actual=found.pfc, remedy=RUN_UP, rail=port_rail(switch, port)
        )


@applies_to(lambda switch: has_roce(switch) and any(other for _, other, _ in switch_facing_ports(switch)))
def test_pfc_is_the_same_at_both_ends(switch: Switch, judge: Judge) -> None:
    """PFC is on for the same priorities at both ends of every link between switches.

    A pause frame has no effect where the other end ignores its priority.
    """
    own, lossless = switch.facts.roce(), lossless_ports(switch)
    for port, other, far in switch_facing_ports(switch):
        if port not in lossless or port not in own:
            continue
        link = f"{port_subject(switch, port)} > {port_subject(other, far)}"
        try:
            there = other.facts.roce().get(far)
        except FactError as error:
            judge.error_from(link, error)
            continue
        if there is None:
            judge.error(link, f"{other.name} reports no RoCE settings of {far}")
        else:
            judge.expect_equal(link, expected=own[port].pfc, actual=there.pfc, remedy=RUN_UP)
    if not judge.results:
        judge.skip(switch.name, "no link between switches carries RoCE here")


def test_congestion_is_marked_in_time(switch: Switch, judge: Judge) -> None:
    """ECN of every lossless queue has the planned thresholds and marking probability."""
    intent = switch_roce(switch)
    for port, found in each_port(switch, judge):
        for priority, one in intent.lossless.items():
            actual = found.ecn.get(priority)
            judge.expect(
                port_subject(switch, port),
                actual is not None and is_marked_so(actual, one),
                expected=thresholds(one.ecn_kmin_bytes, one.ecn_kmax_bytes, one.ecn_probability_percent),
                actual="no marks" if actual is None else thresholds(*actual),
                remedy=RUN_UP,
                rail=port_rail(switch, port),
            )


@applies_to(lambda switch: bool(watched_ports(switch)))
def test_watchdog_is_armed(switch: Switch, judge: Judge) -> None:
    """The PFC watchdog is on, with the planned action and detection time, on every port that needs it."""
    wanted, watched = switch_roce(switch).pfc_watchdog, watched_ports(switch)
    for port, found in each_port(switch, judge):
        if port not in watched:
            continue
        one = found.watchdog
        planned = {"action": wanted.action, "detects after": f"{wanted.detect_ms} ms"}
        actual = {} if one is None else {"action": one.action, "detects after": one.detect_ms and f"{one.detect_ms} ms"}
        said = {name: value for name, value in actual.items() if value is not None}
        judge.expect(
            port_subject(switch, port),
            bool(said) and said.items() <= planned.items(),
            expected=", ".join(f"{name} {value}" for name, value in planned.items()),
            actual=", ".join(f"{name} {value}" for name, value in said.items()) or "off",
            remedy=RUN_UP,
        )


@applies_to(lambda switch: bool(watched_ports(switch)))
def test_watchdog_has_not_fired(switch: Switch, judge: Judge) -> None:
    """The PFC watchdog has detected no pause storm."""
    counters = switch.facts.pauses()
    for port in watched_ports(switch):
        held = counters[port].watchdog if port in counters else {}
        if held:
            remedy = f"the device at {port_subject(switch, port)} paused for too long: check its adapter"
            judge.expect_within(port_subject(switch, port), sum(held.values()), NO_STORMS, remedy=remedy)
        else:
            judge.error(port_subject(switch, port), "the switch reports no watchdog counters", RUN_UP)


def test_only_the_lossless_priority_is_paused(switch: Switch, judge: Judge) -> None:
    """Switch ports have counted pause frames of lossless priorities only."""
    counters, lossless = switch.facts.pauses(), switch_roce(switch).lossless
    for port in lossless_ports(switch):
        held = counters.get(port)
        if held is None or not held.pfc_rx or not held.pfc_tx:
            judge.error(port_subject(switch, port), "the switch reports no PFC counters")
            continue
        frames = {way: others(counts, lossless) for way, counts in (("in", held.pfc_rx), ("out", held.pfc_tx))}
        actual = ", ".join(f"{count} of priority {one} {way}" for way, at in frames.items() for one, count in at)
        remedy = f"the device at {port_subject(switch, port)} pauses a priority that is not lossless: check its PFC"
        judge.expect(port_subject(switch, port), not actual, expected="none", actual=actual or "none", remedy=remedy)


def test_lossless_class_drops_nothing(switch: Switch, judge: Judge) -> None:
    """No lossless queue of a switch has dropped a packet."""
    counters = switch.facts.traffic()
    for port in lossless_ports(switch):
        drops = counters[port].class_drops if port in counters else {}
        for priority in switch_roce(switch).lossless:
            if priority not in drops:
                judge.error(port_subject(switch, port), f"the switch reports no drops of queue {priority}")
                continue
            remedy = "check the headroom of this port and PFC of the other end"
            rail = port_rail(switch, port)
            judge.expect_within(port_subject(switch, port), drops[priority], NO_DROPS, remedy=remedy, rail=rail)


def switch_roce(switch: Switch) -> RoceIntent:
    """Return the intent, which every switch of this suite has."""
    found = switch.intent.roce
    if found is None:
        raise AssertionError(f"{switch.name} carries no RoCE")
    return found


def watched_ports(switch: Switch) -> dict[str, PortIntent]:
    """Return the ports of RoCE with a watchdog: on Cumulus Linux those towards hosts, as in NVIDIA's references."""
    everywhere = switch.plan.nos not in WATCHES_HOSTS_ONLY
    return {name: port for name, port in lossless_ports(switch).items() if everywhere or not port.unnumbered}


def each_port(switch: Switch, judge: Judge) -> list[tuple[str, PortRoce]]:
    """Return how each port of RoCE treats it; what is not told becomes an error."""
    found = switch.facts.roce()
    for port in lossless_ports(switch):
        if port not in found:
            judge.error(port_subject(switch, port), SILENT, RUN_UP)
    return [(port, found[port]) for port in lossless_ports(switch) if port in found]


def classes(found: dict[int, int]) -> str:
    """Return DSCP values and their classes as a person reads them."""
    return ", ".join(f"DSCP {code} → {found[code]}" for code in sorted(found)) or "none"


def others(counts: Mapping[int, int], lossless: Container[int]) -> list[tuple[int, int]]:
    """Return priority and count of what was counted of other priorities."""
    return [(one, count) for one, count in counts.items() if count and one not in lossless]


def is_marked_so(found: EcnThresholds, wanted: LosslessIntent) -> bool:
    """Whether thresholds are the planned ones, as exactly as the NOS prints them."""
    pairs = ((found.minimum_bytes, wanted.ecn_kmin_bytes), (found.maximum_bytes, wanted.ecn_kmax_bytes))
    close = all(abs(actual - planned) <= planned * ROUNDING for actual, planned in pairs)
    return close and found.probability_percent == wanted.ecn_probability_percent


def thresholds(minimum_bytes: int, maximum_bytes: int, probability_percent: int) -> str:
    """Return thresholds as a person reads them."""
    return f"{minimum_bytes} to {maximum_bytes} bytes, {probability_percent} %"
