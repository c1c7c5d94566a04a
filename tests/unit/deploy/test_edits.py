"""From one configuration to another: which lines are typed, and in which order."""

import pytest

from rackproof.deploy.switch.nos.enterprise_sonic.edits import edits, typed
from rackproof.deploy.switch.nos.enterprise_sonic.negation import negated
from rackproof.render.config_tree import parse_tree


def lines(running: str, intended: str) -> list[str]:
    return list(typed(edits(parse_tree(running), parse_tree(intended))))


@pytest.mark.parametrize(
    ("line", "block", "expected"),
    [
        ("mtu 9216", "interface Eth1/1", "no mtu"),
        ("no shutdown", "interface Eth1/1", "shutdown"),
        ("no lldp enable", "", "lldp enable"),
        ("interface Vlan10", "", "no interface Vlan 10"),
        ("interface PortChannel1 mode active", "", "no interface PortChannel 1"),
        ("interface breakout port 1/3 mode 4x200G", "", "no interface breakout port 1/3"),
        ("ntp server 192.0.2.1 prefer true", "", "no ntp server 192.0.2.1"),
        ("qos-map dscp-tc ROCE", "interface Eth1/1", "no qos-map dscp-tc"),
        ("queue 3 wred-policy ROCE", "interface Eth1/1", "no queue 3 wred-policy"),
        ("priority-flow-control priority 3", "interface Eth1/1", "no priority-flow-control priority 3"),
        ("ip address 192.0.2.1/24", "interface Vlan 10", "no ip address 192.0.2.1/24"),
        ("ip address 192.0.2.1/24 gwaddr 192.0.2.254", "interface Management 0", "no ip address"),
        ("router bgp 65001", "", "no router bgp"),
        ("roce enable pfc-priority 3,4", "", "no roce enable"),
        ("neighbor interface Eth1/49", "router bgp 65001", "no neighbor interface Eth1/49"),
    ],
)
def test_takes_a_line_back_by_its_own_no_form(line: str, block: str, expected: str) -> None:
    assert negated(line, block) == expected


def test_a_new_value_replaces_the_old_one() -> None:
    assert lines("interface Eth1/1\n mtu 9100\n", "interface Eth1/1\n mtu 9216\n") == [
        "interface Eth1/1",
        "mtu 9216",
        "exit",
    ]


def test_references_go_before_what_they_refer_to() -> None:
    running = (
        "qos map dscp-tc OLD\n dscp 3 traffic-class 3\ninterface Vlan10\n"
        "interface Eth1/1\n qos-map dscp-tc OLD\n switchport access Vlan 10\n"
    )
    assert lines(running, "interface Eth1/1\n") == [
        "interface Eth1/1",
        "no switchport access Vlan",
        "no qos-map dscp-tc",
        "exit",
        "no interface Vlan 10",
        "no qos map dscp-tc OLD",
    ]


def test_definitions_come_before_what_refers_to_them() -> None:
    intended = "interface Vlan 10\ninterface Eth1/1\n switchport access Vlan 10\n"
    assert lines("interface Eth1/1\n", intended) == [
        "interface Vlan 10",
        "exit",
        "interface Eth1/1",
        "switchport access Vlan 10",
        "exit",
    ]


def test_an_address_leaves_one_port_before_it_comes_to_another() -> None:
    running = "interface Eth1/1\n ip address 192.0.2.0/31\ninterface Eth1/2\n"
    intended = "interface Eth1/1\ninterface Eth1/2\n ip address 192.0.2.0/31\n"
    typed_lines = lines(running, intended)
    assert typed_lines.index("no ip address 192.0.2.0/31") < typed_lines.index("ip address 192.0.2.0/31")


def test_the_management_address_is_replaced_and_never_taken_away() -> None:
    running = "interface Management 0\n ip address 192.0.2.1/24\n"
    intended = "interface Management 0\n ip address 192.0.2.2/24\n"
    assert lines(running, intended) == ["interface Management 0", "ip address 192.0.2.2/24", "exit"]


def test_another_asn_needs_bgp_to_be_made_anew() -> None:
    running = "router bgp 65001\n router-id 192.0.2.1\n"
    intended = "router bgp 65002\n router-id 192.0.2.1\n"
    assert lines(running, intended) == ["no router bgp", "router bgp 65002", "router-id 192.0.2.1", "exit"]


def test_blocks_in_blocks_are_entered_and_left() -> None:
    intended = (
        "router bgp 65001\n neighbor interface Eth1/49\n  bfd\n  remote-as external\n"
        "  address-family ipv4 unicast\n   activate\n neighbor interface Eth1/50\n  remote-as external\n"
    )
    assert lines("", intended) == [
        "router bgp 65001",
        "neighbor interface Eth1/49",
        "bfd",
        "remote-as external",
        "address-family ipv4 unicast",
        "activate",
        "exit",
        "exit",
        "neighbor interface Eth1/50",
        "remote-as external",
        "exit",
        "exit",
    ]


def test_a_code_point_that_moves_is_typed_once() -> None:
    running = "qos map dscp-tc ROCE\n dscp 0-25,27-63 traffic-class 0\n dscp 26 traffic-class 3\n"
    intended = "qos map dscp-tc ROCE\n dscp 0-23,25,27-63 traffic-class 0\n dscp 24,26 traffic-class 3\n"
    assert lines(running, intended) == [
        "qos map dscp-tc ROCE",
        "dscp 0-23,25,27-63 traffic-class 0",
        "dscp 24,26 traffic-class 3",
        "exit",
    ]


def test_a_code_point_that_goes_is_taken_back_alone() -> None:
    running = "qos map dscp-tc ROCE\n dscp 24,26 traffic-class 3\n"
    assert lines(running, "qos map dscp-tc ROCE\n dscp 26 traffic-class 3\n") == [
        "qos map dscp-tc ROCE",
        "no dscp 24",
        "dscp 26 traffic-class 3",
        "exit",
    ]


def test_vlans_of_a_trunk_come_and_go_one_by_one() -> None:
    running = "interface Eth1/1\n switchport trunk allowed Vlan 10-12\n"
    intended = "interface Eth1/1\n switchport trunk allowed Vlan 11-13\n"
    assert lines(running, intended) == [
        "interface Eth1/1",
        "switchport trunk allowed Vlan remove 10",
        "switchport trunk allowed Vlan add 13",
        "exit",
    ]


def test_users_and_port_naming_are_never_sent() -> None:
    assert not lines(
        "username ops password x role admin\ninterface-naming standard\n", "interface-naming standard extended\n"
    )


def test_a_port_that_is_not_used_any_more_is_shut() -> None:
    running = "interface Eth1/1\n description gpu\n no shutdown\n"
    assert lines(running, "interface Eth1/1\n shutdown\n") == ["interface Eth1/1", "no description", "shutdown", "exit"]


def test_the_same_configuration_needs_no_line_however_it_is_ordered() -> None:
    one = "interface Eth1/1\n mtu 9216\n fec RS\nhostname a\n"
    other = "hostname a\ninterface Eth1/1\n fec RS\n mtu 9216\n"
    assert lines(one, other) == []
