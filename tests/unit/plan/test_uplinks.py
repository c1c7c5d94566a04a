"""Ports towards networks outside, as their owners must know them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from rackproof.errors import SiteErrors

if TYPE_CHECKING:
    from collections.abc import Callable

    from rackproof.plan.model.plan import Plan


def test_every_uplink_port_says_where_it_is_and_what_the_other_end_needs(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of()

    assert [(u.switch, u.address, u.peer, u.asn) for u in plan.uplinks] == [
        ("frontend-leaf-01", "192.0.2.0/31", "192.0.2.1", 65000),
        ("frontend-leaf-02", "192.0.2.2/31", "192.0.2.3", 65000),
    ]
    for uplink in plan.uplinks:
        intent = plan.intents()[uplink.switch]
        (port,) = [port for port in intent.ports.values() if port.description.startswith("uplink dc")]
        assert (port.address, port.speed_gbps, port.mtu_bytes) == (uplink.address, uplink.speed_gbps, uplink.mtu_bytes)


def test_an_uplink_by_vlan_names_it(plan_of: Callable[..., Plan]) -> None:
    campus = {"fabric": "frontend", "ports": 2, "speed_gbps": 100, "attach": "vlan", "vlan": 250}
    plan = plan_of(**{"external!": {"uplinks": {"campus": campus}}})

    assert {(u.number, u.vlan, u.address, u.asn) for u in plan.uplinks} == {(1, 250, None, None), (2, 250, None, None)}
    assert len({(u.switch, u.port) for u in plan.uplinks}) == 4


OOB: Final = {"fabric": "oob", "speed_gbps": 10, "mtu_bytes": 1500}


def test_an_uplink_of_a_fabric_without_loopback_has_its_bgp_session(plan_of: Callable[..., Plan]) -> None:
    uplink = {**OOB, "attach": "bgp", "asn": 64512, "prefix": "192.0.2.64/31"}
    intent = plan_of(external={"uplinks": {"mgmt": uplink}}).intents()["oob-leaf-01"]

    assert intent.bgp is not None
    assert list(intent.bgp.neighbors) == ["192.0.2.65"]
    assert intent.loopback is None
    assert intent.bgp.router_id == "10.30.0.1"  # its gateway address out of band


def test_the_gateway_of_a_vlan_is_the_default_route(plan_of: Callable[..., Plan]) -> None:
    uplink = {**OOB, "attach": "vlan", "vlan": 400, "address": "192.0.2.18/28", "gateway": "192.0.2.17"}
    plan = plan_of(external={"uplinks": {"mgmt": uplink}})
    intent = plan.intents()["oob-leaf-01"]

    assert intent.default_route == "192.0.2.17"
    assert intent.vlans[400].address == "192.0.2.18/28"
    assert plan.intents()["frontend-leaf-01"].default_route is None
    assert [(u.address, u.peer) for u in plan.uplinks if u.name == "mgmt"] == [("192.0.2.18/28", "192.0.2.17")]


def test_each_switch_of_a_pair_has_an_address_of_its_own_in_the_vlan(plan_of: Callable[..., Plan]) -> None:
    campus = {"fabric": "frontend", "speed_gbps": 100, "attach": "vlan", "vlan": 250, "address": "192.0.2.18/28"}
    plan = plan_of(**{"external!": {"uplinks": {"campus": {**campus, "gateway": "192.0.2.17"}}}})

    assert [intent.vlans[250].address for name, intent in plan.intents().items() if name.startswith("frontend")] == [
        "192.0.2.18/28",
        "192.0.2.19/28",
    ]
    assert [u.address for u in plan.uplinks] == ["192.0.2.18/28", "192.0.2.19/28"]


@pytest.mark.parametrize(
    ("address", "gateway", "message"),
    [
        ("192.0.2.30/28", None, "192.0.2.16/28 has no room for 2 switches from 192.0.2.30 on"),
        ("192.0.2.17/28", "192.0.2.18", "the gateway 192.0.2.18 is an address of a switch: they take 192.0.2.17 to "),
    ],
)
def test_addresses_in_the_vlan_fit_all_switches(
    plan_of: Callable[..., Plan], address: str, gateway: str | None, message: str
) -> None:
    campus = {"fabric": "frontend", "speed_gbps": 100, "attach": "vlan", "vlan": 250, "address": address}
    campus |= {"gateway": gateway} if gateway else {}

    with pytest.raises(SiteErrors) as refusal:
        plan_of(**{"external!": {"uplinks": {"campus": campus}}})

    (error,) = [one for one in refusal.value.errors if not one.warning]
    assert error.path == ("external", "uplinks", "campus", "address")
    assert error.message.startswith(message)
