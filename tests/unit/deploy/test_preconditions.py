"""What stops a change before it starts."""

from __future__ import annotations

import pytest

from rackproof.connect.credentials import Credential
from rackproof.connect.ssh import Target
from rackproof.deploy.errors import CablingError, DisruptionRefusedError, RefusedError
from rackproof.deploy.protocol import Change, Disruption, Outcome
from rackproof.deploy.switch.job import SwitchTask
from rackproof.deploy.switch.operational_state import OperationalState, PlannedNeighbour
from rackproof.deploy.switch.preconditions import refuse_address_change, refuse_disruption, refuse_wrong_cabling
from rackproof.facts.models import LldpNeighbour
from rackproof.hardware.load import Catalogue
from rackproof.plan.from_file import plan_site
from rackproof.site.access import DeviceAccess
from rackproof.site.load import find_site

CATALOGUE = Catalogue()
TASK = SwitchTask(
    target=Target("leaf-01", DeviceAccess(host="10.30.0.16", user="admin"), Credential),
    nos=CATALOGUE.nos("enterprise-sonic"),
    model=CATALOGUE.switch("dell-s5232f-on"),
    intent=plan_site(find_site("metrum-h200")).plan.intents()["frontend-leaf-01"],
    redundancy_group="leaf-01",
    neighbours={"Eth1/1": PlannedNeighbour("gpu-001", "frontend0", is_switch=False)},
    site_devices=frozenset({"gpu-001", "gpu-002"}),
)


def move(before: str) -> Change:
    return Change(("management", "address"), before, "10.30.0.20/16", f"management address {before} → 10.30.0.20/16")


def test_the_address_we_talk_to_stays() -> None:
    with pytest.raises(RefusedError, match=r"would not answer at 10\.30\.0\.16 any more") as caught:
        refuse_address_change(TASK, (move("10.30.0.16/16"),))
    assert caught.value.outcome is Outcome.UNTOUCHED
    assert "console" in caught.value.hint


def test_another_address_may_change() -> None:
    refuse_address_change(TASK, (move("10.30.0.99/16"),))


def test_wrong_cables_stop_it() -> None:
    heard = OperationalState(neighbours={"Eth1/1": LldpNeighbour("Eth1/1", "gpu-002", "frontend0")})
    with pytest.raises(CablingError, match="Eth1/1 hears gpu-002 frontend0, the plan has gpu-001 frontend0 there"):
        refuse_wrong_cabling(TASK, heard)


def test_silence_stops_nothing() -> None:
    refuse_wrong_cabling(TASK, OperationalState())


def test_each_user_that_would_be_interrupted_is_named_once() -> None:
    user = ("gpu-001 on Eth1/1",)
    changes = tuple(Change((text,), 1, 2, text, Disruption.PORT_RESET, user) for text in ("one", "two"))
    with pytest.raises(DisruptionRefusedError) as caught:
        refuse_disruption(TASK, (*changes, Change(("three",), 1, 2, "three", Disruption.REBOOT)))
    assert caught.value.cause == (
        "not touched, because this would interrupt gpu-001 on Eth1/1: one (port reset); two (port reset)"
    )
