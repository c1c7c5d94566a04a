"""The switches of dell-era-2-4-3 beside those that NVIDIA published: no difference without a reason."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from rackproof.plan.build import build_plan
from rackproof.render.nos.cumulus.frr import render_frr
from rackproof.render.switch import render_switch
from rackproof.site.load import load_site
from tests.unit.render.nvue_comparison import compare, differences, read_reasons, table
from tests.unit.render.test_cumulus_frr import NO_VTYSH, refused_by_frr

if TYPE_CHECKING:
    from rackproof.hardware.load import Catalogue
    from rackproof.plan.models import Plan
    from tests.conftest import Golden

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parents[2]
GOLDEN: Final = ROOT / "tests" / "golden" / "cumulus" / "dell-era-2-4-3"
REASONS: Final = (HERE / "era_site_reasons.yaml", HERE.parent / "render" / "era_reasons.yaml")
"""What is so at this site comes first."""
SWITCHES: Final = {
    "core-01": "backend-leaf-01",
    "core-02": "backend-leaf-02",
    "oob-switch-01": "oob-leaf-01",
    "oob-switch-02": "oob-leaf-02",
}


def planned(catalogue: Catalogue, *, grown: bool) -> Plan:
    """The site as it is, or with every server that it may grow to: NVIDIA sets up the ports of all 32."""
    site = load_site(ROOT / "inventory" / "dell-era-2-4-3" / "site.yaml").site
    groups = tuple(group.model_copy(update={"count": group.size if grown else group.count}) for group in site.servers)
    return build_plan(site.model_copy(update={"servers": groups}), catalogue)


@pytest.fixture(scope="module")
def grown(catalogue: Catalogue) -> Plan:
    return planned(catalogue, grown=True)


def configuration(catalogue: Catalogue, plan: Plan, name: str) -> str:
    return render_switch("cumulus", catalogue.switch(plan.switches[name].model), plan.intents()[name])


@pytest.mark.shared
@pytest.mark.parametrize(("theirs", "ours"), SWITCHES.items())
def test_no_difference_to_nvidia_is_unexplained(
    shared: Path, golden: Golden, catalogue: Catalogue, grown: Plan, theirs: str, ours: str
) -> None:
    published = (shared / "upstream" / "era-2-4-3" / f"{theirs}.yaml").read_text(encoding="utf-8")
    reasons = [reason for file in REASONS for reason in read_reasons(file)]

    comparison = compare(configuration(catalogue, grown, ours), published, reasons)

    assert comparison.unexplained == []
    golden(GOLDEN / f"{theirs}.md", table(comparison))


@pytest.mark.shared
def test_every_reason_is_needed(shared: Path, catalogue: Catalogue, grown: Plan) -> None:
    reasons = read_reasons(REASONS[0])
    needed = set()
    for theirs, ours in SWITCHES.items():
        published = (shared / "upstream" / "era-2-4-3" / f"{theirs}.yaml").read_text(encoding="utf-8")
        comparison = compare(configuration(catalogue, grown, ours), published, reasons)
        needed |= {reason for reason, found in comparison.explained.items() if found}

    assert needed == set(reasons)


@pytest.mark.parametrize("name", ["backend-leaf-01", "backend-leaf-02"])
def test_servers_to_come_only_add_their_ports(catalogue: Catalogue, grown: Plan, name: str) -> None:
    plan = planned(catalogue, grown=False)
    fresh = set(grown.servers) - set(plan.servers)
    ports = {link.a.port for link in grown.links if link.b.device in fresh and link.a.device == name}
    cages = {f"swp{port.removeprefix('swp').partition('s')[0]}" for port in ports}

    found = list(differences(configuration(catalogue, plan, name), configuration(catalogue, grown, name)))

    assert found
    for difference in found:
        assert difference.path[0] == "interface"
        assert difference.path[1].removeprefix("bond-of-") in ports | cages


@pytest.mark.skipif(shutil.which("vtysh") is None, reason=NO_VTYSH)
@pytest.mark.parametrize("name", ["backend-leaf-01", "backend-leaf-02"])
def test_frr_takes_the_routing_of_the_pair(catalogue: Catalogue, grown: Plan, name: str, tmp_path: Path) -> None:
    text = render_frr(catalogue.nos("cumulus"), catalogue.switch("nvidia-sn5600"), grown.intents()[name])

    assert refused_by_frr(tmp_path, text) == ""
