"""The real provider with a lab switch of each NOS, without the engine: what it does is what the switch then says."""

from __future__ import annotations

import asyncio
import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import grpc
import pytest

from infra.inputs.switch import TOKEN, planned_inputs, switch_values
from rackproof.connect.access import load_access
from rackproof.connect.ssh import shell
from rackproof.deploy.switch.nos.enterprise_sonic import return_timer
from tests.infra.engine_side import Engine, running_provider, values
from tests.infra.lab_site import SiteWithLab, site_with_lab

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.lab

SWITCH = "frontend-leaf-01"


@dataclass(frozen=True)
class NosLines:
    """A site whose switches run one NOS, and lines typed at the frontend leaf."""

    site: str
    mtu: tuple[str, ...]
    """Lines that set the MTU of a port to 9000."""
    mtu_key: str
    """The key of the inputs that they change."""
    drift: tuple[str, ...]
    """Lines that interrupt nobody, one of which nothing in the plan accounts for."""
    unexpected: str
    """That line as the inputs show it."""
    unconfirmed: tuple[str, ...] = ()
    """Commands that undo ``mtu`` in a revision that awaits confirmation; empty: the return is a timer."""


EVERY_NOS: Final = {
    "enterprise-sonic": NosLines(
        site="metrum-h200",
        mtu=("interface Eth1/1/1", "mtu 9000", "exit"),
        mtu_key='intent.ports["1/1"].mtu_bytes',
        drift=("ip route 192.0.2.128/25 10.20.0.9",),
        unexpected="ip route 192.0.2.128/25 10.20.0.9",
    ),
    "cumulus": NosLines(
        site="dell-xe9680-spectrum-x",
        mtu=("nv set interface swp63 link mtu 9000",),
        mtu_key='intent.ports["63"].mtu_bytes',
        drift=("nv set interface swp63 link mtu 9000", "nv set service lldp tx-interval 60"),
        unexpected="service lldp tx-interval 60",
        unconfirmed=("nv unset interface swp63 link mtu", "nv config apply --confirm 10 -y"),
    ),
}


@pytest.fixture(scope="module", params=EVERY_NOS)
def nos(request: pytest.FixtureRequest) -> NosLines:
    return EVERY_NOS[request.param]


@pytest.fixture(scope="module")
def site(nos: NosLines, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SiteWithLab]:
    with site_with_lab(nos.site, tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture(scope="module")
def engine(site: SiteWithLab, checkout: Path) -> Iterator[Engine]:
    with running_provider(checkout / "infra" / "provider", TOKEN, dict(os.environ)) as engine:
        engine.configure({"site": str(site.file), "access": str(site.access)})
        yield engine


@pytest.fixture
def inputs(site: SiteWithLab, engine: Engine) -> Iterator[dict[str, Any]]:
    """What the plan wants of the switch, and the switch at its base configuration afterwards."""
    inputs = switch_values(planned_inputs(site.planned.plan.switches[SWITCH]))
    yield inputs
    engine.delete(SWITCH, inputs)


def test_what_is_deployed_reads_back_as_it_was_asked_for(engine: Engine, inputs: dict[str, Any]) -> None:
    engine.create(SWITCH, inputs)

    assert values(engine.read(SWITCH, inputs).inputs) == inputs


def test_switch_that_is_already_there_is_imported_by_its_name(engine: Engine, inputs: dict[str, Any]) -> None:
    engine.create(SWITCH, inputs)

    assert values(engine.read(SWITCH).inputs) == inputs


def test_change_made_by_hand_is_read_key_by_key(
    nos: NosLines, site: SiteWithLab, engine: Engine, inputs: dict[str, Any]
) -> None:
    engine.create(SWITCH, inputs)
    site.type_by_hand(SWITCH, *nos.mtu)

    found = values(engine.read(SWITCH, inputs).inputs)
    answer = engine.diff(SWITCH, found, inputs)

    assert set(answer.detailedDiff) == {nos.mtu_key}


def test_line_that_nothing_accounts_for_is_found_and_put_right(
    nos: NosLines, site: SiteWithLab, engine: Engine, inputs: dict[str, Any]
) -> None:
    engine.create(SWITCH, inputs)
    site.type_by_hand(SWITCH, *nos.drift)

    found = values(engine.read(SWITCH, inputs).inputs)
    engine.update(SWITCH, found, inputs)

    assert found["unexpected"] == [nos.unexpected]
    assert values(engine.read(SWITCH, inputs).inputs) == inputs


def test_armed_return_is_drift_and_is_finished(
    nos: NosLines, site: SiteWithLab, engine: Engine, inputs: dict[str, Any]
) -> None:
    engine.create(SWITCH, inputs)
    target = load_access(site.access).target(SWITCH)
    if nos.unconfirmed:
        site.type_by_hand(SWITCH, *nos.mtu)
    for command in nos.unconfirmed or (return_timer.MAKE_CHECKPOINT, return_timer.arm(int(time.time()) + 600)):
        asyncio.run(shell(target, command))

    found = values(engine.read(SWITCH, inputs).inputs)
    assert set(engine.diff(SWITCH, found, inputs).detailedDiff) == {"unfinished"}
    assert found["unfinished"][0].endswith("confirmed and saved instead")
    engine.update(SWITCH, found, inputs)

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
