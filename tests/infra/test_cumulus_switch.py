"""The real provider with a lab switch that runs Cumulus Linux, without the engine."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from infra.switch_inputs import TOKEN, planned_inputs, values_of
from tests.infra.engine_side import Engine, running_provider, values
from tests.infra.lab_site import SiteWithLab, site_with_lab

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.lab

SWITCH = "frontend-leaf-01"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SiteWithLab]:
    with site_with_lab("dell-xe9680-spectrum-x", tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture(scope="module")
def engine(site: SiteWithLab, checkout: Path) -> Iterator[Engine]:
    with running_provider(checkout / "infra" / "provider", TOKEN, dict(os.environ)) as engine:
        engine.configure({"site": str(site.file), "access": str(site.access)})
        yield engine


@pytest.fixture
def inputs(site: SiteWithLab, engine: Engine) -> Iterator[dict[str, Any]]:
    """What the plan wants of the switch, and the switch at its base configuration afterwards."""
    inputs = values_of(planned_inputs(site.planned.plan.switches[SWITCH]))
    yield inputs
    engine.delete(SWITCH, inputs)


def test_what_is_deployed_reads_back_as_it_was_asked_for(engine: Engine, inputs: dict[str, Any]) -> None:
    engine.create(SWITCH, inputs)

    assert values(engine.read(SWITCH, inputs).inputs) == inputs


def test_switch_that_is_already_there_is_imported_by_its_name(engine: Engine, inputs: dict[str, Any]) -> None:
    engine.create(SWITCH, inputs)

    assert values(engine.read(SWITCH).inputs) == inputs


def test_change_made_by_hand_is_read_key_by_key_and_put_right(
    site: SiteWithLab, engine: Engine, inputs: dict[str, Any]
) -> None:
    engine.create(SWITCH, inputs)
    site.type_by_hand(SWITCH, "nv set interface swp63 link mtu 9000", "nv set service lldp tx-interval 60")

    found = values(engine.read(SWITCH, inputs).inputs)
    answer = engine.diff(SWITCH, found, inputs)
    engine.update(SWITCH, found, inputs)

    assert 'intent.ports["63"].mtu_bytes' in set(answer.detailedDiff)
    assert found["unexpected"] == ["service lldp tx-interval 60"]
    assert values(engine.read(SWITCH, inputs).inputs) == inputs


def test_delete_leaves_what_makes_the_switch_reachable(engine: Engine, inputs: dict[str, Any]) -> None:
    engine.create(SWITCH, inputs)

    engine.delete(SWITCH, inputs)

    left = values(engine.read(SWITCH, inputs).inputs)["intent"]
    assert left["hostname"] == SWITCH
    assert left["management"] == inputs["intent"]["management"]
    assert left["ports"] == left["vlans"] == left["breakouts"] == {}
    assert left["bgp"] is None
