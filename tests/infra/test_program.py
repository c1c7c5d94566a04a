"""The program of every inventory site, run as the engine runs it, under the SDK's mocks."""

from __future__ import annotations

import runpy
from typing import TYPE_CHECKING, Final

import pulumi
import pytest

from infra.components.fabric import Fabric
from rackproof import paths
from rackproof.plan.from_file import plan_site
from tests.infra.plans import plan_with, switch_plan
from tests.infra.recorded_program import DuplicateUrnError, declared_by

if TYPE_CHECKING:
    from collections.abc import Iterator

SITES: Final = sorted(path.parent.name for path in paths.INVENTORY.glob("*/site.yaml"))
SWITCH: Final = "rackproof:switch:SwitchConfig"


@pytest.fixture(autouse=True)
def _no_settings_afterwards() -> Iterator[None]:
    yield
    pulumi.runtime.set_all_config({})


@pytest.mark.parametrize("site", SITES)
def test_every_switch_of_a_site_is_declared_once(site: str) -> None:
    def program() -> None:
        pulumi.runtime.set_all_config({"rackproof:site": site, "project:site": site})
        runpy.run_path(str(paths.ROOT / "infra" / "__main__.py"))

    declared = declared_by(program)

    switches = {name for name, resource in declared.items() if resource.type == SWITCH}
    assert switches == set(plan_site(paths.site_file(site)).plan.intents())


def test_the_mocks_refuse_what_the_engine_refuses() -> None:
    plan = plan_with([switch_plan("leaf-01")])

    def program() -> None:
        for _ in range(2):
            Fabric(plan.fabrics["backend"], plan, frozenset(plan.switches))

    with pytest.raises(DuplicateUrnError, match="Duplicate resource URN 'rackproof:fabric:Fabric::backend'"):
        declared_by(program)
