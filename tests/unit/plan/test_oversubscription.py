"""Oversubscription: the ratio that the planned ports have, whatever the site file asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rackproof.plan.build import build_plan
from tests.unit.plan.test_consolidated_pair import site as pair_site
from tests.unit.plan.test_topologies import wide

if TYPE_CHECKING:
    from collections.abc import Callable

    from rackproof.hardware.load import Catalogue
    from rackproof.plan.model.plan import Plan


@pytest.mark.parametrize(
    ("topology", "servers", "asked", "planned"),
    [
        # A leaf takes 32 of 64 cages for hosts, two rails of 400G each: 32 servers with two rails fill it.
        pytest.param("rail-optimized", 40, 1.0, 1.0, id="a full leaf is non-blocking"),
        # Three servers a rack: 3 x 8 x 400G on a leaf whose 12 uplink cages carry 800G each.
        pytest.param("tor-clos", 20, 1.0, 1.0, id="a leaf that its rack does not fill"),
        # Five uplink cages of 800G would carry 9.6T / 2.4; two spines take three each.
        pytest.param("tor-clos", 20, 2.4, 2.0, id="uplinks shared out evenly"),
        # 56 cages for hosts and 8 between the switches; 4 servers send 4 rails of 400G from each switch.
        pytest.param("rail-split-pair", 4, 7.0, 1.0, id="fewer servers than the ratio allows"),
        pytest.param("rail-split-pair", 8, 7.0, 2.0, id="twice as many"),
        pytest.param("pure-rail", 4, 1.0, None, id="nothing between the switches"),
    ],
)
def test_the_ratio_is_that_of_the_planned_ports(
    plan_of: Callable[..., Plan], topology: str, servers: int, asked: float, planned: float | None
) -> None:
    plan = plan_of(**wide(topology, servers, servers, oversubscription=asked))

    assert plan.fabrics["backend"].oversubscription == planned


def test_places_kept_for_growth_send_nothing(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(**wide("rail-split-pair", 4, 8, oversubscription=7.0))

    assert plan.fabrics["backend"].oversubscription == 1.0


def test_one_switch_and_dual_homed_hosts_have_no_ratio(plan_of: Callable[..., Plan]) -> None:
    fabrics = plan_of().fabrics

    assert [(name, fabric.topology, fabric.oversubscription) for name, fabric in fabrics.items()] == [
        ("backend", "single-switch", None),
        ("frontend", "redundant-pair", None),
        ("oob", "single-switch", None),
    ]


@pytest.mark.parametrize(
    ("rails", "servers", "grows_to", "asked", "planned"),
    [
        # 12 places x 4 rails x 400G a switch, halved: 9,600G between the switches; 4 servers send 6,400G.
        pytest.param(8, 4, 12, 2.0, 0.67, id="four of twelve servers"),
        pytest.param(8, 12, 12, 2.0, 2.0, id="all servers: as asked"),
        # One rail of 400G a switch; two cages of 800G, so that one may fail.
        pytest.param(2, 1, 1, 1.0, 0.25, id="two cages at least"),
    ],
)
def test_on_a_consolidated_pair_rails_count(
    catalogue: Catalogue, rails: int, servers: int, grows_to: int, asked: float, planned: float
) -> None:
    fabrics = build_plan(pair_site(rails, servers, grows_to, oversubscription=asked), catalogue).fabrics

    assert fabrics["backend"].oversubscription == planned
    assert fabrics["frontend"].oversubscription is None
