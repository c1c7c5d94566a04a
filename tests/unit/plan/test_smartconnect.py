"""What the administrator of a storage cluster is told: subnets, pools and service addresses of SmartConnect."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Interface, IPv4Network
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from rackproof.hardware.load import Catalogue
from rackproof.plan.build import build_plan
from rackproof.site.load import load_site

if TYPE_CHECKING:
    from collections.abc import Callable

    from rackproof.plan.model.plan import Plan

INVENTORY = Path(__file__).resolve().parents[3] / "inventory"
CLUSTER: dict[str, Any] = {"name": "scale", "model": "dell-powerscale-f710", "nodes": 3, "rack": "r2"}


def inside(address: str, ranges: tuple[str, ...]) -> bool:
    limits = [tuple(map(IPv4Address, row.split("-"))) for row in ranges]
    return any(first <= IPv4Interface(address).ip <= last for first, last in limits)


def test_the_lowest_address_is_the_first_nodes(plan_of: Callable[..., Plan]) -> None:
    cluster = plan_of(storage=[{**CLUSTER, "zone": "scale.example.com"}]).storage["scale"]
    pool = cluster.pools[0]

    bonds = [node.bonds["frontend-bond0"].address for node in cluster.nodes.values()]
    (only,) = pool.ranges
    assert only == f"{IPv4Interface(bonds[0]).ip}-{IPv4Interface(bonds[-1]).ip}"
    assert (pool.serves, pool.vlan, pool.interfaces, cluster.zone) == (
        True,
        None,
        ("100gige-agg-1",),
        "scale.example.com",
    )
    assert pool.service_address == "10.20.0.15"
    assert pool.gateway == "10.20.0.1"


def test_places_kept_for_growth_are_in_the_pool(plan_of: Callable[..., Plan]) -> None:
    few = plan_of(storage=[{**CLUSTER, "grows_to": 6}]).storage["scale"].pools
    more = plan_of(storage=[{**CLUSTER, "nodes": 6}])

    assert few == more.storage["scale"].pools
    nodes = more.storage["scale"].nodes.values()
    assert all(inside(node.bonds["frontend-bond0"].address, few[0].ranges) for node in nodes)


def test_a_pinned_address_is_in_the_pool(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(storage=[CLUSTER], pin={"addresses": {"scale-002:frontend-bond0": "10.20.0.200"}})

    assert "10.20.0.200-10.20.0.200" in plan.storage["scale"].pools[0].ranges


def test_ports_of_two_subnets_have_a_pool_each(plan_of: Callable[..., Plan]) -> None:
    pools = (
        plan_of(storage=[CLUSTER], fabrics={"frontend": {"nic_ports": "two-subnets", "subnets": "per-rail"}})
        .storage["scale"]
        .pools
    )

    assert [pool.interfaces for pool in pools] == [("100gige-1",), ("100gige-2",)]
    assert len({pool.service_address for pool in pools}) == 2


def test_clusters_have_service_addresses_of_their_own(plan_of: Callable[..., Plan]) -> None:
    clusters = [CLUSTER, {**CLUSTER, "name": "scratch"}]
    plan = plan_of(storage=clusters)

    addresses = [cluster.pools[0].service_address for cluster in plan.storage.values()]
    assert addresses == ["10.20.0.15", "10.20.0.14"]


def test_a_pin_on_a_service_address_is_an_error(errors_of: Callable[..., list[tuple[str, str]]]) -> None:
    found = errors_of(storage=[CLUSTER], pin={"addresses": {"gpu-001:frontend-bond0": "10.20.0.15"}})

    assert any("10.20.0.15 is used by" in message for _, message in found)


@pytest.mark.parametrize("site", ["dell-era-2-4-3", "dell-era-2-8-9"])
def test_a_consolidated_pair_serves_in_the_vlan_for_storage(site: str) -> None:
    plan = build_plan(load_site(INVENTORY / site / "site.yaml").site, Catalogue())
    cluster = plan.storage["scale"]
    managed, serving = cluster.pools

    assert (managed.serves, managed.vlan) == (False, None)
    assert (serving.serves, serving.vlan) == (True, 500)
    assert all(inside(node.vlans["vlan500"].address, serving.ranges) for node in cluster.nodes.values())
    assert not inside(serving.service_address, serving.ranges)
    assert IPv4Address(serving.service_address) in IPv4Network(serving.prefix)
