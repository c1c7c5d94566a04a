"""What a configuration of Cumulus Linux means for packets."""

from __future__ import annotations

import pytest

from tests.lab.test_cumulus_fabric import Mixed, on_mixed

LINES = (
    "nv set system hostname leaf-a",
    "nv set interface lo ip address 10.0.0.1/32",
    "nv set interface swp1 link breakout 2x",
    "nv set bridge domain br_default type vlan-aware",
    "nv set bridge domain br_default vlan 100,200",
    "nv set interface swp1s0 bridge domain br_default access 100",
    "nv set interface swp1s1 bridge domain br_default untagged 100",
    "nv set interface swp1s1 bridge domain br_default vlan 200",
    "nv set interface vlan100 ip address 10.10.0.2/24",
    "nv set interface vlan100 ip vrr address 10.10.0.1/24",
    "nv set interface vlan200 ip address 10.20.0.1/24",
    "nv set interface vlan200 ip vrf tenant",
    "nv set interface swp4 link mtu 1500",
    "nv set qos roce enable on",
    "nv set qos mapping default-global dscp 27 switch-priority 0",
    "nv set router bgp enable on",
    "nv set router bgp autonomous-system 65001",
    "nv set router bgp router-id 10.0.0.1",
    "nv set vrf default router bgp enable on",
    "nv set vrf default router bgp address-family ipv4-unicast redistribute connected enable on",
    "nv set vrf default router bgp neighbor swp4 remote-as external",
)


@pytest.mark.parametrize(
    ("lines", "priorities"),
    [
        (("nv set qos roce enable on",), {3}),
        (("nv set qos pfc mine switch-priority 2,5", "nv set interface swp4 qos pfc profile mine"), {2, 5}),
    ],
)
def test_pfc_goes_off_one_port_and_comes_back_as_it_was(lines: tuple[str, ...], priorities: set[int]) -> None:
    async def body(fabric: Mixed) -> None:
        await fabric.type("leaf-a", *lines)
        nos = fabric.lab.switch("leaf-a").nos
        before = nos.running_configuration()
        others = nos.forwarding.ports["swp5"].qos
        await fabric.lab.inject("pfc-off", {"switch": "leaf-a", "port": "swp4"})
        assert nos.forwarding.ports["swp4"].qos.lossless == set()
        assert nos.forwarding.ports["swp5"].qos == others
        await fabric.lab.clear()
        assert nos.forwarding.ports["swp4"].qos.lossless == priorities
        assert nos.running_configuration() == before

    on_mixed(body)


def test_a_configuration_means_what_it_says() -> None:
    async def body(fabric: Mixed) -> None:
        await fabric.type("leaf-a", *LINES)
        found = fabric.lab.switch("leaf-a").nos.forwarding
        ports = found.ports
        assert [ports[name].access_vlan for name in ("swp1s0", "swp1s1", "swp4")] == [100, 100, None]
        assert ports["swp1s1"].tagged_vlans == {200}
        assert [ports[name].mtu_bytes for name in ("swp1s0", "swp4")] == [9216, 1500]
        assert [ports["swp4"].qos.class_of.get(dscp, 0) for dscp in (26, 27, 48, 0)] == [3, 0, 6, 0]
        assert ports["swp4"].qos.ecn == {0, 3}
        assert ports["swp4"].qos.lossless == {3}
        assert [(one.vlan, one.addresses, one.anycast, one.vrf) for one in found.vlans] == [
            (100, ("10.10.0.2/24",), ("10.10.0.1/24",), None),
            (200, ("10.20.0.1/24",), (), "tenant"),
        ]
        assert found.loopbacks == ("10.0.0.1/32",)
        assert found.other_vrfs == {"tenant"}
        assert found.router is not None
        assert (found.router.asn, found.router.router_id, found.router.paths) == (65001, "10.0.0.1", 64)
        assert found.router.redistribute == {"connected"}
        assert [(one.peer.target, one.peer.remote) for one in found.router.peers] == [("swp4", "external")]

    on_mixed(body)
