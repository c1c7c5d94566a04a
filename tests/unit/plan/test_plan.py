"""What the plan of the small site says: rails, cabling, addresses, and what is refused."""

from __future__ import annotations

from collections import Counter
from ipaddress import IPv4Interface, IPv4Network
from typing import TYPE_CHECKING, Any

import pytest

from rackproof.errors import SiteErrors
from rackproof.hardware.load import Catalogue
from rackproof.plan.build import build_plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from rackproof.hardware.models import RackModel
    from rackproof.plan.model.plan import Plan
    from rackproof.site.models import Site


@pytest.fixture(scope="module")
def plan(plan_of: Callable[..., Plan]) -> Plan:
    return plan_of()


def test_two_rail_ports_to_a_gpu_numbered_by_slot(plan: Plan) -> None:
    rails = [port for port in plan.servers["gpu-001"].ports.values() if port.rail is not None]
    assert [port.rail for port in rails] == list(range(16))
    slots = [port.slot for port in rails]
    assert slots == sorted(slots, key=lambda slot: slot or 0)
    assert Counter(gpu for port in rails for gpu in port.gpus) == dict.fromkeys(range(8), 2)


def test_every_port_serves_one_link_and_every_leg_reaches(plan: Plan) -> None:
    ends = Counter((end.device, end.port) for link in plan.links for end in (link.a, link.b))
    assert set(ends.values()) == {1}
    assert all(assembly.length_m >= assembly.needed_m for assembly in plan.assemblies)
    by_id = {assembly.id: assembly for assembly in plan.assemblies}
    assert len(by_id) == len(plan.assemblies)
    assert all(link.b in by_id[link.assembly].legs for link in plan.links)


def test_every_leg_of_a_cable_is_a_leg_it_has(plan: Plan, plan_of: Callable[..., Plan]) -> None:
    for some in (plan, plan_of(gpu={"count": 3})):
        legs = Counter((link.assembly, link.leg) for link in some.links)
        assert set(legs.values()) == {1}
        assert max(leg for _, leg in legs) <= 4


def test_addresses_are_unique_and_inside_their_subnets(plan: Plan) -> None:
    subnets: dict[tuple[str, int | None], IPv4Network] = {
        (s.fabric, s.vlan): IPv4Network(s.prefix) for f in plan.fabrics.values() for s in f.subnets if s.vlan
    }
    seen: list[IPv4Interface] = []
    for server in plan.servers.values():
        for port in server.ports.values():
            if port.address:
                assert IPv4Interface(port.address).network == subnets[port.fabric, port.vlan]
                seen.append(IPv4Interface(port.address))
        seen += [IPv4Interface(bond.address) for bond in server.bonds.values()]
        seen += [IPv4Interface(vlan.address) for vlan in server.vlans.values()]
    seen += [IPv4Interface(intent.management.address) for intent in plan.intents().values()]
    seen += [IPv4Interface(pdu.address) for pdu in plan.pdus.values() if pdu.address]
    assert len({interface.ip for interface in seen}) == len(seen)


def test_a_pair_shares_gateway_and_segments_but_not_asn(plan: Plan) -> None:
    first, second = (plan.intents()[f"frontend-leaf-0{n}"] for n in (1, 2))
    assert first.bgp is not None
    assert second.bgp is not None
    assert first.bgp.asn != second.bgp.asn
    assert first.vlans[200].anycast_gateway == second.vlans[200].anycast_gateway
    assert first.vlans[200].address != second.vlans[200].address
    for number, channel in first.port_channels.items():
        ours, theirs = channel.ethernet_segment, second.port_channels[number].ethernet_segment
        assert ours is not None
        assert theirs is not None
        assert ours.system_mac == theirs.system_mac
        assert ours.df_preference > theirs.df_preference


def test_hosts_behind_vxlan_leave_room_for_its_header(plan: Plan) -> None:
    bonded = plan.servers["gpu-001"].ports["frontend0"]
    underlay = plan.intents()["frontend-leaf-01"].ports["32"]
    assert bonded.mtu_bytes == underlay.mtu_bytes - 50


def test_members_of_a_pair_are_one_redundancy_group(plan: Plan) -> None:
    assert plan.redundancy_groups["frontend-pair-01"] == ("frontend-leaf-01", "frontend-leaf-02")
    assert plan.redundancy_groups["backend-leaf-01"] == ("backend-leaf-01",)


def test_supplies_are_split_over_the_feeds(plan: Plan) -> None:
    feeds: dict[str, Counter[str]] = {}
    for cord in plan.cords:
        feeds.setdefault(cord.device, Counter())[plan.pdus[cord.pdu].feed] += 1
    assert all(count["A"] == count["B"] for count in feeds.values())
    assert len({(cord.pdu, cord.outlet) for cord in plan.cords}) == len(plan.cords)


def test_what_a_nos_cannot_express_is_said(plan: Plan) -> None:
    told = [notice.text for notice in plan.notices if notice.kind == "normalised"]
    assert any("counts as 5 m" in text for text in told)
    assert any("ecn_kmin_bytes: 1048576 becomes 1048000" in text for text in told)


def test_bond_makes_one_endpoint_of_a_nics_ports(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(fabrics={"backend": {"nic_ports": "bond"}})
    bonds = [name for name in plan.servers["gpu-001"].bonds if name.startswith("backend")]
    assert len(bonds) == 8
    channels = plan.intents()["backend-leaf-01"].port_channels
    assert len(channels) == 16
    assert all(channel.ethernet_segment is None for channel in channels.values())


def test_pins_hold(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(
        pin={
            "ports": {"gpu-001:rail0": "backend-leaf-01/Eth1/40/1"},
            "addresses": {"gpu-001:rail0": "10.10.0.200", "gpu-002:bmc": "10.30.200.1"},
            "asns": {"frontend-leaf-02": 64999},
        }
    )
    rail = plan.servers["gpu-001"].ports["rail0"]
    assert (rail.switch_port, rail.address) == ("Eth1/40/1", "10.10.0.200/21")
    assert plan.servers["gpu-002"].ports["bmc"].address == "10.30.200.1/16"
    bgp = plan.intents()["frontend-leaf-02"].bgp
    assert bgp is not None
    assert bgp.asn == 64999


def racks(pdus: int) -> list[dict[str, object]]:
    model = "apc-apdu10450sw"
    return [{"name": name, "model": "apc-ar3350", "pdus": {"model": model, "count": pdus}} for name in ("r1", "r2")]


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "too many servers for a switch": (
        {"gpu": {"count": 17, "grows_to": 17}},
        "fabric backend: 16 port(s) find no place on dell-z9864f-on, from gpu-017:rail0 on",
    ),
    "rack too low": ({"gpu": {"count": 8, "grows_to": 8}}, "r1 hold(s) 7 of the 8 servers"),
    "prefix too small": ({"fabrics": {"backend": {"prefix": "10.10.0.0/25"}}}, "has no room for 16 subnet(s)"),
    "cable that does not fit": (
        {"fabrics": {"backend": {"cable": "dell-dac-q56dd-2q56-200g"}}},
        "its qsfp-dd plug does not go into the switch's osfp-finned cage",
    ),
    "cable with other legs": (
        {"fabrics": {"backend": {"cable": "dell-dac-o112-800g-2x400g-q112"}}},
        "dell-dac-o112-800g-2x400g-q112 does not fit: it has 2 leg(s)",
    ),
    "speed the switch has not": (
        {"fabrics": {"backend": {"switch": "dell-s3248t-on"}}},
        "no port of dell-s3248t-on runs at 200G, split or not",
    ),
    "too many PDUs": (
        {"racks": racks(pdus=6)},
        "apc-ar3350 takes 4 vertical PDUs, not 6",
    ),
    "a feed lost at full load": ({"redundancy": "feed-full", "gpu": {"count": 4}}, "(feed lost, full load)"),
    "too few outlets": (
        {"racks": racks(pdus=1), "gpu": {"count": 4}},
        "has no outlet left for supply",
    ),
    "pinned address outside its subnet": (
        {"pin": {"addresses": {"gpu-001:rail0": "10.10.9.5"}}},
        "10.10.9.5 is no host address of 10.10.0.0/21, where gpu-001:rail0 stands",
    ),
    "pinned address taken": (
        {"pin": {"addresses": {"gpu-001:rail0": "10.10.0.17"}}},
        "10.10.0.17 is used by gpu-001:rail0 and gpu-002:rail0",
    ),
    "pinned port of another fabric": (
        {"pin": {"ports": {"gpu-001:rail0": "frontend-leaf-01/Eth1/1/1"}}},
        "is no port of fabric backend",
    ),
    "uplink prefix too small": (
        {"external": {"uplinks": {"dc": {"prefix": "192.0.2.0/31"}}}},
        "192.0.2.0/31 has no room for 2 point-to-point subnet(s)",
    ),
    "more bonds than port channels": (
        {"fabrics": {"backend": {"nic_ports": "bond"}}, "gpu": {"count": 31, "grows_to": 31}},
        "248 bonds are more than the 240 port channels of a switch",
    ),
    "uplink speed no port has": (
        {"external": {"uplinks": {"dc": {"speed_gbps": 400}}}},
        "no port of dell-s5232f-on runs at 400G without being split",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str, errors_of: Callable[..., list[tuple[str, str]]]) -> None:
    changes, message = REFUSED[case]
    assert any(message in text for _, text in errors_of(**changes)), errors_of(**changes)


class WeakCatalogue(Catalogue):
    """Racks that carry little and are shallow."""

    def rack(self, name: str) -> RackModel:
        return super().rack(name).model_copy(update={"load_kg": 200.0, "usable_depth_mm": 900})


def test_a_rack_too_weak_and_too_shallow(site_of: Callable[..., Site]) -> None:
    with pytest.raises(SiteErrors) as caught:
        build_plan(site_of(), WeakCatalogue())
    messages = [error.message for error in caught.value.errors]
    assert "rack r1 would carry 228 kg; apc-ar3350 carries 200 kg" in messages
    assert "gpu-001, gpu-002 need(s) 1009 mm; apc-ar3350 takes devices up to 900 mm deep" in messages


def test_everything_wrong_is_said_at_once(errors_of: Callable[..., list[tuple[str, str]]]) -> None:
    errors = errors_of(gpu={"count": 17, "grows_to": 17}, fabrics={"frontend": {"prefix": "10.20.0.0/28"}})
    assert {path for path, _ in errors} >= {"servers.0.nics.backend", "servers.0.rack", "fabrics.frontend.prefix"}


def test_the_error_names_the_largest_site(plan_of: Callable[..., Plan]) -> None:
    assert plan_of().fabrics["backend"].servers_max == 16
    assert plan_of().fabrics["frontend"].servers_max == (32 - 3) * 4


def test_two_adapters_of_a_fabric_are_one_bond(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(gpu={"nic_counts": {"frontend": 2}})
    server = plan.servers["gpu-001"]
    bond = server.bonds["frontend-bond0"]
    assert bond.members == ("frontend0", "frontend1", "frontend2", "frontend3")
    slots = {server.ports[member].slot for member in bond.members}
    assert len(slots) == 2
    for slot in slots:
        switches = {server.ports[member].switch for member in bond.members if server.ports[member].slot == slot}
        assert switches == {"frontend-leaf-01", "frontend-leaf-02"}


def test_management_controllers_of_adapters_are_out_of_band(plan_of: Callable[..., Plan]) -> None:
    backend = {"topology": "single-switch", "switch": "nvidia-sn5600", "nos": "cumulus", "roce": {}}
    plan = plan_of(gpu={"nics": {"backend": "nvidia-b3140h"}, "count": 2, "grows_to": 2}, fabrics={"backend": backend})
    ports = plan.servers["gpu-002"].ports
    controllers = [port for name, port in ports.items() if name.startswith("nicbmc")]
    assert len(controllers) == 8
    assert {port.switch for port in controllers} == {"oob-leaf-01"}
    assert len({port.address for port in ports.values()} - {None}) == len(ports)


def test_controllers_of_some_adapters_are_left_to_their_hosts(plan_of: Callable[..., Plan]) -> None:
    backend = {"topology": "single-switch", "switch": "nvidia-sn5600", "nos": "cumulus", "roce": {}}
    nics = {"backend": "nvidia-b3140h", "frontend": "nvidia-connectx6dx-2x100g"}
    plan = plan_of(gpu={"nics": nics, "managed_nics": ["frontend"]}, fabrics={"backend": backend})
    assert not [name for name in plan.servers["gpu-001"].ports if name.startswith("nicbmc")]


def test_servers_stand_from_a_unit_on(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(gpu={"from_unit": 7})
    assert [str(server.position) for server in plan.servers.values()] == ["r1/u07", "r1/u13"]


def test_an_uplink_runs_at_a_lower_speed_of_its_port(plan_of: Callable[..., Plan]) -> None:
    uplink = {"fabric": "frontend", "speed_gbps": 50, "attach": "bgp", "asn": 65000, "prefix": "192.0.2.0/28"}
    plan = plan_of(external={"uplinks": {"dc": uplink}})
    ports = [port for port in plan.intents()["frontend-leaf-01"].ports.values() if "uplink" in port.description]
    assert [port.speed_gbps for port in ports] == [50]
