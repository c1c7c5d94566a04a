"""Ports towards networks outside, as their owners must know them."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
