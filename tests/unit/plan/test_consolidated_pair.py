"""Two switches for everything: who is where, what a lost one takes away, and what keeps the networks apart."""

from __future__ import annotations

from collections import Counter
from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rackproof.errors import SiteErrors
from rackproof.plan.build import build_plan
from rackproof.plan.hosts.mounts import storage_mounts
from rackproof.site.models import Pin
from rackproof.site.rules import check_rules
from rackproof.site.yaml_recovery import validate

if TYPE_CHECKING:
    from rackproof.hardware.load import Catalogue
    from rackproof.plan.model.plan import Plan, SwitchIntent
    from rackproof.site.models import Site

PDUS: Final = {"model": "apc-apdu10450sw", "count": 4}
CORES: Final = ("backend-leaf-01", "backend-leaf-02")
MODELS: Final = {8: ("dell-xe9680-h200", 3, 12), 2: ("dell-r760xa-h100nvl", 10, 32)}
"""Rails a server to model, servers a rack, and servers that NVIDIA's architecture is made for."""


def site(rails: int, count: int, grows_to: int, **backend: object) -> Site:
    model, per_rack, _ = MODELS[rails]
    oob = {"topology": "switch-per-rack", "switch": "nvidia-sn2201", "nos": "cumulus", "prefix": "10.30.0.0/20"}
    data: dict[str, Any] = {
        "site": "pair",
        "release": "dell-genai-2025",
        "redundancy": "one-pdu",
        "racks": [
            {"name": "net", "model": "apc-ar3357", "pdus": PDUS},
            {"name": "r", "model": "apc-ar3357", "pdus": PDUS, "count": 5},
        ],
        "servers": [
            {
                "group": "gpu",
                "model": model,
                "nics": {"backend": "nvidia-b3140h", "frontend": "nvidia-b3220l"},
                "managed_nics": [],
                "count": count,
                "grows_to": grows_to,
                "rack": "r",
                "per_rack": per_rack,
            },
            {"group": "head", "model": "dell-r660", "nics": {"frontend": "nvidia-connectx6dx-2x100g"}, "count": 3}
            | {"rack": "net", "from_unit": 30},
        ],
        "fabrics": {
            "backend": {
                "topology": "consolidated-pair",
                "switch": "nvidia-sn5600",
                "nos": "cumulus",
                "prefix": "10.10.0.0/20",
                "subnets": "shared",
                "first_vlan": 900,
                "roce": {"load_balancing": "ecmp"},
                **backend,
            },
            "frontend": {"shares": "backend", "prefix": "10.20.0.0/20", "first_vlan": 300},
            "oob": {**oob, "first_vlan": 200, "joins": "backend"},
        },
        "storage": [
            {"name": "scale", "model": "dell-powerscale-f710", "nodes": 3, "rack": "net", "from_unit": 36},
        ],
        "external": {
            "uplinks": {"edge": {"fabric": "frontend", "ports": 4, "speed_gbps": 100, "attach": "bgp-unnumbered"}},
            "dhcp": ["192.0.2.2"],
        },
    }
    return validate(data)


@pytest.fixture(scope="module")
def plans(catalogue: Catalogue) -> dict[int, Plan]:
    """Rails a server to the plan of a pair that is as full as NVIDIA's architecture."""
    return {rails: build_plan(site(rails, most, most), catalogue) for rails, (_, _, most) in MODELS.items()}


def core(plan: Plan, number: int = 0) -> SwitchIntent:
    return plan.intents()[CORES[number]]


@pytest.mark.parametrize(("rails", "first"), [(8, {0, 3, 4, 7}), (2, {0})])
def test_rails_are_split_over_the_pair(plans: dict[int, Plan], rails: int, first: set[int]) -> None:
    for server in plans[rails].servers.values():
        sides = {port.rail: port.switch for port in server.ports.values() if port.rail is not None}
        assert {rail for rail, switch in sides.items() if switch == CORES[0]} == (first if sides else set())
        assert len(sides) in {0, rails}


@pytest.mark.parametrize("rails", MODELS)
def test_between_the_switches_is_as_much_as_towards_the_rails(plans: dict[int, Plan], rails: int) -> None:
    kinds = Counter(link.kind for link in plans[rails].links if link.a.device == CORES[0] and link.fabric == "backend")
    assert kinds["inter-switch"] == kinds["rail"] == MODELS[rails][2] * rails // 2
    speeds = {link.speed_gbps for link in plans[rails].links if link.fabric == "backend" and link.a.device in CORES}
    assert speeds == {400}


@pytest.mark.parametrize("rails", MODELS)
def test_who_has_no_rails_has_a_service_vlan(plans: dict[int, Plan], rails: int) -> None:
    plan = plans[rails]
    gateways = {subnet.vlan: subnet.gateway for subnet in plan.fabrics["frontend"].subnets}
    prefixes = {subnet.vlan: IPv4Network(subnet.prefix) for subnet in plan.fabrics["frontend"].subnets}
    for name, server in plan.hosts().items():
        numbers = {"gpu": (), "head": (400,), "scale": (500,)}[server.group]
        assert tuple(vlan.vlan for vlan in server.vlans.values()) == numbers
        for key, vlan in server.vlans.items():
            bond = server.bonds[vlan.link]
            assert (key, vlan.gateway) == (f"vlan{vlan.vlan}", gateways[vlan.vlan])
            assert IPv4Interface(vlan.address).network == prefixes[vlan.vlan]
            assert IPv4Interface(bond.address).network == prefixes[300]
            carried = [
                channel.tagged_vlans
                for core in CORES
                for channel in plan.intents()[core].port_channels.values()
                if channel.description.startswith(f"{name} ")
            ]
            assert carried == [(vlan.vlan,)] * len(CORES)


def test_a_fabric_without_bonds_takes_no_service_vlan(catalogue: Catalogue) -> None:
    asked = site(2, 4, 32)
    fabrics = asked.fabrics | {"frontend": asked.fabrics["frontend"].model_copy(update={"nic_ports": "two-subnets"})}

    plan = build_plan(asked.model_copy(update={"fabrics": fabrics}), catalogue)

    assert not [name for name, server in plan.hosts().items() if server.vlans]


def test_an_address_in_a_service_vlan_can_be_pinned(catalogue: Catalogue) -> None:
    asked = site(2, 4, 32).model_copy(update={"pin": Pin(addresses={"head-002:vlan400": IPv4Address("10.20.4.99")})})

    plan = build_plan(asked, catalogue)

    assert check_rules(asked, catalogue).errors == []
    assert plan.servers["head-002"].vlans["vlan400"].address == "10.20.4.99/22"
    assert plan.servers["head-003"].vlans["vlan400"].address == "10.20.4.18/22"


def test_clients_mount_from_the_vlan_for_storage(plans: dict[int, Plan]) -> None:
    served = next(storage_mounts(site(2, 32, 32), plans[2], plans[2].servers["gpu-002"]))

    assert [IPv4Address(address) in IPv4Network("10.20.8.0/22") for address in served.servers] == [True] * 3


def test_oversubscription_takes_links_away(catalogue: Catalogue) -> None:
    plan = build_plan(site(8, 4, 12, oversubscription=2), catalogue)
    isl = [link for link in plan.links if link.fabric == "backend" and link.kind == "inter-switch"]
    assert len(isl) == 24


def test_an_odd_rail_shares_no_cage_with_the_links_between_the_switches(catalogue: Catalogue) -> None:
    plan = build_plan(site(2, 3, 3), catalogue)
    ends = Counter((link.a.device, link.a.port) for link in plan.links)
    assert set(ends.values()) == {1}
    isl = [link for link in plan.links if link.fabric == "backend" and link.kind == "inter-switch"]
    assert len(isl) == 4


@pytest.mark.parametrize("rails", MODELS)
@pytest.mark.parametrize("lost", CORES)
def test_a_lost_switch_leaves_every_host_its_frontend(plans: dict[int, Plan], rails: int, lost: str) -> None:
    plan = plans[rails]
    left = {link.b.device for link in plan.links if link.fabric == "frontend" and link.a.device != lost}
    assert left == set(plan.hosts())
    managed = {link.b.device for link in plan.links if link.kind == "inter-switch" and link.fabric == "oob"}
    reached = {
        link.b.device
        for link in plan.links
        if link.fabric == "oob" and link.kind == "inter-switch" and link.a.device != lost
    }
    assert reached == managed == set(plan.fabrics["oob"].switches)


@pytest.mark.parametrize("rails", MODELS)
def test_a_bond_is_one_segment_on_both_switches(plans: dict[int, Plan], rails: int) -> None:
    first, second = core(plans[rails]), core(plans[rails], 1)
    assert first.port_channels == second.port_channels
    for number, channel in first.port_channels.items():
        members = [key for key, port in first.ports.items() if port.port_channel == number]
        assert [int(key.split("/")[0]) * 10 + int(key.split("/")[1]) - 1 for key in members] == [number]
        assert channel.ethernet_segment is not None
        assert channel.ethernet_segment.system_mac == "44:38:39:ff:00:aa"
        assert channel.lacp_bypass == (channel.vlan != 200)
    numbered = {row.ethernet_segment for row in first.port_channels.values()}
    assert len(numbered) == 1, "one MAC for all, told apart by number"


def test_vlans_have_the_numbers_of_the_architecture(plans: dict[int, Plan]) -> None:
    vlans = core(plans[8]).vlans
    assert {number: (vlan.vni, vlan.vrf) for number, vlan in vlans.items()} == {
        200: (4200, "OOB"),
        300: (4300, "INBAND"),
        400: (4400, "INBAND"),
        500: (4500, "INBAND"),
        900: (4900, "GPU"),
    }
    for number, vlan in vlans.items():
        peer = core(plans[8], 1).vlans[number]
        ends = [str(address).partition("/")[0].rpartition(".")[2] for address in (vlan.anycast_gateway, vlan.address)]
        assert [*ends, str(peer.address).partition("/")[0].rpartition(".")[2]] == ["1", "2", "3"]


def test_services_and_storage_are_tagged(plans: dict[int, Plan]) -> None:
    tagged = {c.description.split("-0")[0]: (c.vlan, c.tagged_vlans) for c in core(plans[8]).port_channels.values()}
    assert tagged == {
        "gpu": (300, ()),
        "head": (300, (400,)),
        "scale": (300, (500,)),
        "oob-leaf": (200, ()),
    }


def test_the_pair_is_one_autonomous_system(plans: dict[int, Plan]) -> None:
    first, second = core(plans[8]).bgp, core(plans[8], 1).bgp
    assert first is not None
    assert second is not None
    assert first.asn == second.asn
    assert first.router_id != second.router_id
    for neighbor in first.neighbors.values():
        assert (neighbor.internal, neighbor.evpn, neighbor.bfd, neighbor.ttl_security_hops) == (True, True, True, 1)


def test_networks_meet_only_at_the_edge(plans: dict[int, Plan]) -> None:
    intent = core(plans[2])
    vrfs = intent.vrfs
    assert {name: (vrf.l3_vlan, vrf.l3_vni, vrf.imports) for name, vrf in vrfs.items()} == {
        "OOB": (3001, 5001, ("EXIT",)),
        "INBAND": (3002, 5002, ("EXIT",)),
        "GPU": (3003, 5003, ()),
        "EXIT": (3004, 5004, ("INBAND", "OOB")),
    }
    assert list(vrfs["EXIT"].neighbors) == ["61/1", "61/2", "63/1", "63/2"]
    assert {intent.ports[key].vrf for key in vrfs["EXIT"].neighbors} == {"EXIT"}
    loopbacks = [vrf.loopback for number in (0, 1) for vrf in core(plans[2], number).vrfs.values()]
    loopbacks += [core(plans[2], number).loopback for number in (0, 1)]
    assert len(set(loopbacks)) == 10


def test_what_networks_outside_are_told_leaves_out_the_gpus(plans: dict[int, Plan]) -> None:
    policy = core(plans[2]).policy
    assert policy is not None
    maps = {name for vrf in core(plans[2]).vrfs.values() for name in (vrf.import_policy,) if name}
    maps |= {str(one.export_policy) for one in core(plans[2]).vrfs["EXIT"].neighbors.values()}
    assert maps == set(policy.route_maps)
    used = {rule.prefix_list for rules in policy.route_maps.values() for rule in rules.values() if rule.prefix_list}
    assert used == set(policy.prefix_lists)
    told = {rule.prefix for rule in policy.prefix_lists["OUTBOUND_PREFIXES"].values()}
    assert not [prefix for prefix in told if prefix.startswith("10.10.")]
    assert {"10.20.0.0/22", "10.30.0.0/20"} <= told


def test_the_pair_is_the_gateway_out_of_band(plans: dict[int, Plan]) -> None:
    plan = plans[2]
    gateways = {
        port.gateway for server in plan.servers.values() for port in server.ports.values() if port.name == "bmc"
    }
    assert gateways == {"10.30.0.1"}
    for name in plan.fabrics["oob"].switches:
        intent = plan.intents()[name]
        assert intent.vlans[200].address is None
        assert [key for key, port in intent.ports.items() if port.port_channel == 1] == ["49", "51"]


@pytest.mark.parametrize("rails", MODELS)
def test_too_many_servers(catalogue: Catalogue, rails: int) -> None:
    most = MODELS[rails][2]
    with pytest.raises(SiteErrors) as caught:
        build_plan(site(rails, most + 1, most + 1), catalogue)
    hints = [error.hint for error in caught.value.errors if error.path[-1] == "backend"]
    assert any(f"the largest site this topology holds with it is {most} server(s)" in hint for hint in hints)


@settings(max_examples=4)
@given(data=st.data())
@pytest.mark.parametrize("rails", MODELS)
def test_growth_moves_nothing(catalogue: Catalogue, rails: int, data: st.DataObject) -> None:
    most = MODELS[rails][2]
    few = data.draw(st.integers(1, most - 1))
    more = data.draw(st.integers(few + 1, most))
    before, after = (build_plan(site(rails, count, most), catalogue) for count in (few, more))
    assert {name: after.hosts()[name] for name in before.hosts()} == before.hosts()
    assert set(before.links) <= set(after.links)
    assert set(before.cords) <= set(after.cords)
    for name, intent in before.intents().items():
        grown = after.intents()[name]
        assert {key: grown.ports[key] for key in intent.ports} == intent.ports
        assert {key: grown.port_channels[key] for key in intent.port_channels} == intent.port_channels
        assert (grown.vlans, grown.vrfs, grown.policy) == (intent.vlans, intent.vrfs, intent.policy)


def test_a_host_with_one_port_cannot_be_bonded(catalogue: Catalogue) -> None:
    lopsided = site(8, 2, 2).model_copy(
        update={"pin": site(8, 2, 2).pin.model_copy(update={"ports": {"gpu-001:frontend0": "backend-leaf-01/swp40s0"}})}
    )
    with pytest.raises(SiteErrors) as caught:
        build_plan(lopsided, catalogue)
    assert "gpu-001 is not on the same ports of both switches" in caught.value.errors[0].message


def test_sonic_cannot_be_a_consolidated_pair(catalogue: Catalogue) -> None:
    with pytest.raises(SiteErrors) as caught:
        build_plan(site(8, 2, 2, nos="sonic"), catalogue)
    assert {error.path for error in caught.value.errors} >= {("fabrics", "backend", "topology")}
