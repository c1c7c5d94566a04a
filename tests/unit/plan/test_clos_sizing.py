"""Spines and uplinks of leaf and spine fabrics follow the servers, growth included."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.plan.test_topologies import wide

if TYPE_CHECKING:
    from collections.abc import Callable

    from rackproof.plan.model.plan import Plan

Z9864F: dict[str, Any] = {"switch": "dell-z9864f-on", "nos": "enterprise-sonic"}


def big(topology: str, count: int, grows_to: int | None = None, **fabric: object) -> dict[str, Any]:
    """A backend over 180 racks of three servers, with room for every switch."""
    changes = wide(topology, count, grows_to or count, **fabric)
    changes["racks"][0]["count"], changes["racks"][1]["count"] = 30, 180
    return changes


def counts(plan: Plan, fabric: str = "backend") -> dict[str, int]:
    """Return role to its switches on a fabric."""
    return Counter(switch.role for switch in plan.switches.values() if switch.fabric == fabric)


def uplinks_gbps(plan: Plan, leaf: str) -> set[int]:
    """Return the bandwidth between a leaf and all spines."""
    speeds = [link.speed_gbps for link in plan.links if link.kind == "inter-switch" and leaf in str((link.a, link.b))]
    return {sum(speeds)}


@pytest.mark.parametrize(
    ("servers", "leaves", "spines", "super_spines"),
    [
        # A rack has 3 servers x 8 rails x 400G = 9.6T: 12 cages of 800G down and 12 up.
        # 3 leaves x 12 cages = 36: one spine has 64, and two are the least, so that one may fail.
        pytest.param(8, 3, 2, 0, id="8"),
        # 6 leaves x 12 = 72 cages: two spines of 64.
        pytest.param(16, 6, 2, 0, id="16"),
        # 32 leaves x 12 = 384 cages: six spines of 64, two cages of every leaf on each.
        pytest.param(96, 32, 6, 0, id="96"),
        # 171 leaves are more than the 64 cages of a spine. Pods of 32 leaves: six, each with 12 spines (a cage of every
        # leaf on each) and 32 cages up a spine. In each of the 12 planes six spines x 32 = 192 cages: three
        # super-spines would do, but 32 cages of a spine do not divide by three; four take 8 each.
        pytest.param(512, 171, 72, 48, id="512"),
    ],
)
def test_spines_of_racks_follow_the_servers(
    plan_of: Callable[..., Plan], servers: int, leaves: int, spines: int, super_spines: int
) -> None:
    plan = plan_of(**big("tor-clos", servers, **Z9864F))

    found = counts(plan)
    assert (found["leaf"], found["spine"], found["super-spine"]) == (leaves, spines, super_spines)
    assert plan.fabrics["backend"].oversubscription == 1.0
    assert uplinks_gbps(plan, "backend-leaf-001" if leaves > 99 else "backend-leaf-01") == {9600}


@pytest.mark.parametrize(
    ("servers", "leaves", "spines", "up_gbps"),
    [
        # A leaf serves two rails: 8 x 2 x 400G = 6.4T, 8 cages; 4 leaves x 8 = 32 cages on two spines.
        pytest.param(8, 4, 2, 6400, id="8"),
        # 16 x 2 x 400G = 12.8T, 16 cages; 4 leaves x 16 = 64 cages on two spines.
        pytest.param(16, 4, 2, 12800, id="16"),
        # Units of 32 servers fill 32 cages down and 32 up; 12 leaves x 32 = 384 cages are six spines' worth, but 32
        # does not divide by six or seven: eight spines take four cages of every leaf.
        pytest.param(96, 12, 8, 25600, id="96"),
        # 64 leaves x 32 = 2048 cages: 32 spines of 64.
        pytest.param(512, 64, 32, 25600, id="512"),
    ],
)
def test_spines_of_rails_follow_the_servers(
    plan_of: Callable[..., Plan], servers: int, leaves: int, spines: int, up_gbps: int
) -> None:
    plan = plan_of(**big("rail-optimized", servers))

    found = counts(plan)
    assert (found["leaf"], found["spine"], found["super-spine"]) == (leaves, spines, 0)
    assert plan.fabrics["backend"].oversubscription == 1.0
    assert uplinks_gbps(plan, "backend-leaf-01") == {up_gbps}


def test_a_frontend_needs_fewer_spines_than_a_backend(plan_of: Callable[..., Plan]) -> None:
    # Two ports of 25G a server, three servers a rack: 150G and two uplinks of 100G; 32 leaves fill two spines.
    changes = big("tor-clos", 96, **Z9864F)
    changes["gpu"]["nics"]["frontend"] = "broadcom-bcm57414-2x25g"
    changes["gpu"]["nic_counts"] = {"frontend": 1}
    changes["external!"] = {"uplinks": {}}
    changes["fabrics!"]["frontend"] = {
        "topology": "tor-clos",
        "switch": "dell-s5232f-on",
        "nos": "enterprise-sonic",
        "rack": "net",
        "prefix": "10.128.0.0/16",
    }

    plan = plan_of(**changes)

    assert counts(plan, "frontend") == {"leaf": 32, "spine": 2}
    assert plan.fabrics["frontend"].oversubscription == 0.75


def test_one_leaf_needs_no_spine(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(**big("tor-clos", 3, **Z9864F))

    assert counts(plan) == {"leaf": 1}
    assert plan.fabrics["backend"].oversubscription is None


def test_places_kept_for_growth_are_counted(plan_of: Callable[..., Plan]) -> None:
    few, all_servers = (plan_of(**big("tor-clos", count, 96, **Z9864F)) for count in (8, 96))

    assert counts(few) == {"leaf": 3, "spine": 6}
    assert set(few.links) <= set(all_servers.links)
    assert few.fabrics["backend"].sizes == all_servers.fabrics["backend"].sizes


def sizes(plan: Plan) -> list[tuple[object, ...]]:
    """Return choice, servers, servers at most, spines, super-spines, uplinks a leaf and ratio of each row."""
    return [
        (s.choice, s.servers, s.servers_max, s.spines, s.super_spines, s.uplinks_per_leaf, s.oversubscription)
        for s in plan.fabrics["backend"].sizes
    ]


def test_the_plan_shows_the_next_choices(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(**big("tor-clos", 96, **Z9864F))

    assert sizes(plan) == [
        # Two cages of every leaf on each spine: 64 / 2 = 32 leaves of three servers.
        ("planned", 96, 96, 6, 0, 12, 1.0),
        # Five spines take ten cages of every leaf: 9.6T over 8T.
        ("cheaper", 96, 96, 5, 0, 10, 1.2),
        # The 33rd leaf leaves one cage for each on a spine: twelve spines, and room for 64 leaves.
        ("larger", 97, 192, 12, 0, 12, 1.0),
    ]


def test_the_cheaper_choice_is_what_its_oversubscription_gives(plan_of: Callable[..., Plan]) -> None:
    cheaper = next(
        s for s in plan_of(**big("tor-clos", 96, **Z9864F)).fabrics["backend"].sizes if s.choice == "cheaper"
    )

    plan = plan_of(**big("tor-clos", 96, **Z9864F, oversubscription=cheaper.oversubscription_asked))

    assert cheaper.oversubscription_asked == 1.2
    assert counts(plan) == {"leaf": 32, "spine": 5}
    assert plan.fabrics["backend"].oversubscription == 1.2


def test_a_port_pinned_to_an_uplink_is_an_error(errors_of: Callable[..., list[tuple[str, str]]]) -> None:
    # Twelve of 64 cages are uplinks: 53 to 64.
    changes = wide("tor-clos", 9, 9)
    changes["pin"] = {"ports": {"gpu-001:rail0": "backend-leaf-01/swp53s0"}}

    assert errors_of(**changes) == [
        ("pin.ports.gpu-001:rail0", "gpu-001:rail0 is pinned to cage 53, which joins its leaf to a spine")
    ]
