"""VXLAN and EVPN of lab switches: who hears of whose networks and segments, as FRR would say it on both NOSes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.lab.test_cumulus_fabric import Mixed, on_mixed

if TYPE_CHECKING:
    from collections.abc import Iterable

EVPN: Final = "address-family l2vpn-evpn enable on"


def leaf(number: int, ports: Iterable[str]) -> tuple[str, ...]:
    """Lines of a switch with Cumulus Linux that stretches VLAN 200 and routes for a tenant."""
    sessions = (
        line
        for port in ports
        for line in (
            f"nv set interface {port} type swp",
            f"nv set vrf default router bgp neighbor {port} remote-as external",
            f"nv set vrf default router bgp neighbor {port} {EVPN}",
        )
    )
    return (
        f"nv set interface lo ip address 10.0.0.{number}/32",
        "nv set router bgp enable on",
        f"nv set router bgp autonomous-system 6500{number}",
        f"nv set router bgp router-id 10.0.0.{number}",
        "nv set vrf default router bgp enable on",
        f"nv set vrf default router bgp {EVPN}",
        "nv set vrf default router bgp address-family ipv4-unicast redistribute connected enable on",
        *sessions,
        "nv set bridge domain br_default type vlan-aware",
        "nv set bridge domain br_default vlan 200 vni 10200",
        "nv set nve vxlan enable on",
        f"nv set nve vxlan source address 10.0.0.{number}",
        "nv set nve vxlan arp-nd-suppress on",
        "nv set evpn enable on",
        "nv set vrf RED evpn enable on",
        "nv set vrf RED evpn vni 4001",
    )


SEGMENT: Final = (
    "nv set interface swp1 link breakout 2x",
    "nv set interface bond1 bond member swp1s0",
    "nv set interface bond1 bridge domain br_default access 200",
    "nv set evpn multihoming enable on",
    "nv set interface bond1 evpn multihoming segment enable on",
    "nv set interface bond1 evpn multihoming segment local-id 10",
    "nv set interface bond1 evpn multihoming segment mac-address 44:38:39:FF:00:AA",
)
SONIC: Final = (
    "interface Loopback 0",
    "ip address 10.0.0.3/32",
    "exit",
    "interface Vlan 200",
    "exit",
    "interface Eth1/4",
    "ipv6 enable",
    "no shutdown",
    "exit",
    "interface vxlan vtep1",
    "source-ip 10.0.0.3",
    "map vni 10200 vlan 200",
    "exit",
    "router bgp 65003",
    "router-id 10.0.0.3",
    "address-family l2vpn evpn",
    "advertise-all-vni",
    "exit",
    "neighbor interface Eth1/4",
    "remote-as external",
    "address-family ipv4 unicast",
    "activate",
    "exit",
    "address-family l2vpn evpn",
    "activate",
)


async def told(fabric: Mixed, what: str, switch: str = "leaf-a") -> Any:  # noqa: ANN401 JSON
    """What FRR says on a switch with Cumulus Linux."""
    outcome = await fabric.lab.switch(switch).shell.run(f"sudo -n vtysh -c '{what} json'")
    assert not outcome.status, (outcome.out, outcome.error)
    return json.loads(outcome.out)


async def said(fabric: Mixed, what: str) -> str:
    """What the switch with Enterprise SONiC says."""
    return (await fabric.lab.switch("leaf-c").shell.run(f"sonic-cli -c '{what}'")).out


async def ends(fabric: Mixed, number: int) -> list[str]:
    found = await told(fabric, "show evpn vni detail")
    return next(list(one.get("numRemoteVteps", [])) for one in found if one["vni"] == number)


def test_networks_are_heard_of_over_sessions_that_carry_evpn() -> None:
    async def body(fabric: Mixed) -> None:
        await fabric.type("leaf-a", *leaf(1, ("swp3", "swp4")))
        assert await ends(fabric, 10200) == []
        await fabric.type("leaf-b", *leaf(2, ("swp4",)))
        assert await ends(fabric, 10200) == ["10.0.0.2"]
        assert list((await told(fabric, "show evpn rmac vni all"))["4001"]) == ["numRmacs", "02:00:0a:00:00:02"]
        await fabric.type("leaf-c", *SONIC)
        assert await ends(fabric, 10200) == ["10.0.0.2", "10.0.0.3"]
        # leaf-a passes on what leaf-b has told it.
        text = await said(fabric, "show evpn vni detail")
        assert "  10.0.0.1 flood: HER\n  10.0.0.2 flood: HER\n" in text
        assert "Vlan200   10200" in await said(fabric, "show vxlan vlanvnimap")
        await fabric.type("leaf-b", f"nv unset vrf default router bgp neighbor swp4 {EVPN.removesuffix(' enable on')}")
        assert await ends(fabric, 10200) == ["10.0.0.3"]

    on_mixed(body)


def test_a_network_that_another_has_not_is_alone() -> None:
    async def body(fabric: Mixed) -> None:
        await fabric.type("leaf-a", *leaf(1, ("swp4",)))
        await fabric.type("leaf-b", *leaf(2, ("swp4",)), "nv set bridge domain br_default vlan 300 vni 10300")
        await fabric.type("leaf-b", "nv unset bridge domain br_default vlan 200")
        assert await ends(fabric, 10200) == []
        found = (await fabric.show("leaf-b", "evpn vni"))["10300"]
        assert (found["vlan"], found["remote-vtep-count"]) == (300, 0)

    on_mixed(body)


def test_a_segment_is_up_with_one_of_its_ports() -> None:
    async def body(fabric: Mixed) -> None:
        await fabric.type("leaf-a", *leaf(1, ("swp4",)), *SEGMENT)
        (segment,) = await told(fabric, "show evpn es detail")
        assert (segment["esi"], segment["accessPort"]) == ("03:44:38:39:ff:00:aa:00:00:0a", "bond1")
        assert {"local", "df", "operUp"} <= set(segment["flags"])
        await fabric.type("leaf-a", "nv set interface swp1s0 link state down")
        (segment,) = await told(fabric, "show evpn es detail")
        assert "operUp" not in segment["flags"]

    on_mixed(body)


def test_sessions_of_every_vrf_are_told() -> None:
    async def body(fabric: Mixed) -> None:
        await fabric.type("leaf-a", *leaf(1, ("swp4",)), "nv set vrf RED router bgp enable on")
        await fabric.type("leaf-a", "nv set vrf RED router bgp neighbor 192.0.2.9 remote-as 65100")
        await fabric.type("leaf-b", *leaf(2, ("swp4",)))
        found = await told(fabric, "show bgp vrf all summary")
        assert found["default"]["l2VpnEvpn"]["peers"]["swp4"]["state"] == "Established"
        assert found["RED"]["ipv4Unicast"]["peers"]["192.0.2.9"]["remoteAs"] == 0
        assert "l2VpnEvpn" not in found["RED"]

    on_mixed(body)


@pytest.mark.parametrize(
    "command", ["vtysh -c 'show bgp vrf all summary json'", "sudo vtysh -c 'show ip ospf'", "sudo vtysh"]
)
def test_frr_answers_root_what_it_knows(command: str) -> None:
    async def body(fabric: Mixed) -> None:
        assert (await fabric.lab.switch("leaf-a").shell.run(command)).status

    on_mixed(body)


def test_routes_lead_to_subnets_over_the_nearest_switches() -> None:
    async def body(fabric: Mixed) -> None:
        subnet = "nv set interface vlan200 ip address 10.20.0.1/24"
        await fabric.type("leaf-a", *leaf(1, ("swp3", "swp4")))
        await fabric.type("leaf-b", *leaf(2, ("swp4",)), subnet)
        await fabric.type("leaf-c", *SONIC)
        near = {one.prefix: one.ports for one in fabric.lab.links.routes("leaf-a")}
        far = {one.prefix: one.ports for one in fabric.lab.links.routes("leaf-c")}
        assert near == {"10.0.0.2/32": ("swp4",), "10.20.0.0/24": ("swp4",)}
        assert far == {"10.0.0.1/32": ("Eth1/4",), "10.0.0.2/32": ("Eth1/4",), "10.20.0.0/24": ("Eth1/4",)}
        await fabric.type("leaf-a", subnet)
        assert "10.20.0.0/24" not in {one.prefix for one in fabric.lab.links.routes("leaf-a")}

    on_mixed(body)
