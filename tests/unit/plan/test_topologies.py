"""Every topology as a graph: who reaches whom, over how many links, and what a lost switch takes away."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rackproof.errors import SiteErrors
from rackproof.hardware.load import Catalogue
from rackproof.plan.build import build_plan
from rackproof.plan.fabric.topology import topology_names

if TYPE_CHECKING:
    from collections.abc import Callable

    from rackproof.hardware.models import NosModel
    from rackproof.plan.model.plan import Plan
    from rackproof.site.models import Site

PDUS = {"model": "apc-apdu10450sw", "count": 4}


def wide(topology: str, count: int, grows_to: int, **fabric: object) -> dict[str, Any]:
    """A backend over many racks, three servers each, with its switches in racks of their own."""
    return {
        "redundancy": "one-pdu",
        "racks": [
            {"name": "net", "model": "apc-ar3357", "pdus": PDUS, "count": 12, "per_row": 12},
            {"name": "r", "model": "apc-ar3357", "pdus": PDUS, "count": 40, "per_row": 20, "new_row": True},
        ],
        "gpu": {
            "model": "dell-xe9680-h100",
            "count": count,
            "grows_to": grows_to,
            "rack": "r",
            "per_rack": 3,
            "nics": {"backend": "nvidia-b3140h"},
        },
        "fabrics!": {
            "backend": {
                "topology": topology,
                "switch": "nvidia-sn5600",
                "nos": "cumulus",
                "rack": "net",
                "per_rack": 8,
                "prefix": "10.0.0.0/9",
                **fabric,
            },
            "oob": {
                "topology": "switch-per-rack",
                "switch": "nvidia-sn2201",
                "nos": "cumulus",
                "rack": "net",
                "prefix": "10.200.0.0/16",
            },
        },
        "external": {"uplinks": {}},
    }


def graph(plan: Plan, without: str | None = None) -> dict[str, Counter[str]]:
    """Return device to neighbour to number of links on the backend, with one device gone."""
    edges: dict[str, Counter[str]] = defaultdict(Counter)
    for link in plan.links:
        if link.fabric == "backend" and without not in {link.a.device, link.b.device}:
            edges[link.a.device][link.b.device] += 1
            edges[link.b.device][link.a.device] += 1
    return edges


def reached(plan: Plan, start: str, without: str | None = None) -> set[str]:
    """Return every device that ``start`` reaches through switches: servers do not forward."""
    edges = graph(plan, without)
    seen, todo = {start}, [start]
    while todo:
        device = todo.pop()
        if device in plan.servers and device != start:
            continue
        fresh = set(edges[device]) - seen
        seen |= fresh
        todo += fresh
    return seen


def rails_of(plan: Plan) -> dict[str, set[int]]:
    """Return leaf to the rails it serves."""
    rails: dict[str, set[int]] = defaultdict(set)
    for server in plan.servers.values():
        for port in server.ports.values():
            if port.rail is not None:
                rails[str(port.switch)].add(port.rail)
    return rails


def by_role(plan: Plan, role: str) -> list[str]:
    return [name for name, switch in plan.switches.items() if switch.role == role and switch.fabric == "backend"]


@pytest.fixture(scope="module")
def rail_optimized(plan_of: Callable[..., Plan]) -> Plan:
    return plan_of(**wide("rail-optimized", 40, 100))


@pytest.fixture(scope="module")
def tor_clos(plan_of: Callable[..., Plan]) -> Plan:
    return plan_of(**wide("tor-clos", 20, 60))


def test_a_unit_has_a_leaf_for_every_two_rails(rail_optimized: Plan) -> None:
    rails = rails_of(rail_optimized)
    assert [rails[f"backend-leaf-0{n}"] for n in range(1, 5)] == [{0, 1}, {2, 3}, {4, 5}, {6, 7}]
    first = {port.switch for port in rail_optimized.servers["gpu-032"].ports.values() if port.rail is not None}
    second = {port.switch for port in rail_optimized.servers["gpu-033"].ports.values() if port.rail is not None}
    assert first == {f"backend-leaf-0{n}" for n in range(1, 5)}
    assert second == {f"backend-leaf-0{n}" for n in range(5, 9)}


@pytest.mark.parametrize("name", ["rail_optimized", "tor_clos"])
def test_leaves_and_spines_are_joined_alike_without_oversubscription(name: str, request: pytest.FixtureRequest) -> None:
    plan: Plan = request.getfixturevalue(name)
    edges = graph(plan)
    leaves, spines = by_role(plan, "leaf"), by_role(plan, "spine")
    counts = {edges[leaf][spine] for leaf in leaves for spine in spines}
    assert len(counts) == 1
    up = next(iter(counts)) * len(spines)
    hosts = max(sum(n for device, n in edges[leaf].items() if device in plan.servers) for leaf in leaves)
    assert hosts <= up
    assert plan.fabrics["backend"].oversubscription == round(hosts / up, 2)


@pytest.mark.parametrize("name", ["rail_optimized", "tor_clos"])
def test_a_lost_spine_cuts_nobody_off(name: str, request: pytest.FixtureRequest) -> None:
    plan: Plan = request.getfixturevalue(name)
    for spine in by_role(plan, "spine"):
        assert set(plan.servers) <= reached(plan, "gpu-001", without=spine)


def test_a_lost_leaf_takes_two_rails_of_a_unit_and_no_server(rail_optimized: Plan) -> None:
    for leaf in by_role(rail_optimized, "leaf"):
        assert set(rail_optimized.servers) <= reached(rail_optimized, "gpu-001", without=leaf)


def test_a_leaf_stands_above_its_servers(tor_clos: Plan) -> None:
    for server in tor_clos.servers.values():
        leaves = {str(port.switch) for port in server.ports.values() if port.rail is not None}
        assert server.position is not None
        assert [tor_clos.switches[leaf].position.rack for leaf in leaves] == [server.position.rack]


def test_a_rail_reaches_only_itself(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(**wide("pure-rail", 10, 20))
    assert rails_of(plan) == {f"backend-leaf-0{n + 1}": {n} for n in range(8)}
    edges = graph(plan)
    for leaf in by_role(plan, "leaf"):
        assert set(edges[leaf]) == set(plan.servers)


def test_even_and_odd_rails_on_two_switches(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(**wide("rail-split-pair", 8, 12))
    assert rails_of(plan) == {"backend-leaf-01": {0, 2, 4, 6}, "backend-leaf-02": {1, 3, 5, 7}}
    between = graph(plan)["backend-leaf-01"]["backend-leaf-02"]
    assert between == 64
    assert plan.fabrics["backend"].servers_max == 16


def test_both_switches_of_a_pair_carry_every_host(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of()
    for switch in ("frontend-leaf-01", "frontend-leaf-02"):
        served = {link.b.device for link in plan.links if link.a.device == switch and link.kind == "host"}
        assert served == set(plan.servers)


def test_a_third_tier_where_two_are_full(plan_of: Callable[..., Plan]) -> None:
    changes = wide("rail-optimized", 520, 520)
    changes["racks"][0]["count"], changes["racks"][1]["count"] = 30, 180
    plan = plan_of(**changes)
    leaves, spines, supers = (by_role(plan, role) for role in ("leaf", "spine", "super-spine"))
    assert len(leaves) == 68
    edges = graph(plan)
    assert all(sum(edges[leaf][spine] for spine in spines) == 64 for leaf in leaves)
    assert all(sum(edges[spine][top] for top in supers) == 64 for spine in spines)
    assert set(plan.servers) <= reached(plan, "gpu-001", without=supers[0])
    planes = {frozenset(top for top in edges[spine] if top in supers) for spine in spines}
    assert len(planes) == 32
    asns = {plan.intents()[spine].bgp.asn for spine in spines}  # type: ignore[union-attr]  # spines speak BGP
    assert len(asns) == 3


WIDE = [("rail-optimized", 70), ("tor-clos", 60), ("pure-rail", 60), ("rail-split-pair", 16)]


@settings(max_examples=3)
@given(data=st.data())
@pytest.mark.parametrize(("topology", "grows_to"), WIDE)
def test_growth_moves_nothing(plan_of: Callable[..., Plan], topology: str, grows_to: int, data: st.DataObject) -> None:
    few = data.draw(st.integers(1, grows_to - 1))
    more = data.draw(st.integers(few + 1, grows_to))
    before, after = (plan_of(**wide(topology, count, grows_to)) for count in (few, more))
    assert {name: after.servers[name] for name in before.servers} == before.servers
    assert set(before.links) <= set(after.links)
    assert set(before.cords) <= set(after.cords)
    for name, switch in before.switches.items():
        grown = after.switches[name]
        assert (grown.position, grown.redundancy_group) == (switch.position, switch.redundancy_group)
    for name, intent in before.intents().items():
        grown_intent = after.intents()[name]
        assert {key: grown_intent.ports[key] for key in intent.ports} == intent.ports
        assert (grown_intent.vlans, grown_intent.loopback) == (intent.vlans, intent.loopback)


@pytest.mark.parametrize(
    ("topology", "servers", "message"),
    [
        ("pure-rail", 129, "the largest site this topology holds with it is 128 server(s)"),
        ("rail-split-pair", 17, "the largest site this topology holds with it is 16 server(s)"),
    ],
)
def test_too_many_servers(
    topology: str, servers: int, message: str, site_of: Callable[..., Site], catalogue: Catalogue
) -> None:
    with pytest.raises(SiteErrors) as caught:
        build_plan(site_of(**wide(topology, servers, servers)), catalogue)
    assert any(message in error.hint for error in caught.value.errors)


def test_topologies_are_found_by_their_name() -> None:
    assert set(topology_names()) == {
        "consolidated-pair",
        "pure-rail",
        "rack-aggregation",
        "rail-optimized",
        "rail-split-pair",
        "redundant-pair",
        "single-switch",
        "storage-leaf-spine",
        "storage-pair",
        "switch-per-rack",
        "tor-clos",
    }


class PlainNos(Catalogue):
    """A NOS without EVPN multihoming."""

    def nos(self, name: str) -> NosModel:
        nos = super().nos(name)
        return nos.model_copy(update={"features": {**nos.features, "evpn-multihoming": "not in this release"}})


def test_a_topology_needs_features_of_the_nos(site_of: Callable[..., Site]) -> None:
    with pytest.raises(SiteErrors) as caught:
        build_plan(site_of(), PlainNos())
    found = [(error.path, error.hint) for error in caught.value.errors if not error.warning]
    assert found == [(("fabrics", "frontend", "topology"), "not in this release")]


@pytest.mark.parametrize(
    ("fabric", "topology", "hint"),
    [
        ("frontend", "pure-rail", "for frontend there are: consolidated-pair, redundant-pair, single-switch, tor-clos"),
        ("oob", "redundant-pair", "for oob there are: rack-aggregation, single-switch, switch-per-rack"),
    ],
)
def test_a_topology_is_for_certain_roles(
    fabric: str, topology: str, hint: str, site_of: Callable[..., Site], catalogue: Catalogue
) -> None:
    with pytest.raises(SiteErrors) as caught:
        build_plan(site_of(fabrics={fabric: {"topology": topology}}), catalogue)
    found = [(error.path, error.hint) for error in caught.value.errors if error.path[-1] == "topology"]
    assert found == [(("fabrics", fabric, "topology"), hint)]


@pytest.mark.parametrize("topology", ["tor-clos", "rail-optimized", "rail-split-pair"])
def test_adapters_that_fit_nowhere_are_an_error(topology: str, errors_of: Callable[..., list[tuple[str, str]]]) -> None:
    found = errors_of(**wide(topology, 2, 4, switch="dell-s5232f-on", nos="enterprise-sonic"))

    assert [message for _, message in found] == ["no port of dell-s5232f-on runs at 400G, split or not"]


def test_management_ports_that_fit_nowhere_are_an_error(errors_of: Callable[..., list[tuple[str, str]]]) -> None:
    changes = wide("pure-rail", 2, 4)
    changes["fabrics!"]["oob"] |= {"switch": "dell-s5232f-on", "nos": "enterprise-sonic"}

    assert {message for _, message in errors_of(**changes)} == {"no port of dell-s5232f-on runs at 1G, split or not"}
