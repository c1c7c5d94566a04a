"""Links, LLDP and BGP follow from the cables and from what both ends are configured to do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.lab.conftest import Fabric, OnFabric


UP = ("interface breakout port 1/1 mode 4x200G", "interface Eth1/1/1", "fec RS", "no shutdown")


def column(text: str, port: str, number: int) -> str:
    return next(line.split()[number] for line in text.splitlines() if line.startswith(f"{port} "))


def status(on_fabric: OnFabric, *lines: str) -> str:
    found = {}

    async def scenario(fabric: Fabric) -> None:
        await fabric.edit("leaf-a", *lines)
        found["text"] = await fabric.show("leaf-a", "show interface status")

    on_fabric(scenario)
    return found["text"]


CASES = [
    # what is typed on leaf-a, reason shown for Eth1/1/1
    (UP, "oper-up"),
    ((*UP, "shutdown"), "admin-down"),
    ((*UP, "fec off"), "phy-link-down"),
    ((*UP, "speed 100000"), "phy-link-down"),
    ((*UP, "no fec"), "oper-up"),
    ((*UP, "interface Eth1/1/3", "no shutdown"), "oper-up"),
]


@pytest.mark.parametrize(("lines", "reason"), CASES)
def test_a_link_to_a_host_needs_port_speed_and_fec(on_fabric: OnFabric, lines: tuple[str, ...], reason: str) -> None:
    text = status(on_fabric, *lines)
    assert column(text, "Eth1/1/1", 3) == reason
    assert column(text, "Eth1/1/1", 2) == ("up" if reason == "oper-up" else "down")


def test_a_port_without_a_cable_has_no_transceiver(on_fabric: OnFabric) -> None:
    text = status(on_fabric, *UP, "interface Eth1/1/3", "no shutdown")
    assert column(text, "Eth1/1/3", 3) == "no-transceiver"
    assert column(text, "Eth1/1/3", 7) == "Ethernet4"


def test_a_link_between_switches_needs_both(on_fabric: OnFabric) -> None:
    async def scenario(fabric: Fabric) -> None:
        await fabric.edit("leaf-a", "interface Eth1/4", "no shutdown")
        assert column(await fabric.show("leaf-a", "show interface status"), "Eth1/4", 3) == "phy-link-down"
        await fabric.edit("leaf-b", "interface Eth1/4", "no shutdown", "speed 400000")
        assert column(await fabric.show("leaf-a", "show interface status"), "Eth1/4", 3) == "phy-link-down"
        await fabric.edit("leaf-b", "interface Eth1/4", "no speed")
        assert column(await fabric.show("leaf-a", "show interface status"), "Eth1/4", 3) == "oper-up"
        fabric.lab.switches["leaf-b"].power_off()
        assert column(await fabric.show("leaf-a", "show interface status"), "Eth1/4", 3) == "phy-link-down"

    on_fabric(scenario)


def neighbours(text: str) -> dict[str, list[str]]:
    return {line.split()[0]: line.split()[1:3] for line in text.splitlines() if line.startswith("Eth")}


def test_lldp_shows_who_is_there(on_fabric: OnFabric) -> None:
    async def scenario(fabric: Fabric) -> None:
        await fabric.edit("leaf-a", *UP, "interface Eth1/1/2", "no shutdown", "interface Eth1/4", "no shutdown")
        await fabric.edit("leaf-b", "interface Eth1/4", "no shutdown", 'description "to leaf-a"')
        table = await fabric.show("leaf-a", "show lldp table")
        assert neighbours(table) == {
            "Eth1/1/1": ["gpu-001", "rail0"],
            "Eth1/1/2": ["gpu-001", "rail1"],
            "Eth1/4": ["leaf-b", "Eth1/4"],
        }
        detail = await fabric.show("leaf-a", "show lldp neighbor Eth1/4")
        assert "    SysName:      leaf-b\n" in detail
        assert "    PortDescr:    to leaf-a\n" in detail
        assert "    MgmtIP:       10.30.0.16\n" in detail
        await fabric.edit("leaf-b", "no lldp enable")
        assert "Eth1/4" not in await fabric.show("leaf-a", "show lldp table")

    on_fabric(scenario)


def test_a_swapped_cable_shows(on_fabric: OnFabric) -> None:
    async def scenario(fabric: Fabric) -> None:
        await fabric.edit("leaf-a", *UP, "interface Eth1/1/2", "no shutdown")
        ports = {"switch": "leaf-a", "first": "Eth1/1/1", "second": "Eth1/1/2"}
        await fabric.lab.inject("swapped-cable", ports)
        table = await fabric.show("leaf-a", "show lldp table")
        assert neighbours(table) == {"Eth1/1/1": ["gpu-001", "rail1"], "Eth1/1/2": ["gpu-001", "rail0"]}
        assert await fabric.lab.clear() == 1
        table = await fabric.show("leaf-a", "show lldp table")
        assert neighbours(table)["Eth1/1/1"] == ["gpu-001", "rail0"]

    on_fabric(scenario)


def bgp(asn: int, *more: str) -> tuple[str, ...]:
    return (
        "interface Eth1/4",
        "no shutdown",
        "ipv6 enable",
        f"router bgp {asn}",
        "router-id 10.0.0.1",
        "neighbor interface Eth1/4",
        "remote-as external",
        *more,
        "address-family ipv4 unicast",
        "activate",
    )


SESSIONS = [
    (bgp(65001), bgp(65002), "1", 1),
    (bgp(65001), bgp(65001), "Idle", 0),
    (bgp(65001, "remote-as 65009"), bgp(65002), "Idle", 0),
    (bgp(65001), bgp(65002, "remote-as 65009"), "Active", 0),
    (bgp(65001), ("interface Eth1/4", "no shutdown", "ipv6 enable"), "Idle", 0),
    (bgp(65001), (*bgp(65002), "interface Eth1/4", "no ipv6 enable"), "Idle", 0),
    (bgp(65001), (*bgp(65002), "interface Eth1/4", "shutdown"), "Idle", 0),
    (bgp(65001, "shutdown"), bgp(65002), "Idle(Admin)", 0),
]


@pytest.mark.parametrize(("left", "right", "state", "established"), SESSIONS)
def test_a_session_comes_up_when_both_ends_agree(
    on_fabric: OnFabric, left: tuple[str, ...], right: tuple[str, ...], state: str, established: int
) -> None:
    async def scenario(fabric: Fabric) -> None:
        await fabric.edit("leaf-a", *left)
        await fabric.edit("leaf-b", *right)
        text = await fabric.show("leaf-a", "show bgp ipv4 unicast summary")
        assert text.startswith("BGP router identifier 10.0.0.1, local AS number 65001\n")
        assert column(text, "Eth1/4", -1) == state
        assert f"Total number of neighbors established {established}\n" in text

    on_fabric(scenario)


def test_evpn_over_loopbacks_needs_a_live_path(on_fabric: OnFabric) -> None:
    def overlay(own: str, other: str) -> tuple[str, ...]:
        return (
            "interface Loopback 0",
            f"ip address {own}/32",
            "interface Eth1/4",
            "no shutdown",
            "router bgp 65001",
            f"neighbor {other}",
            "remote-as internal",
            "address-family l2vpn evpn",
            "activate",
        )

    async def scenario(fabric: Fabric) -> None:
        await fabric.edit("leaf-a", *overlay("10.0.0.1", "10.0.0.2"))
        await fabric.edit("leaf-b", *overlay("10.0.0.2", "10.0.0.1"))
        text = await fabric.show("leaf-a", "show bgp l2vpn evpn summary")
        assert column(text, "10.0.0.2", -1) == "1"
        assert "10.0.0.2" not in await fabric.show("leaf-a", "show bgp ipv4 unicast summary")
        await fabric.edit("leaf-b", "interface Eth1/4", "shutdown")
        text = await fabric.show("leaf-a", "show bgp l2vpn evpn summary")
        assert column(text, "10.0.0.2", -1) == "Active"

    on_fabric(scenario)


def test_the_other_read_outs_answer(on_fabric: OnFabric) -> None:
    async def scenario(fabric: Fabric) -> None:
        await fabric.edit("leaf-a", *UP)
        assert "HwSKU             : Dell-Z9864F-O64\n" in await fabric.show("leaf-a", "show version")
        assert "QSFP112 200G DAC" in await fabric.show("leaf-a", "show interface transceiver summary")
        assert column(await fabric.show("leaf-a", "show interface counters"), "Eth1/1/1", 1) == "U"
        assert "1/1   4x200G         Completed     Eth1/1/1\n" in await fabric.show("leaf-a", "show interface breakout")
        assert "2x400G, 4x200G" in await fabric.show("leaf-a", "show interface breakout modes")
        assert "PFC7" in await fabric.show("leaf-a", "show priority-flow-control statistics")
        assert "UC7" in await fabric.show("leaf-a", "show queue counters")
        assert await fabric.show("leaf-b", "show bgp ipv4 unicast summary") == ""

    on_fabric(scenario)
