"""Up to ``grows_to``, adding or retiring a server, or adding a rack, changes nothing that exists."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rackproof.plan.model.plan import Plan, SwitchIntent

TOPOLOGIES = st.sampled_from(["single-switch", "redundant-pair"])
RACKS = [
    {"name": name, "model": "apc-ar3350", "pdus": {"model": "apc-apdu10450sw", "count": 4}}
    for name in ("r1", "r2", "r3")
]


@pytest.fixture(scope="module")
def plan(plan_of: Callable[..., Plan]) -> Callable[..., Plan]:
    def build(frontend: str, gpu: dict[str, object], racks: int = 2) -> Plan:
        return plan_of(gpu=gpu, fabrics={"frontend": {"topology": frontend}}, racks=RACKS[:racks])

    return build


def assert_kept(before: Mapping[Any, object], after: Mapping[Any, object]) -> None:
    assert {name: after[name] for name in before} == dict(before)


def without_ports(intent: SwitchIntent) -> SwitchIntent:
    return dataclasses.replace(intent, ports={}, port_channels={}, breakouts={})


def assert_nothing_moved(before: Plan, after: Plan) -> None:
    assert_kept(before.servers, after.servers)
    assert_kept({pdu: row.address for pdu, row in before.pdus.items()}, {p: r.address for p, r in after.pdus.items()})
    assert set(before.links) <= set(after.links)
    assert set(before.cords) <= set(after.cords)
    old = {assembly.id: assembly for assembly in before.assemblies}
    new = {assembly.id: assembly for assembly in after.assemblies}
    for name, assembly in old.items():
        assert new[name].trunk == assembly.trunk
        assert set(assembly.legs) <= set(new[name].legs)
    for name, switch in before.switches.items():
        grown = after.switches[name]
        assert grown.position == switch.position
        assert_kept(switch.breakouts, grown.breakouts)
    for name, intent in before.intents().items():
        grown_intent = after.intents()[name]
        assert_kept(intent.ports, grown_intent.ports)
        assert_kept(intent.port_channels, grown_intent.port_channels)
        assert_kept(intent.breakouts, grown_intent.breakouts)
        assert without_ports(grown_intent) == without_ports(intent)


@settings(max_examples=15)
@given(frontend=TOPOLOGIES, count=st.integers(1, 3), more=st.integers(1, 3))
def test_adding_servers_moves_nothing(plan: Callable[..., Plan], frontend: str, count: int, more: int) -> None:
    grown = min(count + more, 4)
    before = plan(frontend, {"count": count, "grows_to": 4})
    assert_nothing_moved(before, plan(frontend, {"count": grown, "grows_to": 4}))


@settings(max_examples=10)
@given(frontend=TOPOLOGIES, retired=st.integers(1, 3))
def test_a_retired_servers_place_stays_empty(plan: Callable[..., Plan], frontend: str, retired: int) -> None:
    before = plan(frontend, {"count": 3, "grows_to": 4})
    name = f"gpu-{retired:03d}"
    after = plan(frontend, {"count": 2, "grows_to": 4, "retired": [name]})
    assert name not in after.servers
    assert {n: s for n, s in before.servers.items() if n != name} == dict(after.servers)
    freed = {(link.a.device, link.a.port) for link in before.links if link.b.device == name}
    assert not freed & {(link.a.device, link.a.port) for link in after.links}


def test_adding_a_rack_moves_nothing(plan: Callable[..., Plan]) -> None:
    before = plan("redundant-pair", {"count": 2, "grows_to": 4})
    after = plan("redundant-pair", {"count": 2, "grows_to": 4}, racks=3)
    assert_kept(before.servers, after.servers)
    assert set(before.cords) <= set(after.cords)
    assert {link for link in before.links if link.kind != "management"} <= set(after.links)
    assert {link for link in before.links if link.kind == "management"} <= set(after.links)


def test_the_same_site_gives_the_same_plan(plan: Callable[..., Plan]) -> None:
    assert plan("redundant-pair", {"count": 2}) == plan("redundant-pair", {"count": 2})
