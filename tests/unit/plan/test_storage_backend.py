"""The network between storage nodes: a pair of switches, a larger pair, or leaves and spines on both sides."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable

    from rackproof.plan.model.plan import Plan

PDUS = {"model": "apc-apdu10450sw", "count": 4}


def cluster(nodes: int, grows_to: int = 0) -> dict[str, Any]:
    """A cluster in a row of racks beside the servers'."""
    racks = [
        {"name": "r1", "model": "apc-ar3350", "pdus": PDUS},
        {"name": "net", "model": "apc-ar3350", "pdus": PDUS},
        {"name": "s", "model": "apc-ar3357", "pdus": PDUS, "count": 24, "new_row": True, "per_row": 12},
    ]
    storage = {"name": "scale", "model": "dell-powerscale-f710", "nodes": nodes, "rack": "s", "per_rack": 12}
    fabrics = {
        "backend": {"rack": "r1"},
        "frontend": {"topology": "tor-clos", "rack": "net", "oversubscription": 3, "nic_ports": "two-subnets"},
        "oob": {"topology": "switch-per-rack", "rack": "r1"},
    }
    return {
        "redundancy": "one-pdu",
        "racks": racks,
        "storage": [{**storage, "grows_to": max(nodes, grows_to)}],
        "fabrics": fabrics,
        "external!": {"uplinks": {}},
        "gpu": {"nics": {"backend": "broadcom-bcm57608-2x200g"}},
    }


def links_of(plan: Plan) -> list[tuple[str, str]]:
    return [(link.a.device, link.b.device) for link in plan.links if link.fabric == "scale-backend"]


def network_of(plan: Plan, start: str, without: str = "") -> set[str]:
    """Return every switch that another one reaches over cables of the back end; nodes do not forward."""
    beside: dict[str, set[str]] = defaultdict(set)
    for a, b in links_of(plan):
        if b in plan.switches and without not in {a, b}:
            beside[a].add(b)
            beside[b].add(a)
    seen, todo = {start}, [start]
    while todo:
        fresh = beside[todo.pop()] - seen
        seen |= fresh
        todo += fresh
    return seen


@pytest.mark.parametrize(
    ("nodes", "model", "leaves", "spines"),
    [
        (32, "dell-s5232f-on", 2, 0),
        (33, "dell-z9264f-on", 2, 0),
        (64, "dell-z9264f-on", 2, 0),
        (65, "dell-z9264f-on", 6, 4),
        (252, "dell-z9264f-on", 16, 8),
    ],
)
def test_switches_follow_the_number_of_nodes(
    plan_of: Callable[..., Plan], nodes: int, model: str, leaves: int, spines: int
) -> None:
    plan = plan_of(**cluster(nodes))

    own = [switch for switch in plan.switches.values() if switch.fabric == "scale-backend"]

    assert {switch.model for switch in own} == {model}
    assert Counter(switch.role for switch in own) == Counter({"leaf": leaves, "spine": spines})
    assert all(switch.intent is None for switch in own)
    assert plan.fabrics["scale-backend"].servers_max >= nodes


@pytest.fixture(scope="module")
def largest(plan_of: Callable[..., Plan]) -> Plan:
    return plan_of(**cluster(252))


def test_every_node_is_on_both_networks_which_never_meet(largest: Plan) -> None:
    first, second = (network_of(largest, f"scale-backend-leaf-0{n}") for n in (1, 2))

    assert not first & second
    assert first | second == set(largest.fabrics["scale-backend"].switches)
    for node in largest.storage["scale"].nodes.values():
        assert node.ports["int-a"].switch in first
        assert node.ports["int-b"].switch in second


def test_leaves_have_as_many_links_up_as_nodes_may_ask_for(largest: Plan) -> None:
    up: Counter[str] = Counter()
    down: Counter[str] = Counter()
    for a, b in links_of(largest):
        (up if b in largest.switches else down)[a] += 1

    assert set(up.values()) == {32}
    assert max(down.values()) == 32
    assert down.total() == 2 * 252


def test_a_lost_spine_parts_nobody(largest: Plan) -> None:
    leaves = {name for name in largest.switches if "scale-backend-leaf" in name}
    for spine in (name for name in largest.switches if "scale-backend-spine" in name):
        left = network_of(largest, "scale-backend-leaf-01", without=spine)
        assert len(left & leaves) == 8


@settings(max_examples=4)
@given(few=st.integers(3, 100), more=st.integers(101, 140))
def test_growth_moves_nothing(plan_of: Callable[..., Plan], few: int, more: int) -> None:
    before, after = plan_of(**cluster(few, 140)), plan_of(**cluster(more, 140))

    assert set(before.links) <= set(after.links)
    assert {name: after.hosts()[name] for name in before.hosts()} == before.hosts()
    assert {name: after.switches[name].position for name in before.switches} == {
        name: switch.position for name, switch in before.switches.items()
    }
