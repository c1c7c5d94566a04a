"""What a NOS's reader makes of texts in the form that their sources have, where lab switches print less of it."""

from __future__ import annotations

import json
from typing import Final

import pytest

from rackproof.facts.fact import Answer, Answers, FactError
from rackproof.facts.models import EcnThresholds, PfcWatchdog, PortLink, QueueBuffer
from rackproof.facts.nos import cumulus, enterprise_sonic
from rackproof.facts.switches import SwitchFacts

# AMD's node-scraper, switch_dell collector: the type may be empty or hold blanks, the last three cells never do.
FEC: Final = """
Interface  Type               Oper  Admin  If-State
Eth1/1     400GBASE CR4 DAC   rs    rs     up
Eth1/2                        N/A   auto   down
"""
STATUS: Final = """
Name                Description                   Oper        Reason         AutoNeg   Speed          MTU            Alternate Name
Eth1/1              -                             up          oper-up        off       400000         9216           Ethernet0
Eth1/2              -                             down        phy-link-down  off       400000         9216           Ethernet8
"""  # noqa: E501 a table of the device
# The same collector: code, prefix, gateway, interface, distance and metric, age.
ROUTES: Final = """
 B>*   10.1.0.0/16   via 10.0.0.1   Eth1/1     20/0   0:01:00 ago
  *                  via 10.0.0.5   Eth1/2
 B     10.1.0.0/16   via 10.0.0.9   Eth1/3     200/0  0:01:00 ago
 C>*   10.2.0.0/24   Direct         Vlan100    0/0    1:00:00 ago
"""
# sonic-mgmt, `show queue wredcounters`: platforms without drops of WRED leave those columns out.
MARKS: Final = """
      Port    TxQ    EcnMarked/pkts    EcnMarked/bytes
----------  -----  ----------------  -----------------
Eth1/1      UC3           160510586       295336835072
Eth1/1      MC8                   7                  7
"""
WATERMARKS: Final = """
Egress shared pool occupancy per unicast queue:
Port       UC0   UC1   UC2   UC3
Eth1/1     0     0     N/A   4096
"""


def sonic(**shows: str) -> Answers:
    """Answers to the commands that the reader calls so."""
    return {enterprise_sonic.shell(getattr(enterprise_sonic, name)): Answer(text, 0) for name, text in shows.items()}


def test_fec_is_read_whatever_the_type() -> None:
    assert enterprise_sonic.links(sonic(FEC=FEC, STATUS=STATUS)) == {
        "Eth1/1": PortLink("Eth1/1", 400_000, "rs"),
        "Eth1/2": PortLink("Eth1/2", None, None),
    }


def test_only_routes_in_use_count_with_all_their_ways() -> None:
    found = enterprise_sonic.routes(sonic(ROUTES=ROUTES))
    assert found["10.1.0.0/16"].next_hops == ("Eth1/1", "Eth1/2")
    assert (found["10.2.0.0/24"].protocol, found["10.2.0.0/24"].next_hops) == ("connected", ("Vlan100",))


def test_marks_are_found_by_their_title() -> None:
    assert enterprise_sonic.marks(MARKS) == {"Eth1/1": {3: 160510586}}


def test_marks_that_are_not_counted_are_not_zero() -> None:
    assert enterprise_sonic.marks("Port TxQ Counter/pkts\nEth1/1 UC3 5\n") == {}


def test_watermarks_that_are_not_told_are_left_out() -> None:
    found = enterprise_sonic.buffers(sonic(WATERMARKS=WATERMARKS))
    assert found == (QueueBuffer("Eth1/1", 0, 0), QueueBuffer("Eth1/1", 1, 0), QueueBuffer("Eth1/1", 3, 4096))


@pytest.mark.parametrize(
    "text", ["%Error: Invalid input detected\n", "% Error: Illegal parameter.\n", "Error: Failure\n"]
)
def test_a_refusal_is_no_answer(text: str) -> None:
    with pytest.raises(FactError, match="the switch refuses `show ip route`"):
        SwitchFacts("enterprise-sonic", sonic(ROUTES=text)).routes()


def test_what_was_not_asked_is_not_known() -> None:
    with pytest.raises(FactError, match="was not run"):
        SwitchFacts("cumulus", {}).ports()


def test_what_cannot_be_read_says_which_subject() -> None:
    with pytest.raises(FactError, match="of its ports cannot be read"):
        SwitchFacts("cumulus", {cumulus.INTERFACES: Answer("no json", 0)}).ports()


def nvue(**ports: object) -> Answers:
    """Answers of one port, and of the switch, about RoCE: values as the RoCE page and the NVUE reference print them."""
    thresholds = {"min-threshold": "146.48 KB", "max-threshold": "1.43 MB", "probability": 100, "ecn": "enable"}
    answers = {
        cumulus.ECN: {"traffic-class": {"0,3": thresholds}},
        cumulus.WATCHDOGS: {"polling-interval": 100, "robustness": 3},
        cumulus.of_port("swp16", cumulus.WATCHDOG): {"state": "enabled", "pfc-wd-status": {"3": {"deadlock-count": 3}}},
        cumulus.of_port("swp16", cumulus.QOS_COUNTERS): {"pfc-stats": {"3": {"rx-pause-frames": "12"}}},
        cumulus.of_port("swp16", cumulus.ROCE): {
            "congestion-control": {"enabled-tc": "3", "min-threshold": "153.00 KB"},
            "pfc": {"pfc-priority": "3", "rx-enabled": "yes", "tx-enabled": "yes"},
            "prio-map": {"roce": {"dscp": "24-31", "switch-prio": 3}},
            "tc-map": {"roce": {"switch-prio": 3, "traffic-class": 3}},
            **ports,
        },
    }
    return {command: Answer(json.dumps(said), 0) for command, said in answers.items()}


def test_lists_sizes_and_words_of_nvue_are_read() -> None:
    found = cumulus.roce(nvue())["swp16"]
    assert found.class_of == dict.fromkeys(range(24, 32), 3)
    assert found.ecn == {3: EcnThresholds(149_996, 1_499_464, 100)}
    assert (found.pfc, found.watchdog) == ((3,), PfcWatchdog(None, 300, None))


def test_pfc_in_one_direction_is_none() -> None:
    half = {"pfc-priority": "3", "rx-enabled": "yes", "tx-enabled": "no"}
    assert cumulus.roce(nvue(pfc=half))["swp16"].pfc == ()


def test_storms_are_found_whatever_their_table_is_called() -> None:
    found = cumulus.pauses(nvue())["swp16"]
    assert (found.watchdog, found.pfc_rx, found.pfc_tx) == ({3: 3}, {3: 12}, {})


def test_without_bgp_there_are_no_sessions() -> None:
    refused = Answer("", 1, "Error: The requested item does not exist.")
    assert SwitchFacts("cumulus", {cumulus.BGP: refused}).sessions() == {}


def test_a_single_way_and_the_default_route_are_read() -> None:
    rows = [{"dst": "default", "dev": "swp1", "protocol": "static"}, {"dst": "10.0.0.1", "dev": "swp2"}]
    found = cumulus.routes({cumulus.ROUTES: Answer(json.dumps(rows), 0)})
    assert {prefix: route.next_hops for prefix, route in found.items()} == {
        "0.0.0.0/0": ("swp1",),
        "10.0.0.1/32": ("swp2",),
    }
