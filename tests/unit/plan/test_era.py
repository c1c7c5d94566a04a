"""The switches of dell-era-2-4-3 and 2-8-9 beside those that NVIDIA published: no difference without a reason.

The export of 2-8-9-400 (NVIDIA/enterprise-ras 3.0.0, exported-configurations) is not among the reference data: laid
beside that of 2-4-3, in ``upstream/era-2-8-9``, it is compared the same way.
"""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from rackproof.hardware.load import Catalogue
from rackproof.plan.build import build_plan
from rackproof.render.nos.cumulus.frr import render_frr
from rackproof.render.switch import render_switch
from rackproof.site.load import load_site
from tests.conftest import NO_ERA_EXPORT
from tests.unit.render.nvue_comparison import Reason, compare, differences, read_reasons, table
from tests.unit.render.test_cumulus_frr import NO_VTYSH, refused_by_frr

if TYPE_CHECKING:
    from rackproof.plan.model.plan import Plan
    from tests.conftest import Golden

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parents[2]
COMMON: Final = (HERE / "era_site_reasons.yaml", HERE.parent / "render" / "era_reasons.yaml")
CORES: Final = {"core-01": "backend-leaf-01", "core-02": "backend-leaf-02"}
SWITCHES: Final = {
    "2-4-3": CORES | {"oob-switch-01": "oob-leaf-01", "oob-switch-02": "oob-leaf-02"},
    "2-8-9": CORES | {"oob-switch-01": "oob-leaf-01", "oob-switch-02": "oob-leaf-02", "oob-switch-03": "oob-leaf-02"},
}
"""Architecture to NVIDIA's switches and ours in their place; NVIDIA has a third out of band, ours two that hold all."""
PAIRS: Final = [(era, theirs, ours) for era, switches in SWITCHES.items() for theirs, ours in switches.items()]
KEPT: Final = ("2-4-3",)
"""Architectures whose tables are kept: those whose export is among the reference data."""


def published(shared: Path, era: str, switch: str) -> str:
    """What NVIDIA published of a switch; skips the test where it is not there."""
    file = shared / "upstream" / f"era-{era}" / f"{switch}.yaml"
    if not file.is_file():
        pytest.skip(NO_ERA_EXPORT)
    return file.read_text(encoding="utf-8")


def reasons_of(era: str) -> list[Reason]:
    """The reasons of a site, those that are its own first."""
    files = (HERE / f"era_{era.replace('-', '_')}_reasons.yaml", *COMMON)
    return [reason for file in files for reason in read_reasons(file)]


@cache
def planned(era: str, *, grown: bool) -> Plan:
    """The site as it is, or with every server that it may grow to: NVIDIA sets up the ports of all of them."""
    site = load_site(ROOT / "inventory" / f"dell-era-{era}" / "site.yaml").site
    groups = tuple(group.model_copy(update={"count": group.size if grown else group.count}) for group in site.servers)
    return build_plan(site.model_copy(update={"servers": groups}), Catalogue())


def configuration(plan: Plan, name: str) -> str:
    return render_switch("cumulus", Catalogue().switch(plan.switches[name].model), plan.intents()[name])


@pytest.mark.shared
@pytest.mark.parametrize(("era", "theirs", "ours"), PAIRS)
def test_no_difference_to_nvidia_is_unexplained(shared: Path, golden: Golden, era: str, theirs: str, ours: str) -> None:
    text = published(shared, era, theirs)

    comparison = compare(configuration(planned(era, grown=True), ours), text, reasons_of(era))

    assert comparison.unexplained == []
    if era in KEPT:
        golden(ROOT / "tests" / "golden" / "cumulus" / f"dell-era-{era}" / f"{theirs}.md", table(comparison))


@pytest.mark.shared
@pytest.mark.parametrize("era", SWITCHES)
def test_every_reason_is_needed(shared: Path, era: str) -> None:
    reasons = [reason for reason in reasons_of(era) if reason not in read_reasons(COMMON[1])]
    needed = set()
    for theirs, ours in SWITCHES[era].items():
        comparison = compare(configuration(planned(era, grown=True), ours), published(shared, era, theirs), reasons)
        needed |= {reason for reason, found in comparison.explained.items() if found}

    assert needed == set(reasons)


@pytest.mark.parametrize("era", SWITCHES)
@pytest.mark.parametrize("name", CORES.values())
def test_servers_to_come_only_add_their_ports(era: str, name: str) -> None:
    plan, grown = (planned(era, grown=grown) for grown in (False, True))
    fresh = set(grown.servers) - set(plan.servers)
    ports = {link.a.port for link in grown.links if link.b.device in fresh and link.a.device == name}
    cages = {f"swp{port.removeprefix('swp').partition('s')[0]}" for port in ports}

    found = list(differences(configuration(plan, name), configuration(grown, name)))

    assert found
    for difference in found:
        assert difference.path[0] == "interface"
        assert difference.path[1].removeprefix("bond-of-") in ports | cages


@pytest.mark.skipif(shutil.which("vtysh") is None, reason=NO_VTYSH)
@pytest.mark.parametrize("era", SWITCHES)
@pytest.mark.parametrize("name", CORES.values())
def test_frr_takes_the_routing_of_the_pair(era: str, name: str, tmp_path: Path) -> None:
    catalogue, intent = Catalogue(), planned(era, grown=True).intents()[name]

    text = render_frr(catalogue.nos("cumulus"), catalogue.switch("nvidia-sn5600"), intent)

    assert refused_by_frr(tmp_path, text) == ""
