"""The real provider with a lab switch, without the engine: what it does is what the switch then says."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import grpc
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
    with site_with_lab("metrum-h200", tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture(scope="module")
def engine(site: SiteWithLab, checkout: Path) -> Iterator[Engine]:
    with running_provider(checkout / "infra" / "provider", TOKEN, dict(os.environ)) as engine:
        engine.configure({"site": str(site.file), "access": str(site.access)})
        yield engine


@pytest.fixture
def inputs(site: SiteWithLab, engine: Engine) -> Iterator[dict[str, Any]]:
    """What the plan wants of the switch, and the switch as it is at first afterwards."""
    inputs = values_of(planned_inputs(site.planned.plan.switches[SWITCH]))
    yield inputs
    engine.delete(SWITCH, inputs)


def test_what_is_deployed_reads_back_as_it_was_asked_for(engine: Engine, inputs: dict[str, Any]) -> None:
    engine.create(SWITCH, inputs)

    assert values(engine.read(SWITCH, inputs).inputs) == inputs


def test_switch_that_is_already_there_is_imported_by_its_name(engine: Engine, inputs: dict[str, Any]) -> None:
    engine.create(SWITCH, inputs)

    assert values(engine.read(SWITCH).inputs) == inputs


def test_change_made_by_hand_is_read_key_by_key(site: SiteWithLab, engine: Engine, inputs: dict[str, Any]) -> None:
    engine.create(SWITCH, inputs)
    site.type_by_hand(SWITCH, "interface Eth1/1/1", "mtu 9000", "exit")

    found = values(engine.read(SWITCH, inputs).inputs)
    answer = engine.diff(SWITCH, found, inputs)

    assert set(answer.detailedDiff) == {'intent.ports["1/1"].mtu_bytes'}


def test_line_that_nothing_accounts_for_is_found_and_removed(
    site: SiteWithLab, engine: Engine, inputs: dict[str, Any]
) -> None:
    engine.create(SWITCH, inputs)
    site.type_by_hand(SWITCH, "ip route 192.0.2.128/25 10.20.0.9")

    found = values(engine.read(SWITCH, inputs).inputs)
    engine.update(SWITCH, found, inputs)

    assert found["unexpected"] == ["ip route 192.0.2.128/25 10.20.0.9"]
    assert values(engine.read(SWITCH, inputs).inputs) == inputs


def test_delete_leaves_what_makes_the_switch_reachable(engine: Engine, inputs: dict[str, Any]) -> None:
    engine.create(SWITCH, inputs)

    engine.delete(SWITCH, inputs)

    left = values(engine.read(SWITCH, inputs).inputs)["intent"]
    assert left["hostname"] == SWITCH
    assert left["management"] == inputs["intent"]["management"]
    assert left["ports"] == left["vlans"] == left["breakouts"] == {}
    assert left["bgp"] is None


def test_switch_that_nothing_leads_to_is_named(engine: Engine, inputs: dict[str, Any]) -> None:
    with pytest.raises(grpc.RpcError, match="does not say how to reach leaf-99"):
        engine.create("leaf-99", {**inputs, "device": "leaf-99"})


def test_site_is_deployed_by_one_at_a_time(
    engine: Engine, inputs: dict[str, Any], site: SiteWithLab, checkout: Path
) -> None:
    engine.create(SWITCH, inputs)

    with running_provider(checkout / "infra" / "provider", TOKEN, dict(os.environ)) as other:
        other.configure({"site": str(site.file), "access": str(site.access)})
        with pytest.raises(grpc.RpcError, match=f"{site.planned.plan.site} is being deployed already"):
            other.create(SWITCH, inputs)
