"""Links of switches: state, speed, FEC, MTU and errors of every port in use."""

from rackproof.results import Threshold
from validation.expected.fixtures import Judge, Switch, applies_to, requirements
from validation.expected.switch_ports import RUN_UP, other_end, port_rail, port_subject, used_ports

NO_ERRORS = Threshold(
    0,
    "errors",
    "at most",
    source="IEEE 802.3, clause 119.3: behind RS-FEC a frame is lost less than once in 10^12 bits, hours apart",
    formula="none between clearing the counters and handing over",
)
FEW_FLAPS = Threshold(
    9,
    "transitions",
    "at most",
    source="Azure NHC, link flaps: fewer than 5 in 24 hours",
    formula="four flaps of two transitions each, and the first time up",
)
CABLE = "reseat or clean the cable's two ends, then clear the counters; if errors return, replace the cable"
OFF = "admin-down"
"""Why a port is down that its configuration switches off, in the words of either NOS's reader."""
COUNTS_FLAPS = ("cumulus",)
"""NOSes that count how often a link came up or went down; Enterprise SONiC has no such counter."""


@requirements("NETMGMT01")
def test_link_is_up_at_its_speed(switch: Switch, judge: Judge) -> None:
    """Every port in use is up, at the planned speed."""
    states, links = switch.facts.ports(), switch.facts.links()
    for port, intent in used_ports(switch).items():
        state, link = states.get(port), links.get(port)
        if state is None or not state.up:
            why = "the switch has no such port" if state is None else state.reason
            there = other_end(switch, switch.name, port) or "the router outside the site"
            remedy = f"the port is disabled: {RUN_UP}" if why == OFF else f"is {there} powered and plugged in? {CABLE}"
            rail = port_rail(switch, port)
            judge.expect(port_subject(switch, port), ok=False, expected="up", actual=why, remedy=remedy, rail=rail)
            continue
        speed = None if link is None else link.speed_mbps
        actual = None if speed is None else speed // 1000
        remedy = f"{RUN_UP}; otherwise check the speed of the other end and the cable"
        rail = port_rail(switch, port)
        judge.expect_equal(
            port_subject(switch, port), expected=intent.speed_gbps, actual=actual, unit="Gb/s", remedy=remedy, rail=rail
        )


def test_link_has_its_error_correction(switch: Switch, judge: Judge) -> None:
    """Every link in use runs with the planned FEC."""
    links = switch.facts.links()
    for port, intent in used_ports(switch).items():
        link = links.get(port)
        if link is None or link.fec is None:
            judge.error(port_subject(switch, port), "the switch reports no FEC", "is the link up?")
        else:
            judge.expect_equal(port_subject(switch, port), expected=intent.fec, actual=link.fec, remedy=RUN_UP)


def test_port_has_its_mtu(switch: Switch, judge: Judge) -> None:
    """Every port in use has the planned MTU.

    A smaller one drops frames of RoCE or VXLAN.
    """
    states = switch.facts.ports()
    for port, intent in used_ports(switch).items():
        actual = states[port].mtu_bytes if port in states else None
        judge.expect_equal(
            port_subject(switch, port), expected=intent.mtu_bytes, actual=actual, unit="bytes", remedy=RUN_UP
        )


def test_link_is_free_of_errors(switch: Switch, judge: Judge) -> None:
    """No port in use has counted an error since its counters were cleared."""
    counters = switch.facts.traffic()
    for port in used_ports(switch):
        found = counters.get(port)
        if found is None or found.rx_errors is None or found.tx_errors is None:
            judge.error(port_subject(switch, port), "the switch reports no error counters")
            continue
        values = {"received": f"{found.rx_errors} errors", "sent": f"{found.tx_errors} errors"}
        judge.expect_within(
            port_subject(switch, port), found.rx_errors + found.tx_errors, NO_ERRORS, remedy=CABLE, values=values
        )


@applies_to(lambda switch: switch.plan.nos in COUNTS_FLAPS)
def test_link_stays_up(switch: Switch, judge: Judge) -> None:
    """No link in use has changed its state more often than the limit allows."""
    counters = switch.facts.traffic()
    for port in used_ports(switch):
        found = counters.get(port)
        if found is None or found.flaps is None:
            judge.error(port_subject(switch, port), "the switch reports no count of link changes")
        else:
            judge.expect_within(port_subject(switch, port), found.flaps, FEW_FLAPS, remedy=CABLE)
