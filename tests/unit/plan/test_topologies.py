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
from rackproof.plan.topologies import topology_names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rackproof.hardware.models import NosModel
    from rackproof.plan.models import Plan
    from rackproof.site.models import Site

PDUS = {"model": "apc-apdu10450sw", "count": 4}


def wide(topology: str, count: int, grows_to: int, **fabric: object) -> dict[str, Any]:
    """A backend over many racks, four servers each, with its switches in racks of their own."""
    return {
        "racks": [
            {"name": "net", "model": "apc-ar3350", "pdus": PDUS, "count": 8},
            {"name": "r", "model": "apc-ar3350", "pdus": PDUS, "count": 40, "per_row": 10},
        ],
        "gpu": {
            "count": count,
            "grows_to": grows_to,
            "rack": "r",
            "per_rack": 4,
            "nics": {"backend": "broadcom-bcm57608-2x200g", "frontend": "broadcom-bcm57608-2x200g"},
        },
        "fabrics": {
            "backend": {"topology": topology, "rack": "net", "prefix": "10.0.0.0/9", **fabric},
            "frontend": {
                "topology": "single-switch",
                "switch": "dell-z9864f-on",
                "rack": "net",
                "prefix": "10.128.0.0/16",
            },
            "oob": {"rack": "net", "switch": "dell-z9864f-on", "prefix": "10.200.0.0/16"},
        },
        "external": {"uplinks": {}},
    }


def graph(plan: Plan, without: Iterable[str] = ()) -> dict[str, Counter[str]]:
    """Return device to neighbour to number of links on the backend."""
    lost = set(without)
    edges: dict[str, Counter[str]] = defaultdict(Counter)
    for link in plan.links:
        if link.fabric == "backend" and not lost & {link.a.device, link.b.device}:
            edges[link.a.device][link.b.device] += 1
            edges[link.b.device][link.a.device] += 1
    return edges


def reach(edges: dict[str, Counter[str]], start: str, servers: frozenset[str]) -> set[str]:
    """Return every device that is reached through switches alone."""
    seen, todo = {start}, [start]
    while todo:
        device = todo.pop()
        if device in servers and device != start:
            continue
        todo += [other for other in edges[device] if other not in seen and not seen.add(other)]  # type: ignore[func-returns-value]
    return seen


def test_topologies_are_found_by_their_name() -> None:
    assert set(topology_names()) == {
        "pure-rail",
        "rail-optimized",
        "rail-split-pair",
        "redundant-pair",
        "single-switch",
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
        ("frontend", "pure-rail", "for frontend there are: redundant-pair, single-switch, tor-clos"),
        ("oob", "redundant-pair", "for oob there are: single-switch, switch-per-rack"),
    ],
)
def test_a_topology_is_for_certain_roles(
    fabric: str, topology: str, hint: str, site_of: Callable[..., Site], catalogue: Catalogue
) -> None:
    with pytest.raises(SiteErrors) as caught:
        build_plan(site_of(fabrics={fabric: {"topology": topology}}), catalogue)
    found = [(error.path, error.hint) for error in caught.value.errors if error.path[-1] == "topology"]
    assert found == [(("fabrics", fabric, "topology"), hint)]
