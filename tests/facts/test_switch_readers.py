"""What a NOS's reader makes of texts in the form that their sources have, where lab switches print less of it."""

from __future__ import annotations

import json
from typing import Final

import pytest

from rackproof.facts.fact import Answer, Answers, FactError
from rackproof.facts.models import EcnThresholds, EthernetSegment, PfcWatchdog, PortLink, QueueBuffer, Vni
from rackproof.facts.nos.cumulus import counters, interfaces, overlay, qos, routing
from rackproof.facts.nos.enterprise_sonic import counters as sonic_counters
from rackproof.facts.nos.enterprise_sonic import interfaces as sonic_interfaces
from rackproof.facts.nos.enterprise_sonic import overlay as sonic_overlay
from rackproof.facts.nos.enterprise_sonic import qos as sonic_qos
from rackproof.facts.nos.enterprise_sonic import routing as sonic_routing
from rackproof.facts.nos.enterprise_sonic.shows import shell
from rackproof.facts.switches import SwitchFacts, fact_commands, gathered

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
# Recorded from FRR 8.4.4, with a second switch; the VRF as the page on troubleshooting EVPN has it.
EVPN_VNIS: Final = """VNI: 10200
 Type: L2
 Tenant VRF: default
 VxLAN interface: vni10200
 VxLAN ifIndex: 4
 SVI interface: br10
 SVI ifIndex: 3
 Local VTEP IP: 10.0.0.1
 Mcast group: 0.0.0.0
 Remote VTEPs for this VNI:
  10.0.0.2 flood: HER
  10.0.0.4 flood: HER
 Number of MACs (local and remote) known for this VNI: 0
 Number of ARPs (IPv4 and IPv6, local and remote) known for this VNI: 0
 Advertise-gw-macip: No
 Advertise-svi-macip: No

VNI: 4001
  Type: L3
  Tenant VRF: RED
  Local Vtep Ip: 10.0.0.1
  State: Up
"""
# Public notes on release 4.
EVPN_VLANS: Final = """VLAN      VNI
======    =====
Vlan200   10200
Vlan2000  200000
Total count :    2
"""
# SONiC, EVPN_VxLAN_Multihoming.md.
EVPN_SEGMENTS: Final = """ESI: 03:00:00:00:11:22:33:00:00:01
 Type: Local,Remote
 Interface: PortChannel1
 State: up
 Bridge port: yes
 Ready for BGP: yes
 VNI Count: 2
 MAC Count: 1
 DF status: df
 DF preference: 32767
 Nexthop group: 536870913
 VTEPs:
     4.4.4.4 df_alg: preference df_pref: 32767 nh: 268435458

ESI: 03:00:00:00:11:22:33:00:00:02
 Type: Remote
 Interface: -
 Ready for BGP: no
 VNI Count: 0
 MAC Count: 0
 DF preference: 0
 Nexthop group: 536870914
 VTEPs:
     2.2.2.2 df_alg: preference df_pref: 32767 nh: 268435459
     3.3.3.3 df_alg: preference df_pref: 32767 nh: 268435460
"""


def sonic(shows: dict[str, str]) -> Answers:
    """Answers to commands of ``sonic-cli``."""
    return {shell(show): Answer(text, 0) for show, text in shows.items()}


def test_fec_is_read_whatever_the_type() -> None:
    assert sonic_interfaces.links(sonic({sonic_interfaces.FEC: FEC, sonic_interfaces.STATUS: STATUS})) == {
        "Eth1/1": PortLink("Eth1/1", 400_000, "rs"),
        "Eth1/2": PortLink("Eth1/2", None, None),
    }


def test_only_routes_in_use_count_with_all_their_ways() -> None:
    found = sonic_routing.routes(sonic({sonic_routing.IP_ROUTE: ROUTES}))
    assert found["10.1.0.0/16"].next_hops == ("Eth1/1", "Eth1/2")
    assert (found["10.2.0.0/24"].protocol, found["10.2.0.0/24"].next_hops) == ("connected", ("Vlan100",))


def test_marks_are_found_by_their_title() -> None:
    assert sonic_counters.ecn_marked(MARKS) == {"Eth1/1": {3: 160510586}}


def test_marks_that_are_not_counted_are_not_zero() -> None:
    assert sonic_counters.ecn_marked("Port TxQ Counter/pkts\nEth1/1 UC3 5\n") == {}


def test_watermarks_that_are_not_told_are_left_out() -> None:
    found = sonic_qos.buffers(sonic({sonic_qos.WATERMARKS: WATERMARKS}))
    assert found == (QueueBuffer("Eth1/1", 0, 0), QueueBuffer("Eth1/1", 1, 0), QueueBuffer("Eth1/1", 3, 4096))


@pytest.mark.parametrize(
    "text", ["%Error: Invalid input detected\n", "% Error: Illegal parameter.\n", "Error: Failure\n"]
)
def test_a_refusal_is_no_answer(text: str) -> None:
    with pytest.raises(FactError, match="the switch refuses `show ip route`"):
        SwitchFacts("enterprise-sonic", sonic({sonic_routing.IP_ROUTE: text})).routes()


def test_what_was_not_asked_is_not_known() -> None:
    with pytest.raises(FactError, match="was not run"):
        SwitchFacts("cumulus", {}).ports()


def test_what_cannot_be_read_says_which_subject() -> None:
    with pytest.raises(FactError, match="of its ports cannot be read"):
        SwitchFacts("cumulus", {interfaces.INTERFACES: Answer("no json", 0)}).ports()


def nvue(**ports: object) -> Answers:
    """Answers of one port, and of the switch, about RoCE: values as the RoCE page and the NVUE reference print them."""
    thresholds = {"min-threshold": "146.48 KB", "max-threshold": "1.43 MB", "probability": 100, "ecn": "enable"}
    answers = {
        qos.ECN: {"traffic-class": {"0,3": thresholds}},
        qos.WATCHDOG_SETTINGS: {"polling-interval": 100, "robustness": 3},
        counters.WATCHDOG.format(port="swp16"): {"state": "enabled", "pfc-wd-status": {"3": {"deadlock-count": 3}}},
        counters.QOS_COUNTERS.format(port="swp16"): {"pfc-stats": {"3": {"rx-pause-frames": "12"}}},
        qos.ROCE_STATUS.format(port="swp16"): {
            "congestion-control": {"enabled-tc": "3", "min-threshold": "153.00 KB"},
            "pfc": {"pfc-priority": "3", "rx-enabled": "yes", "tx-enabled": "yes"},
            "prio-map": {"roce": {"dscp": "24-31", "switch-prio": 3}},
            "tc-map": {"roce": {"switch-prio": 3, "traffic-class": 3}},
            **ports,
        },
    }
    return {command: Answer(json.dumps(said), 0) for command, said in answers.items()}


def test_lists_sizes_and_words_of_nvue_are_read() -> None:
    found = qos.roce(nvue())["swp16"]
    assert found.class_of == dict.fromkeys(range(24, 32), 3)
    assert found.ecn == {3: EcnThresholds(149_996, 1_499_464, 100)}
    assert (found.pfc, found.watchdog) == ((3,), PfcWatchdog(None, 300, None))


def test_pfc_in_one_direction_is_none() -> None:
    half = {"pfc-priority": "3", "rx-enabled": "yes", "tx-enabled": "no"}
    assert qos.roce(nvue(pfc=half))["swp16"].pfc == ()


def test_storms_are_found_whatever_their_table_is_called() -> None:
    found = counters.pauses(nvue())["swp16"]
    assert (found.watchdog, found.pfc_rx, found.pfc_tx) == ({3: 3}, {3: 12}, {})


def test_without_bgp_there_are_no_sessions() -> None:
    facts = SwitchFacts("cumulus", {routing.BGP: Answer("{\n}\n", 0)})
    assert facts.sessions() == facts.sessions("EXIT") == {}


def test_a_vni_has_its_vlan_from_nvue_and_a_vrf_its_routers() -> None:
    vnis = [
        {"vni": 10, "type": "L2", "vxlanInterface": "vxlan48", "vtepIp": "10.0.0.1", "numRemoteVteps": ["10.0.0.2"]},
        {"vni": 4001, "type": "L3", "state": "Up", "vrf": "RED"},
    ]
    said = {
        overlay.VNI_DETAIL: vnis,
        overlay.VNI_VLANS: {"10": {"vlan": 200}},
        overlay.ROUTER_MACS: {"4001": {"numRmacs": 1, "02::1": {"vtepIp": "10.0.0.3"}}},
    }
    facts = SwitchFacts("cumulus", {command: Answer(json.dumps(one), 0) for command, one in said.items()})
    assert facts.vnis() == {
        10: Vni(10, 200, None, up=True, remote=("10.0.0.2",)),
        4001: Vni(4001, None, "RED", up=True, remote=("10.0.0.3",)),
    }


def test_what_is_no_list_of_vnis_cannot_be_read() -> None:
    said = {overlay.VNI_DETAIL: "{}", overlay.VNI_VLANS: "{}", overlay.ROUTER_MACS: "{}"}
    with pytest.raises(FactError, match="of its vnis cannot be read: it is no list"):
        SwitchFacts("cumulus", {command: Answer(text, 0) for command, text in said.items()}).vnis()


def test_vnis_of_vlans_are_read_from_frrs_text() -> None:
    found = SwitchFacts(
        "enterprise-sonic", sonic({sonic_overlay.VNI_DETAIL: EVPN_VNIS, sonic_overlay.VNI_VLANS: EVPN_VLANS})
    ).vnis()
    assert found == {10200: Vni(10200, 200, None, up=True, remote=("10.0.0.2", "10.0.0.4"))}


def test_segments_are_read_from_frrs_text() -> None:
    found = SwitchFacts("enterprise-sonic", sonic({sonic_overlay.SEGMENT_DETAIL: EVPN_SEGMENTS})).segments()
    assert list(found.values()) == [
        EthernetSegment("03:00:00:00:11:22:33:00:00:01", "PortChannel1", up=True, remote=("4.4.4.4",)),
        EthernetSegment("03:00:00:00:11:22:33:00:00:02", "", up=False, remote=("2.2.2.2", "3.3.3.3")),
    ]


def test_switches_without_an_overlay_are_not_asked_for_one() -> None:
    without = fact_commands("cumulus", (), gathered(overlay=False))
    assert set(fact_commands("cumulus", ())) - set(without) == {
        overlay.VNI_DETAIL,
        overlay.VNI_VLANS,
        overlay.ROUTER_MACS,
        overlay.SEGMENT_DETAIL,
    }


def test_a_single_way_and_the_default_route_are_read() -> None:
    rows = [{"dst": "default", "dev": "swp1", "protocol": "static"}, {"dst": "10.0.0.1", "dev": "swp2"}]
    found = routing.routes({routing.IP_ROUTE: Answer(json.dumps(rows), 0)})
    assert {prefix: route.next_hops for prefix, route in found.items()} == {
        "0.0.0.0/0": ("swp1",),
        "10.0.0.1/32": ("swp2",),
    }
