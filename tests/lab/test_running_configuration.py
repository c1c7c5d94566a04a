"""show running-configuration: order, indentation, separators, defaults that are always shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lab.switches.nos.enterprise_sonic.cli import Klish

if TYPE_CHECKING:
    from tests.lab.conftest import Console, OnConsole


FACTORY = """
!
hostname leaf-a
interface-naming standard
username admin password $6$lab$J0bRe8aBdRYWC2tQyGb0T1 role admin
!
interface Management 0
 no shutdown
 ip address 10.30.0.16/16 gwaddr 10.30.0.1
!
interface Eth1/1
 mtu 9100
 speed 800000
 unreliable-los auto
 shutdown
"""

BGP = """router bgp 65001
 router-id 10.0.0.1
 !
 address-family ipv4 unicast
  redistribute connected
  maximum-paths 64
 !
 address-family l2vpn evpn
  advertise-all-vni
 !
 peer-group SPINES
  remote-as external
  bfd
  !
  address-family ipv4 unicast
   activate
 !
 neighbor interface Eth1/2
  peer-group SPINES
 !
 neighbor interface Eth1/10
  peer-group SPINES
"""


def test_a_switch_from_the_box_shows_its_name_address_and_ports(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        assert console.nos.running_configuration().startswith(FACTORY)
        assert console.nos.running_configuration().endswith(" shutdown\n")

    on_console(scenario)


def test_bgp_nests_and_sorts_numbers_as_numbers(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        spec = console.switch.spec
        console.nos.configuration.root.children.update(
            {
                f"interface Eth1/{number}": console.nos.configuration.root.children["interface Eth1/1"]
                for number in (10,)
            }
        )
        assert spec.name == "leaf-a"
        lines = (
            "router bgp 65001",
            "neighbor interface Eth1/10",
            "exit",
            "peer-group SPINES",
            "bfd",
            "remote-as external",
            "address-family ipv4 unicast",
            "activate",
            "neighbor interface Eth1/10",
            "peer-group SPINES",
            "neighbor interface Eth1/2",
            "peer-group SPINES",
            "exit",
            "address-family l2vpn evpn",
            "advertise-all-vni",
            "address-family ipv4 unicast",
            "maximum-paths 64",
            "redistribute connected",
            "exit",
            "router-id 10.0.0.1",
        )
        assert [printed for _, printed in await console.typed("configure terminal", *lines)] == [""] * (len(lines) + 1)
        assert "\n".join(console.block("router bgp 65001")) + "\n" == BGP

    on_console(scenario)


def test_lists_are_compressed_and_grouped(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        await console.configured(
            "qos map dscp-tc R",
            "dscp 0-63 traffic-class 0",
            "dscp 26 traffic-class 3",
            "dscp 24 traffic-class 3",
            "no dscp 60-63",
        )
        assert console.block("qos map dscp-tc R")[1:] == [
            " dscp 0-23,25,27-59 traffic-class 0",
            " dscp 24,26 traffic-class 3",
        ]
        await console.configured(
            "interface Eth1/2",
            "switchport trunk allowed Vlan 10-12,20",
            "switchport trunk allowed Vlan add 13",
            "no switchport trunk allowed Vlan 11",
        )
        assert " switchport trunk allowed Vlan 10,12-13,20" in console.block("interface Eth1/2")

    on_console(scenario)


def test_taking_a_line_back_shows_the_default_again(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        await console.configured("interface Eth1/1", "mtu 9216", "no shutdown", "speed 400000", "description x")
        assert console.block("interface Eth1/1")[1:] == [
            " description x",
            " mtu 9216",
            " speed 400000",
            " unreliable-los auto",
            " no shutdown",
        ]
        await console.configured("interface Eth1/1", "no mtu", "shutdown", "no speed", "no description")
        assert console.block("interface Eth1/1")[1:] == [
            " mtu 9100",
            " speed 800000",
            " unreliable-los auto",
            " shutdown",
        ]

    on_console(scenario)


def test_pipes_filter(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        (_, grep), (_, without), (_, more) = await console.typed(
            "show running-configuration | grep hostname",
            'show running-configuration interface Eth 1/1 | except "mtu"',
            "show running-configuration | no-more",
        )
        assert grep == "hostname leaf-a\n"
        assert without == "!\ninterface Eth1/1\n speed 800000\n unreliable-los auto\n shutdown\n"
        assert more == console.nos.running_configuration()

    on_console(scenario)


def test_a_page_stops_and_length_0_does_not(on_console: OnConsole) -> None:
    async def scenario(console: Console) -> None:
        klish = Klish(console.nos, console)
        console.answers = ["q"]
        assert await klish.run("show running-configuration") == ""
        assert console.asked == ["--more--"]
        await klish.run("terminal length 0")
        assert await klish.run("show running-configuration") == console.nos.running_configuration()

    on_console(scenario)
