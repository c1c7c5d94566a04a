"""What reaches what over a planned network: the ways of a good plan, and the cause in each broken one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import msgspec
import pytest

from rackproof.errors import Problems, SiteErrors
from rackproof.hardware.load import Catalogue
from rackproof.plan.from_file import plan_site
from rackproof.plan.model.plan import BgpIntent
from rackproof.plan.reachability.reachability import check_reachability, flows
from rackproof.site.load import find_site
from tests.unit.plan.conftest import BASE

if TYPE_CHECKING:
    from collections.abc import Callable

    from rackproof.plan.model.plan import Plan, SwitchIntent
    from rackproof.plan.model.reachability import Flow

CATALOGUE: Final = Catalogue()
MANAGEMENT: Final = {
    "fabric": "oob",
    "speed_gbps": 10,
    "attach": "vlan",
    "vlan": 400,
    "address": "192.0.2.18/28",
    "gateway": "192.0.2.17",
}
CAMPUS: Final = {"fabric": "frontend", "speed_gbps": 100, "attach": "bgp", "asn": 65000, "prefix": "192.0.2.0/28"}
REACHABLE: Final[dict[str, Any]] = {
    "uplinks": {"dc": CAMPUS, "management": MANAGEMENT},
    "dns": ["198.51.100.53"],
    "ntp": ["198.51.100.123"],
    "syslog": ["198.51.100.14"],
}


def ways(plan: Plan, device: str) -> dict[tuple[str, str], str]:
    """Interface and service to the way, or to the cause where it is not reached."""
    return {(one.port, one.kind): one.way or str(one.cause) for one in flows(plan, CATALOGUE) if one.device == device}


def with_intent(plan: Plan, switch: str, **changes: object) -> Plan:
    intent: SwitchIntent = replace(plan.intents()[switch], **changes)  # type: ignore[arg-type]
    return replace(plan, switches={**plan.switches, switch: replace(plan.switches[switch], intent=intent)})


@pytest.fixture
def reachable(plan_of: Callable[..., Plan]) -> Plan:
    return plan_of(**{"external!": REACHABLE})


def test_every_device_has_its_way_with_port_vlan_and_next_hop(reachable: Plan) -> None:
    assert ways(reachable, "gpu-001") == {
        ("bmc", "management"): "gpu-001 bmc > oob-leaf-01 Eth1/9 (VLAN 300) > oob-leaf-01 Eth1/52 (VLAN 400) "
        "> management 192.0.2.17",
        ("lom0", "management"): "gpu-001 lom0 > oob-leaf-01 Eth1/13 (VLAN 300) > oob-leaf-01 Eth1/52 (VLAN 400) "
        "> management 192.0.2.17",
        ("frontend0", "dns"): "gpu-001 frontend0 > frontend-leaf-01 Eth1/1/1 (VLAN 200) > frontend-leaf-01 Eth1/30 "
        "(routed) > dc 192.0.2.1",
        ("frontend0", "ntp"): "gpu-001 frontend0 > frontend-leaf-01 Eth1/1/1 (VLAN 200) > frontend-leaf-01 Eth1/30 "
        "(routed) > dc 192.0.2.1",
        ("frontend1", "dns"): "gpu-001 frontend1 > frontend-leaf-02 Eth1/1/1 (VLAN 200) > frontend-leaf-02 Eth1/30 "
        "(routed) > dc 192.0.2.3",
        ("frontend1", "ntp"): "gpu-001 frontend1 > frontend-leaf-02 Eth1/1/1 (VLAN 200) > frontend-leaf-02 Eth1/30 "
        "(routed) > dc 192.0.2.3",
    }
    assert {kind for _, kind in ways(reachable, "backend-leaf-01")} == {"management", "dns", "ntp", "syslog"}
    assert [one for one in flows(reachable, CATALOGUE) if one.cause] == []
    assert [one for one in ways(reachable, "r1-pdu-1").values() if "192.0.2.17" not in one] == []


def broken(plan: Plan) -> list[Flow]:
    return [one for one in flows(plan, CATALOGUE) if one.cause]


def without_vlan(plan: Plan) -> Plan:
    ports = plan.intents()["oob-leaf-01"].ports
    return with_intent(plan, "oob-leaf-01", ports={**ports, "9": replace(ports["9"], vlan=None)})


def without_gateway_address(plan: Plan) -> Plan:
    vlans = plan.intents()["oob-leaf-01"].vlans
    return with_intent(plan, "oob-leaf-01", vlans={**vlans, 300: replace(vlans[300], address=None)})


def with_far_next_hop(plan: Plan) -> Plan:
    return with_intent(plan, "oob-leaf-01", default_route="203.0.113.1")


def without_uplink_vlan(plan: Plan) -> Plan:
    channels = plan.intents()["oob-leaf-01"].port_channels
    bare = {number: replace(channel, tagged_vlans=()) for number, channel in channels.items()}
    return with_intent(plan, "oob-leaf-01", port_channels=bare)


def without_default_route(plan: Plan) -> Plan:
    return with_intent(plan, "oob-leaf-01", default_route=None)


def without_session(plan: Plan) -> Plan:
    bgp = plan.intents()["frontend-leaf-01"].bgp
    assert bgp is not None
    peerless = BgpIntent(bgp.asn, bgp.router_id, {})
    return with_intent(plan, "frontend-leaf-01", bgp=peerless)


def without_host_gateway(plan: Plan) -> Plan:
    server = plan.servers["gpu-001"]
    ports = {**server.ports, "bmc": msgspec.structs.replace(server.ports["bmc"], gateway=None)}
    return replace(plan, servers={**plan.servers, "gpu-001": replace(server, ports=ports)})


@pytest.mark.parametrize(
    ("broken_plan", "device", "cause"),
    [
        (without_vlan, "gpu-001", "oob-leaf-01/Eth1/9 carries no untagged VLAN"),
        (without_gateway_address, "gpu-001", "no switch has the gateway 10.30.0.1 in VLAN 300 of oob-leaf-01"),
        (with_far_next_hop, "gpu-001", "the next hop 203.0.113.1 of oob-leaf-01 is in no subnet that the switch has"),
        (
            without_uplink_vlan,
            "gpu-001",
            "VLAN 400 of oob-leaf-01, with the next hop 192.0.2.17, leaves",
        ),
        (without_default_route, "gpu-001", "the uplink management of oob-leaf-01 has no gateway"),
        (without_session, "gpu-001", "frontend-leaf-01 has no BGP session over Eth1/30, the uplink dc"),
        (without_host_gateway, "gpu-001", "gpu-001 bmc has no gateway"),
    ],
)
def test_a_broken_plan_has_its_cause(
    reachable: Plan, broken_plan: Callable[[Plan], Plan], device: str, cause: str
) -> None:
    problems = Problems()

    list(check_reachability(broken_plan(reachable), CATALOGUE, problems))

    assert any(device == one.device and str(one.cause).startswith(cause) for one in broken(broken_plan(reachable)))
    assert problems.fatal
    assert any(cause in error.message and error.hint for error in problems.errors)


def test_services_out_of_reach_are_an_error_at_their_place(plan_of: Callable[..., Plan]) -> None:
    with pytest.raises(SiteErrors) as refusal:
        plan_of(**{"external!": {**REACHABLE, "uplinks": {"dc": CAMPUS}}})

    (error,) = [error for error in refusal.value.errors if not error.warning]
    assert error.path == ("external", "dns", 0)
    assert error.message == (
        "oob-leaf-01 and 3 more device(s) cannot reach dns 198.51.100.53, ntp 198.51.100.123, syslog 198.51.100.14: "
        "oob-leaf-01 has no route to networks outside"
    )
    assert "fabric: oob" in error.hint


def test_a_station_that_the_site_names_must_be_reached(plan_of: Callable[..., Plan]) -> None:
    with pytest.raises(SiteErrors) as refusal:
        plan_of(**{"external!": {"uplinks": {"dc": CAMPUS}, "management": ["198.51.100.10"]}})

    (error,) = [error for error in refusal.value.errors if not error.warning]
    assert error.path == ("external", "management", 0)
    assert error.message.startswith("oob-leaf-01 and ")


def test_a_station_in_the_out_of_band_subnet_needs_no_uplink(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(**{"external!": {"management": ["10.30.0.9"]}})

    assert ways(plan, "gpu-001")["bmc", "management"] == "gpu-001 bmc > oob-leaf-01 Eth1/9 (VLAN 300) > 10.30.0.9"
    assert "reachability" not in {notice.kind for notice in plan.notices}


def test_a_service_in_the_site_is_reached_over_the_networks_outside(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(**{"external!": {"uplinks": REACHABLE["uplinks"], "ntp": ["10.30.0.9"]}})

    assert ways(plan, "gpu-001")["frontend0", "ntp"] == (
        "gpu-001 frontend0 > frontend-leaf-01 Eth1/1/1 (VLAN 200) > frontend-leaf-01 Eth1/30 (routed) "
        "> networks outside (routed) > oob-leaf-01 (routed) > 10.30.0.9"
    )


def test_without_any_uplink_services_are_a_warning_and_the_station_a_notice(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(**{"external!": {"ntp": ["198.51.100.123"]}})

    told = {(notice.kind, notice.subject): notice.text for notice in plan.notices}
    assert "cannot reach ntp 198.51.100.123" in told["warning", "external.ntp.0"]
    assert told["reachability", "external.management"] == (
        "no uplink leads out of band: a management station needs an address of 10.30.0.0/16 on its switch"
    )


def test_islands_out_of_band_are_told(plan_of: Callable[..., Plan]) -> None:
    racks = [*BASE["racks"][:1], {**BASE["racks"][1], "new_row": True}]
    oob = {"topology": "switch-per-rack", "rack": None}

    plan = plan_of(racks=racks, fabrics={"oob": oob}, **{"external!": {}})

    warnings = [notice for notice in plan.notices if notice.kind == "warning"]
    assert [(notice.subject, notice.text.partition(": ")[2]) for notice in warnings if "reach" in notice.text] == [
        ("fabrics.oob.topology", "oob-leaf-02 has no route to 10.30.0.1")
    ]


def test_out_of_band_switches_that_join_a_pair_are_routed_by_it() -> None:
    plan = plan_site(find_site("dell-era-2-8-9")).plan

    assert ways(plan, "gpu-001")["bmc", "management"] == (
        "gpu-001 bmc > oob-leaf-01 swp2 (VLAN 200) > oob-leaf-01 swp49 (VLAN 200) > backend-leaf-01 (VRF OOB) "
        "> backend-leaf-01 swp61s0 (VRF EXIT) > edge"
    )
