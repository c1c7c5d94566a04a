"""A lost switch of a pair must not take the host links of the other one down."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from rackproof.plan.build import build_plan
from rackproof.site.load import load_site

if TYPE_CHECKING:
    from collections.abc import Callable

    from rackproof.hardware.load import Catalogue
    from rackproof.plan.model.plan import Plan, SwitchIntent

INVENTORY: Final = Path(__file__).resolve().parents[3] / "inventory"
ROUTED: Final = {"fabric": "frontend", "speed_gbps": 400, "attach": "bgp-unnumbered"}
VLAN: Final = {"fabric": "frontend", "speed_gbps": 400, "attach": "vlan", "vlan": 250}
SPECTRUM: Final[dict[str, Any]] = {
    "gpu": {"nics": {"backend": "broadcom-bcm57608-2x200g", "frontend": "nvidia-b3220l"}},
    "fabrics": {"frontend": {"switch": "nvidia-sn5600", "nos": "cumulus"}},
}


def tracked(intent: SwitchIntent) -> set[str]:
    """What the tracked ports lead to."""
    return {port.description for port in intent.ports.values() if port.multihoming_uplink}


def warnings(plan: Plan) -> list[tuple[str, str]]:
    return [(notice.subject, notice.text) for notice in plan.notices if notice.kind == "warning"]


@pytest.mark.parametrize("nos", ["cumulus", "enterprise-sonic"])
def test_a_pair_is_tracked_with_its_ways_outside(plan_of: Callable[..., Plan], nos: str) -> None:
    plan = plan_of(**SPECTRUM | {"external!": {"uplinks": {"dc": ROUTED}}}) if nos == "cumulus" else plan_of()

    first, second = (plan.intents()[f"frontend-leaf-0{number}"] for number in (1, 2))
    assert tracked(first) == {"frontend-leaf-02", "uplink dc 1"}
    assert tracked(second) == {"frontend-leaf-01", "uplink dc 1"}
    assert not any("is lost" in text for _, text in warnings(plan))


@pytest.mark.parametrize("uplinks", [{}, {"dc": VLAN}])
def test_a_pair_with_no_routed_way_outside_is_tracked_where_filters_need_it(
    plan_of: Callable[..., Plan], uplinks: dict[str, Any]
) -> None:
    """Cumulus Linux filters flooded frames on tracked ports only; Enterprise SONiC does not depend on them."""
    cumulus = plan_of(**SPECTRUM | {"external!": {"uplinks": uplinks}})
    slower = {name: {**uplink, "speed_gbps": 100} for name, uplink in uplinks.items()}
    sonic = plan_of(**{"external!": {"uplinks": slower}})

    assert tracked(cumulus.intents()["frontend-leaf-01"]) == {"frontend-leaf-02"}
    assert tracked(sonic.intents()["frontend-leaf-01"]) == set()
    assert [path for path, text in warnings(cumulus) if "Cumulus Linux takes the host links" in text] == [
        "fabrics.frontend.topology"
    ]
    assert not any("is lost" in text for _, text in warnings(sonic))


def test_without_bonds_nothing_is_tracked(plan_of: Callable[..., Plan]) -> None:
    frontend = SPECTRUM["fabrics"]["frontend"] | {"nic_ports": "two-subnets"}
    plan = plan_of(**SPECTRUM | {"fabrics": {"frontend": frontend}, "external!": {"uplinks": {}}})

    assert tracked(plan.intents()["frontend-leaf-01"]) == set()
    assert not any("is lost" in text for _, text in warnings(plan))


@pytest.mark.parametrize("era", ["2-4-3", "2-8-9"])
def test_a_consolidated_pair_is_tracked_with_its_edge(catalogue: Catalogue, era: str) -> None:
    plan = build_plan(load_site(INVENTORY / f"dell-era-{era}" / "site.yaml").site, catalogue)

    core = plan.intents()["backend-leaf-01"]
    edge = {f"uplink edge {number}" for number in range(1, 5 if era == "2-4-3" else 13)}
    assert tracked(core) == {"backend-leaf-02", *edge}
    assert {port.vrf for port in core.ports.values() if port.description in edge} == {"EXIT"}


def test_the_leaves_of_a_clos_track_nothing(plan_of: Callable[..., Plan]) -> None:
    """They have no Ethernet segments: a host is on one leaf."""
    plan = plan_of(fabrics={"backend": {"topology": "tor-clos", "switch": "dell-z9864f-on"}})

    assert not any(tracked(intent) for name, intent in plan.intents().items() if name.startswith("backend"))


def clos(**frontend: object) -> dict[str, Any]:
    fabric = {"topology": "tor-clos", "switch": "dell-s5232f-on", **frontend}
    racks = [
        {"name": "r1", "model": "apc-ar3350", "pdus": {"model": "apc-apdu10450sw", "count": 4}, "count": 3},
        {"name": "r2", "model": "apc-ar3350", "pdus": {"model": "apc-apdu10450sw", "count": 2}},
    ]
    return {"racks": racks, "gpu": {"count": 6, "grows_to": 6, "per_rack": 2}, "fabrics": {"frontend": fabric}}


def test_bonds_are_numbered_on_each_leaf(plan_of: Callable[..., Plan]) -> None:
    plan = plan_of(**clos())
    leaves = {name: one for name, one in plan.intents().items() if name.startswith("frontend-leaf")}

    assert len(leaves) > 1
    for leaf in leaves.values():
        bonds = [number for number, row in leaf.port_channels.items() if row.description.startswith("gpu")]
        assert bonds == list(range(1, len(bonds) + 1))


def test_a_bond_on_one_leaf_of_several_is_a_warning(plan_of: Callable[..., Plan]) -> None:
    said = [path for path, text in warnings(plan_of(**clos())) if "gpu-001:frontend-bond0 end on one leaf" in text]

    assert said == ["fabrics.frontend.topology"]
    assert not any("end on one leaf" in text for _, text in warnings(plan_of(**clos(nic_ports="two-subnets"))))


def test_a_bond_over_switches_without_segments_is_refused(errors_of: Callable[..., list[tuple[str, str]]]) -> None:
    backend = {"topology": "pure-rail", "switch": "dell-z9864f-on", "nic_ports": "bond"}

    found = errors_of(fabrics={"backend": backend})

    assert any(path == "fabrics.backend.nic_ports" and "form no bond together" in text for path, text in found), found
