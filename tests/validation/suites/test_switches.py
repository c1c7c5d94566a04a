"""Suites about switches: all of a good recording passes; a change in what one switch says fails the checks it breaks.

The recordings are of lab switches (`record_switches.py`), whose read-outs are written from vendors' manuals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.validation.switches import RECORDED, Case, failed, judged, replayed, shows, states

if TYPE_CHECKING:
    from pathlib import Path

LEAF = "backend-leaf-01"
SPINE = "backend-spine-01"
PAIR = "frontend-leaf-01"
OOB = "oob-leaf-01"
RUNNING = "show running-configuration"
STATUS = "show interface status"
NOT_TOLD = {
    ("clos", SPINE): {"error": 16},
    ("clos", "backend-spine-02"): {"error": 16},
    ("dell-era-2-4-3", LEAF): {"error": 4},
    ("dell-era-2-4-3", "backend-leaf-02"): {"error": 4},
}
"""They lead to switches that are not in the recording."""
CONFIGURATION = "configuration/switch-runs-what-the-plan-has"


@pytest.mark.parametrize(("site", "device"), [(site, device) for site, names in RECORDED.items() for device in names])
def test_a_good_switch_passes(site: str, device: str, tmp_path: Path) -> None:
    found = states(judged(replayed(site, tmp_path), device))
    assert found["passed"] > 30
    assert {state: count for state, count in found.items() if state != "passed"} == NOT_TOLD.get((site, device), {})


def row(port: str, text: str, width: int) -> str:
    return f"{port:{width}}{text}"


SWAPPED = (
    (LEAF, "show lldp neighbor", "PortID:       rail2\n    PortDescr:    rail2", "PortID:       HELD"),
    (LEAF, "show lldp neighbor", "PortID:       rail3\n    PortDescr:    rail3", "PortID:       rail2"),
    (LEAF, "show lldp neighbor", "PortID:       HELD", "PortID:       rail3"),
)
FIRST_SPINE = "ChassisID:    02:1c:e7:43:e7:b8\n    SysName:      backend-spine-01"
OTHER_SPINE = "ChassisID:    02:f9:3d:e1:ee:96\n    SysName:      backend-spine-02"
NO_PFC = " priority-flow-control priority 3\n"
OTHER_QUEUE = " traffic-class 3 queue 3\n"
QOS = "nv show interface swp1s0 qos roce status -o json"
MARKS = '"3":{"ecn":"enable","red":"disable","min-threshold":"146.48 KB","max-threshold":"1.43 MB"'
WATCHDOG = "nv show interface swp1s0 qos pfc-watchdog -o json"
ROW_19 = row("Eth1/19", "U         0                     0 ", 15)
STORMS = "show qos interface Eth all queue all priority-flow-control watchdog-statistics"
PAUSES = "show priority-flow-control statistics"
PFC_ROW = f"{'Eth1/5':12}{'0':>12}"
DROPPED = f"{'Eth1/6':15}UC3  {'0':22}{'0':22}{'0/s':22}{'0/s':22}{'0/s':22}0"

CASES = {
    "swapped": Case(
        "clos",
        LEAF,
        SWAPPED,
        ("cabling/cable-leads-where-the-plan-has-it",),
        f"{LEAF}/Eth1/3",
        ("Expected gpu-a-001 rail2", "Actual gpu-a-001 rail3", f"swap the cables at {LEAF}/Eth1/3 and {LEAF}/Eth1/4"),
    ),
    "other-switch": Case(
        "clos",
        LEAF,
        ((LEAF, "show lldp neighbor", FIRST_SPINE, OTHER_SPINE),),
        ("cabling/cable-leads-where-the-plan-has-it",),
        f"{LEAF}/Eth1/17",
        ("Expected backend-spine-01 Eth1/1", "Actual backend-spine-02 Eth1/1", f"and {LEAF}/Eth1/25"),
    ),
    "impostor": Case(
        "spectrum",
        LEAF,
        (("backend-leaf-02", "nv show platform -o json", '"system-mac":"02:', '"system-mac":"06:'),),
        ("cabling/neighbour-is-the-switch-that-was-asked",),
        f"{LEAF}/swp57s0",
        ("Expected 06:", "Actual 02:", "another device has the name backend-leaf-02"),
    ),
    "other-cable": Case(
        "spectrum",
        PAIR,
        ((PAIR, "nv show platform transceiver -o json", "MCP7Y40-N003", "MCP7Y10-N002"),),
        ("cabling/port-holds-what-the-plan-has",),
        f"{PAIR}/swp1s0",
        ("Expected MCP7Y40-N003", "Actual MCP7Y10-N002"),
    ),
    "slow": Case(
        "clos",
        LEAF,
        (
            (
                LEAF,
                STATUS,
                "off       100000         9216           Ethernet12",
                "off       50000          9216           E",
            ),
        ),
        ("links/link-is-up-at-its-speed",),
        f"{LEAF}/Eth1/4",
        ("Expected 100 Gb/s", "Actual 50 Gb/s"),
    ),
    "other-fec": Case(
        "clos",
        LEAF,
        ((LEAF, "show interface fec status", "rs          rs          up", "none        rs          up"),),
        ("links/link-has-its-error-correction",),
        f"{LEAF}/Eth1/1",
        ("Expected rs", "Actual none"),
    ),
    "short-frames": Case(
        "clos",
        LEAF,
        (
            (
                LEAF,
                STATUS,
                "off       100000         9216           Ethernet12",
                "off       100000         1500           E",
            ),
        ),
        ("links/port-has-its-mtu",),
        f"{LEAF}/Eth1/4",
        ("Expected 9216 bytes", "Actual 1500 bytes"),
    ),
    "broken-frames": Case(
        "clos",
        LEAF,
        ((LEAF, "show interface counters", ROW_19, ROW_19[:-2] + "7 "),),
        ("links/link-is-free-of-errors",),
        f"{LEAF}/Eth1/19",
        ("Expected at most 0 errors", "Actual 7 errors", "replace the cable"),
    ),
    "flaps": Case(
        "spectrum",
        LEAF,
        ((LEAF, "nv show interface --view counters -o json", '"carrier-transitions":2', '"carrier-transitions":14'),),
        ("links/link-stays-up",),
        f"{LEAF}/swp1s0",
        ("Actual 14 transitions",),
    ),
    "other-dscp": Case(
        "spectrum",
        LEAF,
        ((LEAF, QOS, '"dscp":"24,25,26,', '"dscp":"24,25,'),),
        ("roce_switches/dscp-leads-to-its-class",),
        f"{LEAF}/swp1s0",
        ("DSCP 26 → 3",),
    ),
    "other-dscp-on-all-ports": Case(
        "clos",
        LEAF,
        ((LEAF, RUNNING, " dscp 24,26 traffic-class 3\n", " dscp 24 traffic-class 3\n dscp 26 traffic-class 0\n"),),
        ("roce_switches/dscp-leads-to-its-class", CONFIGURATION),
        f"{LEAF}/Eth1/1",
        ("Actual DSCP 24 → 3, DSCP 26 → 0, DSCP 48 → 6",),
    ),
    "other-queue": Case(
        "spectrum",
        LEAF,
        ((LEAF, QOS, '"traffic-class":3', '"traffic-class":0'),),
        ("roce_switches/class-has-its-own-queue",),
        f"{LEAF}/swp1s0",
        ("Expected 3: 3, 6: 6", "Actual 3: 0, 6: 6"),
    ),
    "no-pfc": Case(
        "clos",
        LEAF,
        ((LEAF, RUNNING, NO_PFC, ""),),
        ("roce_switches/pfc-is-on-for-the-lossless-priority-alone", CONFIGURATION),
        f"{LEAF}/Eth1/1",
        ("Expected 3", "Actual none"),
    ),
    "pfc-in-one-direction": Case(
        "spectrum",
        LEAF,
        ((LEAF, QOS, '"tx-enabled":"yes"', '"tx-enabled":"no"'),),
        ("roce_switches/pfc-is-on-for-the-lossless-priority-alone",),
        f"{LEAF}/swp1s0",
        ("Actual none",),
    ),
    "pfc-at-one-end": Case(
        "clos",
        LEAF,
        ((SPINE, RUNNING, NO_PFC, ""),),
        ("roce_switches/pfc-is-the-same-at-both-ends",),
        f"{LEAF}/Eth1/17 > {SPINE}/Eth1/1",
        ("Expected 3", "Actual none"),
    ),
    "late-marks": Case(
        "spectrum",
        LEAF,
        ((LEAF, "nv show qos congestion-control default-global -o json", MARKS, MARKS.replace("1.43", "2.86")),),
        ("roce_switches/congestion-is-marked-in-time",),
        f"{LEAF}/swp1s0",
        ("Expected 150000 to 1501500 bytes, 100 %", "Actual 149996 to 2998927 bytes, 100 %"),
    ),
    "no-watchdog": Case(
        "spectrum",
        LEAF,
        ((LEAF, WATCHDOG, '"state":"enabled"', '"state":"disabled"'),),
        ("roce_switches/watchdog-is-armed",),
        f"{LEAF}/swp1s0",
        ("Expected action drop, detects after 300 ms", "Actual off"),
    ),
    "storm": Case(
        "clos",
        LEAF,
        ((LEAF, STORMS, "operational   0", "operational   2"),),
        ("roce_switches/watchdog-has-not-fired",),
        f"{LEAF}/Eth1/1",
        ("Actual 2 storms", "check its adapter"),
    ),
    "other-pause": Case(
        "clos",
        LEAF,
        ((LEAF, PAUSES, PFC_ROW, PFC_ROW[:-1] + "9"),),
        ("roce_switches/only-the-lossless-priority-is-paused",),
        f"{LEAF}/Eth1/5",
        ("Actual 9 of priority 0 in",),
    ),
    "drops": Case(
        "clos",
        LEAF,
        ((LEAF, "show queue counters", DROPPED, DROPPED[:-1] + "4"),),
        ("roce_switches/lossless-class-drops-nothing",),
        f"{LEAF}/Eth1/6",
        ("Actual 4 packets", "headroom"),
    ),
    "other-model": Case(
        "clos",
        LEAF,
        ((LEAF, "show platform syseeprom", "S5232F-ON", "S5248F-ON"),),
        ("switch_inventory/switch-is-the-planned-model",),
        LEAF,
        ("Expected PowerSwitch S5232F-ON", "Actual PowerSwitch S5248F-ON"),
    ),
    "other-version": Case(
        "spectrum",
        LEAF,
        ((LEAF, "nv show system -o json", '"product-release":"5.12.1"', '"product-release":"5.11.0"'),),
        ("switch_inventory/switch-runs-the-release",),
        LEAF,
        ("Expected 5.12.1", "Actual 5.11.0"),
    ),
    "other-management-port": Case(
        "clos",
        OOB,
        ((OOB, "show lldp neighbor", "SysName:      backend-leaf-01", "SysName:      backend-leaf-03"),),
        ("cabling/cable-leads-where-the-plan-has-it",),
        f"{OOB}/Eth1/2",
        ("Expected backend-leaf-01 mgmt", "Actual backend-leaf-03 eth0", f"and {OOB}/Eth1/4"),
    ),
    "hand-made": Case(
        "clos",
        LEAF,
        ((LEAF, RUNNING, "hostname backend-leaf-01\n", "hostname backend-leaf-01\nip load-share hash seed 7\n"),),
        (CONFIGURATION,),
        LEAF,
        ("unexpected: ip load-share hash seed 7", "rackproof diff"),
    ),
}


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=name, marks=pytest.mark.shows_failing(*case.checks)) for name, case in CASES.items()],
)
def test_a_change_fails_the_checks_that_it_breaks(case: Case, tmp_path: Path) -> None:
    shows(case, tmp_path)


def test_a_port_that_is_down_says_why(tmp_path: Path) -> None:
    change = (
        LEAF,
        STATUS,
        "up          oper-up        off       100000",
        "down        phy-link-down  off       100000",
    )
    (result,) = failed(judged(replayed("clos", tmp_path, change), LEAF))["links/link-is-up-at-its-speed"]
    assert (result.subject, result.actual, result.rail) == (f"{LEAF}/Eth1/1", "phy-link-down", 0)
    assert "is gpu-a-001/rail0 powered" in result.remedy


def test_a_port_that_is_switched_off_is_a_matter_of_configuration(tmp_path: Path) -> None:
    change = (
        LEAF,
        STATUS,
        "up          oper-up        off       100000",
        "down        admin-down     off       100000",
    )
    (result,) = failed(judged(replayed("clos", tmp_path, change), LEAF))["links/link-is-up-at-its-speed"]
    assert result.remedy.startswith("the port is disabled: `rackproof up")


def test_what_a_switch_refuses_is_not_known(tmp_path: Path) -> None:
    change = (LEAF, STORMS, "Interface ", "%Error: Not supported on this platform\nInterface ")
    results = [one for one in judged(replayed("clos", tmp_path, change), LEAF) if one.state != "passed"]
    assert {(one.state, one.check_id.partition("/")[0]) for one in results} == {("error", "roce_switches")}
    assert "Not supported on this platform" in results[0].message
