"""What each site of the inventory becomes, byte for byte: tests/golden/<site>/<stage>/. `make golden` rewrites it."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from rackproof.hardware.load import Catalogue
from rackproof.plan.build import build_plan
from rackproof.render.site import site_files
from rackproof.render.switch import configuration_suffix, parse_switch, render_switch
from rackproof.site.load import load_site
from tests.golden.plan_tables import plan_tables

if TYPE_CHECKING:
    from rackproof.plan.model.plan import Plan, SwitchIntent
    from rackproof.site.models import Fabric, Site
    from tests.conftest import Golden
    from tests.unit.render.sonic_schema import SonicSchema

FOLDER: Final = Path(__file__).parent
INVENTORY: Final = FOLDER.parents[1] / "inventory"
WHOLE_PLAN: Final = "metrum-h200"
"""The site whose plan.json is stored; of the others the tables of the plan and the hash of plan.json are."""
ONLY_ON_CUMULUS: Final = {"consolidated-pair"}
"""Topologies with VRFs of an overlay, which Rackproof does not write for SONiC."""
SITES: Final = sorted(file.parent.name for file in INVENTORY.glob("*/site.yaml"))


@dataclass(frozen=True)
class PlannedSite:
    """A site of the inventory, planned."""

    name: str
    plan: Plan
    sonic_plan: Plan | None
    """None: a topology of the site needs what community SONiC has not."""
    catalogue: Catalogue

    def for_community_sonic(self) -> dict[str, SwitchIntent]:
        """The same switches with community SONiC, which neither hashes on the queue pair nor tracks uplinks.

        Those with uplinks are left out: their routes are filtered, and config_db.json without filters is refused.
        """
        intents = self.sonic_plan.intents() if self.sonic_plan else {}
        return {name: for_community_sonic(intent) for name, intent in intents.items() if not intent.policy}


def for_community_sonic(intent: SwitchIntent) -> SwitchIntent:
    ports = {key: replace(port, multihoming_uplink=False) for key, port in intent.ports.items()}
    roce = replace(intent.roce, hash_queue_pair=False) if intent.roce else None
    return replace(intent, ports=ports, roce=roce)


def with_sonic_for_cumulus(site: Site) -> Site:
    """The site with community SONiC on what runs Cumulus Linux, and so without adaptive routing."""
    fabrics = {name: on_sonic(fabric) if fabric.nos == "cumulus" else fabric for name, fabric in site.fabrics.items()}
    return site.model_copy(update={"fabrics": fabrics})


def on_sonic(fabric: Fabric) -> Fabric:
    roce = fabric.roce.model_copy(update={"load_balancing": "ecmp"}) if fabric.roce else None
    return fabric.model_copy(update={"nos": "sonic", "roce": roce})


@pytest.fixture(params=SITES, scope="module")
def planned(request: pytest.FixtureRequest) -> PlannedSite:
    catalogue = Catalogue()
    site = load_site(INVENTORY / request.param / "site.yaml").site
    on_both = not any(fabric.topology in ONLY_ON_CUMULUS for fabric in site.fabrics.values())
    sonic_plan = build_plan(with_sonic_for_cumulus(site), catalogue) if on_both else None
    return PlannedSite(request.param, build_plan(site, catalogue), sonic_plan, catalogue)


def stage_file(name: str) -> Path:
    """Stage a generated file belongs to, and its name there."""
    path = Path(name)
    if path.parent.name:
        return path
    return Path("plan" if path.suffix == ".json" else "schedules", path)


def compare_stage(golden: Golden, request: pytest.FixtureRequest, folder: Path, files: dict[str, str]) -> None:
    """Every file is as stored, and none is stored that is no longer made."""
    stale = {file.name for file in folder.glob("*")} - set(files)
    if request.config.getoption("--update-golden"):
        for name in stale:
            (folder / name).unlink()
        stale = set()
    assert stale == set(), f"no longer made: {folder}/{sorted(stale)}; if that is right: `make golden`"
    for name, text in files.items():
        golden(folder / name, text)


def plan_files(site: str, files: dict[str, str]) -> dict[str, str]:
    """plan.json of one site; of the others its hash, as ``sha256sum`` prints it."""
    if site == WHOLE_PLAN:
        return files
    return {f"{name}.sha256": f"{sha256(text.encode()).hexdigest()}  {name}\n" for name, text in files.items()}


def test_files(planned: PlannedSite, golden: Golden, request: pytest.FixtureRequest) -> None:
    stages: dict[str, dict[str, str]] = {}
    for name, text in site_files(planned.plan, planned.catalogue).items():
        stages.setdefault(stage_file(name).parent.name, {})[Path(name).name] = text

    stages["plan"] = {**plan_files(planned.name, stages["plan"]), **plan_tables(planned.plan)}
    for stage, files in stages.items():
        compare_stage(golden, request, FOLDER / planned.name / stage, files)


def test_community_sonic(planned: PlannedSite, golden: Golden, request: pytest.FixtureRequest) -> None:
    files = {
        f"{name}.json": render_switch("sonic", planned.catalogue.switch(planned.plan.switches[name].model), intent)
        for name, intent in planned.for_community_sonic().items()
    }

    compare_stage(golden, request, FOLDER / planned.name / "config_db", files)


def test_the_stored_configurations_parse_back_to_the_plan(planned: PlannedSite) -> None:
    for name, intent in planned.plan.intents().items():
        switch = planned.plan.switches[name]
        file = FOLDER / planned.name / "configs" / f"{name}{configuration_suffix(switch.nos)}"

        parsed = parse_switch(switch.nos, planned.catalogue.switch(switch.model), file.read_text(encoding="utf-8"))

        assert parsed.exact, name
        assert parsed.intent == intent, name


def test_the_stored_databases_parse_back_to_the_plan(planned: PlannedSite) -> None:
    for name, intent in planned.for_community_sonic().items():
        text = (FOLDER / planned.name / "config_db" / f"{name}.json").read_text(encoding="utf-8")

        parsed = parse_switch("sonic", planned.catalogue.switch(planned.plan.switches[name].model), text)

        assert parsed.exact, name
        assert parsed.intent == intent, name


@pytest.fixture(scope="session")
def schema(shared: Path) -> SonicSchema:
    from tests.unit.render.sonic_schema import SonicSchema  # noqa: PLC0415 needs libyang, which the marker looks for

    return SonicSchema(shared / "upstream" / "sonic-yang")


@pytest.mark.yang
@pytest.mark.shared
def test_the_stored_databases_are_valid(schema: SonicSchema, planned: PlannedSite) -> None:
    for name in planned.for_community_sonic():
        text = (FOLDER / planned.name / "config_db" / f"{name}.json").read_text(encoding="utf-8")

        verdict = schema.check(json.loads(text))

        assert (verdict.errors, verdict.without_model) == ((), ()), name
