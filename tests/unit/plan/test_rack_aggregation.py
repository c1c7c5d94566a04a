"""Out-of-band switches of racks below two aggregation switches: routed links, no loop, and a way out that may fail."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest

from rackproof.errors import SiteErrors
from rackproof.hardware.load import Catalogue
from rackproof.plan.reachability.reachability import flows
from tests.unit.plan.conftest import BASE

if TYPE_CHECKING:
    from collections.abc import Callable

    from rackproof.plan.model.plan import Plan

CATALOGUE: Final = Catalogue()
TWO_ROWS: Final = [BASE["racks"][0], {**BASE["racks"][1], "new_row": True}]
UPLINK: Final = {"fabric": "oob", "speed_gbps": 10, "attach": "bgp", "asn": 64512, "prefix": "192.0.2.64/30"}
AGGREGATED: Final[dict[str, Any]] = {
    "racks": TWO_ROWS,
    "fabrics": {"oob": {"topology": "rack-aggregation"}},
    "external": {"uplinks": {"management": UPLINK}, "ntp": ["198.51.100.123"]},
}


def between_switches(plan: Plan) -> set[tuple[str, str]]:
    return {(str(link.a), str(link.b)) for link in plan.links if link.fabric == "oob" and link.kind == "inter-switch"}


def test_every_rack_switch_is_linked_to_both_aggregation_switches(plan_of: Callable[..., Plan]) -> None:
    assert between_switches(plan_of(**AGGREGATED)) == {
        ("oob-spine-01/Eth1/1", "oob-leaf-01/Eth1/48"),
        ("oob-spine-02/Eth1/1", "oob-leaf-01/Eth1/47"),
        ("oob-spine-01/Eth1/2", "oob-leaf-02/Eth1/48"),
        ("oob-spine-02/Eth1/2", "oob-leaf-02/Eth1/47"),
    }


def test_no_vlan_spans_two_switches(plan_of: Callable[..., Plan]) -> None:
    intents = {name: intent for name, intent in plan_of(**AGGREGATED).intents().items() if name.startswith("oob")}

    routed = [port for intent in intents.values() for port in intent.ports.values() if port.unnumbered]
    assert len(routed) == 8
    assert {(port.vlan, port.tagged_vlans, port.port_channel) for port in routed} == {(None, (), None)}
    assert [intents[name].vlans for name in ("oob-spine-01", "oob-spine-02")] == [{}, {}]


@pytest.mark.parametrize("lost", ["oob-spine-01", "oob-spine-02"])
def test_one_aggregation_switch_may_fail(plan_of: Callable[..., Plan], lost: str) -> None:
    plan = plan_of(**AGGREGATED)
    left = replace(plan, switches={**plan.switches, lost: replace(plan.switches[lost], intent=None)})

    reached = [flow for flow in flows(left, CATALOGUE) if flow.device != lost]
    assert [flow for flow in reached if flow.cause] == []
    assert {flow.hops[-1].device for flow in reached if flow.plugged.switch.startswith("oob")} == {
        {"oob-spine-01": "oob-spine-02", "oob-spine-02": "oob-spine-01"}[lost]
    }


def test_a_further_rack_moves_no_cable_and_no_session(plan_of: Callable[..., Plan]) -> None:
    third = {"name": "r3", "model": "apc-ar3350", "pdus": {"model": "apc-apdu10450sw", "count": 2}, "new_row": True}

    before, after = plan_of(**AGGREGATED), plan_of(**{**AGGREGATED, "racks": [*TWO_ROWS, third]})

    assert between_switches(before) < between_switches(after)
    assert [(u.switch, u.port, u.address) for u in before.uplinks] == [
        (u.switch, u.port, u.address) for u in after.uplinks
    ]


def test_a_static_default_route_is_not_learned_by_rack_switches(plan_of: Callable[..., Plan]) -> None:
    vlan = {"fabric": "oob", "speed_gbps": 10, "attach": "vlan", "vlan": 400, "address": "192.0.2.66/28"}
    external = {"uplinks": {"management": {**vlan, "gateway": "192.0.2.65"}}, "ntp": ["198.51.100.123"]}

    with pytest.raises(SiteErrors) as refusal:
        plan_of(**{"racks": TWO_ROWS, "fabrics": AGGREGATED["fabrics"], "external!": external})

    cause = "the uplink management of oob-spine-01 is a static route, which no other switch learns"
    assert any(cause in error.message for error in refusal.value.errors)
