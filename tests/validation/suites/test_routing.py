"""Suites about underlay and overlay: a change in what one switch says of its routing fails the checks it breaks.

The recordings are of lab switches (`record_switches.py`), whose read-outs have the form of FRR's own.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from rackproof.plan.from_file import plan_site
from tests.validation.switches import SITES, Case, failed, judged, replayed, shows

if TYPE_CHECKING:
    from pathlib import Path

LEAF: Final = "backend-leaf-01"
PAIR: Final = "frontend-leaf-01"
ERA: Final = "dell-era-2-4-3"
SUMMARY: Final = "show bgp ipv4 unicast summary"
FRR: Final = "sudo -n vtysh -c '{}'"
SESSIONS: Final = FRR.format("show bgp vrf all summary json")
VNIS: Final = FRR.format("show evpn vni detail json")
ROUTERS: Final = FRR.format("show evpn rmac vni all json")
SEGMENTS: Final = FRR.format("show evpn es detail json")
ESTABLISHED: Final = "underlay/session-is-established"
ASN: Final = "underlay/neighbour-has-the-planned-asn"
FAMILIES: Final = "underlay/session-carries-the-planned-routes"
STRANGE: Final = "underlay/no-session-is-beside-the-plan"
WAYS: Final = "underlay/all-ways-of-equal-cost-are-in-use"
NETWORK: Final = "overlay/vni-stands-for-its-network"
UP: Final = "overlay/vni-is-up"
JOINED: Final = "overlay/vni-joins-exactly-the-planned-switches"
SEGMENT: Final = "overlay/segment-is-up"
LEGS: Final = "overlay/all-legs-of-a-segment-are-seen"
OUTSIDE: Final = '"swp61s0":{"remoteAs":64496,"localAs":4260394788,'
UP_AND_RUNNING: Final = (
    '"version":4,"msgRcvd":12,"msgSent":12,"peerUptime":"00:10:00","pfxRcd":1,"pfxSnt":1,"state":"Established"'
)
OUTSIDE_UP: Final = '"swp62":{"type":"swp","link":{"admin-status":"up","oper-status":"up"'
RAIL: Final = "10.10.80.0/20"
TWO_WAYS: Final = "  *                         via fe80::1                 Eth1/18\n"
LINKED: Final = "links/link-is-up-at-its-speed"
SURVIVES: Final = "overlay/segments-survive-the-loss-of-the-other-switch"
FIRST: Final = "03:44:38:39:ff:00:aa:00:00:0a"

CASES: Final = {
    "no-session": Case(
        "clos",
        LEAF,
        ((LEAF, SUMMARY, "00:10:00        1\n", "never           Active\n"),),
        (ESTABLISHED, FAMILIES),
        f"{LEAF}/Eth1/17",
        ("Actual not established", "backend-spine-01"),
    ),
    "no-session-in-a-vrf": Case(
        ERA,
        LEAF,
        (
            (
                LEAF,
                SESSIONS,
                OUTSIDE + UP_AND_RUNNING,
                f'{OUTSIDE}"state":"Active"',
            ),
        ),
        (ESTABLISHED, FAMILIES),
        f"{LEAF}/EXIT/swp61s0",
        ("Actual not established", f"BGP session of {LEAF} with edge"),
    ),
    "not-configured-in-a-vrf": Case(
        ERA,
        LEAF,
        ((LEAF, SESSIONS, '"EXIT"', '"MINE"'),),
        (ESTABLISHED, FAMILIES),
        f"{LEAF}/EXIT/swp61s1",
        ("Actual not configured", "`rackproof up <site>` configures it"),
    ),
    "beside-the-plan": Case(
        ERA,
        LEAF,
        ((LEAF, SESSIONS, OUTSIDE, f'"192.0.2.77":{{"remoteAs":65100,"state":"Active"}},{OUTSIDE}'),),
        (STRANGE,),
        f"{LEAF}/VRF EXIT",
        ("Expected none", "Actual 192.0.2.77", f"rackproof diff <site> --only {LEAF}"),
    ),
    "other-asn": Case(
        "clos",
        LEAF,
        ((LEAF, SUMMARY, "4   4200000001", "4   4200000009"),),
        (ASN,),
        f"{LEAF}/Eth1/17",
        ("Expected 4200000001", "Actual 4200000009", "backend-spine-01 runs with another ASN"),
    ),
    "our-own-asn-outside": Case(
        ERA,
        LEAF,
        ((LEAF, SESSIONS, '"swp61s0":{"remoteAs":64496', '"swp61s0":{"remoteAs":4260394788'),),
        (ASN,),
        f"{LEAF}/EXIT/swp61s0",
        ("Expected any ASN other than our own", "Actual 4260394788"),
    ),
    "no-evpn": Case(
        "spectrum",
        PAIR,
        ((PAIR, SESSIONS, "l2VpnEvpn", "ipv6Unicast"),),
        (FAMILIES,),
        f"{PAIR}/swp63",
        ("Expected EVPN and IPv4", "Actual IPv4"),
    ),
    "evpn-to-the-outside": Case(
        ERA,
        LEAF,
        (
            (
                LEAF,
                SESSIONS,
                '"EXIT":{"ipv4Unicast":',
                '"EXIT":{"l2VpnEvpn":{"peers":{"swp61s0":{"remoteAs":64496,"state":"Established"}}},"ipv4Unicast":',
            ),
        ),
        (FAMILIES,),
        f"{LEAF}/EXIT/swp61s0",
        ("Expected IPv4", "Actual EVPN and IPv4"),
    ),
    "narrow": Case(
        "spectrum",
        LEAF,
        ((LEAF, "ip -j route show", '{"dev":"swp58s0","flags":[],"weight":1},', ""),),
        (WAYS,),
        f"{LEAF} > backend-leaf-02",
        ("16 paths over swp57s0", "Actual 15 paths; not over swp58s0", "sessions of backend-leaf-01 at swp58s0"),
    ),
    "no-route-to-a-rail": Case(
        "spectrum",
        LEAF,
        ((LEAF, "ip -j route show", f'"{RAIL}"', '"10.99.0.0/20"'),),
        (WAYS,),
        f"{LEAF} > backend-leaf-02",
        (f"Expected to {RAIL} 16 paths", "Actual no route"),
    ),
    "another-way": Case(
        "clos",
        LEAF,
        ((LEAF, "show ip route", TWO_WAYS, TWO_WAYS.replace("Eth1/18", "Eth1/25")),),
        (WAYS,),
        f"{LEAF} > backend-spine-01",
        ("Expected to 10.10.254.5/32 8 paths", "not over Eth1/18; over Eth1/25, which is no path of the plan"),
    ),
    "other-vlan": Case(
        ERA,
        LEAF,
        ((LEAF, "nv show evpn vni -o json", '"vlan":300', '"vlan":301'),),
        (NETWORK,),
        f"{LEAF}/VNI 4300",
        ("Expected VLAN 300", "Actual VLAN 301"),
    ),
    "other-vlan-on-sonic": Case(
        "pair",
        PAIR,
        ((PAIR, "show vxlan vlanvnimap", "Vlan200 ", "Vlan201 "),),
        (NETWORK,),
        f"{PAIR}/VNI 10200",
        ("Expected VLAN 200", "Actual VLAN 201"),
    ),
    "other-vrf": Case(
        ERA,
        LEAF,
        ((LEAF, VNIS, '"state":"Up","vrf":"EXIT"', '"state":"Up","vrf":"GPU"'),),
        (NETWORK,),
        f"{LEAF}/VNI 5004",
        ("Expected VRF EXIT", "Actual VRF GPU"),
    ),
    "other-vni": Case(
        "pair",
        PAIR,
        ((PAIR, "show evpn vni detail", "VNI: 10200", "VNI: 10201"),),
        (NETWORK, UP, JOINED),
        f"{PAIR}/VNI 10201",
        ("Expected nothing", "Actual no VLAN"),
    ),
    "vrf-down": Case(
        ERA,
        LEAF,
        ((LEAF, VNIS, '"state":"Up"', '"state":"Down"'),),
        (UP,),
        f"{LEAF}/VNI 5004",
        ("Expected up", "Actual down"),
    ),
    "tunnel-without-address": Case(
        "pair",
        PAIR,
        ((PAIR, "show evpn vni detail", "Local VTEP IP: 10.20.128.1", "Local VTEP IP: 0.0.0.0"),),
        (UP,),
        f"{PAIR}/VNI 10200",
        ("Expected up", "Actual down", f"on the loopback of {PAIR}"),
    ),
    "alone": Case(
        "pair",
        PAIR,
        ((PAIR, "show evpn vni detail", "  10.20.128.2 flood: HER\n", ""),),
        (JOINED,),
        f"{PAIR}/VNI 10200",
        ("Expected frontend-leaf-02", "Actual none", "look at frontend-leaf-02"),
    ),
    "one-too-many": Case(
        ERA,
        LEAF,
        ((LEAF, VNIS, '"numRemoteVteps":["192.168.111.2"]', '"numRemoteVteps":["192.168.111.2","192.168.111.9"]'),),
        (JOINED,),
        f"{LEAF}/VNI 4200",
        ("Expected backend-leaf-02", "Actual 192.168.111.9, backend-leaf-02"),
    ),
    "vrf-alone": Case(
        ERA,
        LEAF,
        ((LEAF, ROUTERS, '"vtepIp":"192.168.111.2"', '"vtepIp":""'),),
        (JOINED,),
        f"{LEAF}/VNI 5004",
        ("Expected backend-leaf-02", "Actual none"),
    ),
    "no-segment": Case(
        ERA,
        LEAF,
        ((LEAF, SEGMENTS, FIRST, FIRST[:-2] + "fe"),),
        (SEGMENT, LEGS),
        f"{LEAF}/port channel 10",
        ("Expected up", "Actual not there", FIRST),
    ),
    "segment-down": Case(
        "pair",
        PAIR,
        ((PAIR, "show evpn es detail", "State: up", "State: down"),),
        (SEGMENT,),
        f"{PAIR}/port channel 1",
        ("Expected up", "Actual down", "are its cables plugged in?"),
    ),
    "one-leg": Case(
        ERA,
        LEAF,
        ((LEAF, SEGMENTS, '"vtep":"192.168.111.2"', '"vtep":"192.168.111.9"'),),
        (LEGS,),
        f"{LEAF}/port channel 10",
        ("Expected backend-leaf-02", "Actual 192.168.111.9"),
    ),
    "outside-is-down": Case(
        "spectrum",
        PAIR,
        ((PAIR, "nv show interface -o json", OUTSIDE_UP, OUTSIDE_UP[:-4] + '"down"'),),
        (SURVIVES, LINKED),
        PAIR,
        ("Actual up: none; down: swp62", "when frontend-leaf-02 is lost", "look at the cable"),
    ),
    "one-leg-on-sonic": Case(
        "pair",
        PAIR,
        ((PAIR, "show evpn es detail", "     10.20.128.2 df_alg: preference df_pref: 40000 nh: 0\n", ""),),
        (LEGS,),
        f"{PAIR}/port channel 1",
        ("Expected frontend-leaf-02", "Actual none", "is its cable at frontend-leaf-02 plugged in"),
    ),
}


@pytest.mark.parametrize(
    "case",
    [pytest.param(case, id=name, marks=pytest.mark.shows_failing(*case.checks)) for name, case in CASES.items()],
)
def test_a_change_in_routing_fails_the_checks_that_it_breaks(case: Case, tmp_path: Path) -> None:
    shows(case, tmp_path)


@pytest.mark.shows_failing(SURVIVES)
def test_a_pair_without_a_routed_way_outside_is_found(tmp_path: Path) -> None:
    """Its links between the switches are the only uplinks: hosts lose both links with one switch."""
    text = SITES["spectrum"].read_text("utf-8")
    file = tmp_path / "site.yaml"
    file.write_text(text.partition("external:")[0], "utf-8")
    site = replace(replayed("spectrum", tmp_path), planned=plan_site(file))

    (found,) = failed(judged(site, PAIR))[SURVIVES]

    assert "up: none; down: none" in found.message
    assert "when frontend-leaf-02 is lost, frontend-leaf-01 takes the host links of its segments down" in found.remedy
    assert "external.uplinks" in found.remedy
