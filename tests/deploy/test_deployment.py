"""A deployment that goes well: what is changed, that a second one changes nothing, and the return to base."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import asyncssh
import pytest

from rackproof.connect.access import LoadedAccess
from rackproof.deploy.protocol import Disruption, Outcome
from rackproof.deploy.switch.job import SwitchOptions
from rackproof.site.access import Access, CredentialReference
from tests.deploy.conftest import TIMEOUTS
from tests.deploy.nos_words import BACKEND, FRONTEND

if TYPE_CHECKING:
    from pathlib import Path

    from rackproof.deploy.scheduler import StepResult
    from tests.deploy.conftest import Bench

pytestmark = pytest.mark.lab
OOB = "oob-leaf-01"


def outcomes(results: dict[str, StepResult]) -> dict[str, str]:
    return {name: str(result.outcome) for name, result in results.items()}


def test_a_site_is_deployed_and_then_unchanged(bench: Bench) -> None:
    results = bench.up()
    assert outcomes(results) == dict.fromkeys((BACKEND, FRONTEND, OOB), "changed"), results
    for name in results:
        machine = bench.machine(name)
        assert not machine.armed
        assert not [path for path in machine.files if "rackproof" in path]
    assert all(not one.changes and one.error is None for one in bench.compared().values())
    assert outcomes(bench.up()) == dict.fromkeys((BACKEND, FRONTEND, OOB), "unchanged")


def test_what_is_saved_is_what_runs_after_a_restart(bench: Bench) -> None:
    bench.up(FRONTEND)
    running = bench.machine(FRONTEND).running
    bench.inject("dead-switch", FRONTEND)
    bench.clear()
    assert bench.machine(FRONTEND).running == running


def test_drift_is_found_in_words_and_put_right(bench: Bench) -> None:
    bench.up(FRONTEND)
    bench.type(FRONTEND, "interface Eth1/32", "mtu 9100", "exit", "ntp server 192.0.2.99", "lldp timer 10")
    found = bench.compared(FRONTEND)[FRONTEND].changes
    texts = [change.text for change in found]
    assert "Ethernet 1/32: MTU 9216 → 9100" not in texts
    assert "Ethernet 1/32: MTU 9100 → 9216" in texts
    assert "unexpected line `lldp timer 10`: removed" in texts
    result = bench.up(FRONTEND, options=SwitchOptions(allow_disruption=True, timeouts=TIMEOUTS))[FRONTEND]
    assert result.outcome is Outcome.CHANGED, result
    assert not bench.compared(FRONTEND)[FRONTEND].changes


def test_a_change_that_interrupts_somebody_needs_permission(bench: Bench) -> None:
    bench.up(FRONTEND)
    bench.type(FRONTEND, "interface Eth1/32", "mtu 9100")
    before = bench.machine(FRONTEND)
    (change,) = [c for c in bench.compared(FRONTEND)[FRONTEND].changes if "1/32" in c.text]
    assert change.disruption is Disruption.PORT_RESET
    assert change.disturbs
    result = bench.up(FRONTEND)[FRONTEND]
    assert result.outcome is Outcome.UNTOUCHED
    assert "would interrupt" in result.text
    assert "--allow-disruption" in result.hint
    assert bench.machine(FRONTEND) == before


def test_a_description_disturbs_nobody(bench: Bench) -> None:
    bench.up(FRONTEND)
    bench.type(FRONTEND, "interface Eth1/32", "description somebody")
    assert bench.up(FRONTEND)[FRONTEND].outcome is Outcome.CHANGED


def test_users_are_left_alone(bench: Bench) -> None:
    def users() -> list[str]:
        return [line for line in bench.machine(FRONTEND).running.splitlines() if line.startswith("username")]

    before = users()
    bench.up(FRONTEND)
    assert before
    assert users() == before


def test_a_pair_is_changed_one_after_the_other_and_its_links_come_up(pair: Bench) -> None:
    results = pair.up()
    assert {result.outcome for name, result in results.items() if name != "frontend/gate"} == {Outcome.CHANGED}
    assert results["frontend/gate"].succeeded
    assert any("frontend-leaf-02" in pending for pending in results["frontend-leaf-01"].applied.pending)
    assert not results["frontend-leaf-02"].applied.pending
    begins = [event.step for event in pair.events if getattr(event, "doing", "") == "creating a checkpoint"]
    saves = [event.step for event in pair.events if getattr(event, "doing", "") == "saving"]
    assert [name for name in begins if name != OOB] == ["frontend-leaf-01", "frontend-leaf-02"]
    assert [name for name in saves if name != OOB] == ["frontend-leaf-01", "frontend-leaf-02"]


def test_the_gate_fails_on_what_stays_pending(pair: Bench) -> None:
    pair.up()
    pair.type("frontend-leaf-02", "interface Eth1/32", "shutdown")
    steps = pair.steps("frontend-leaf-01")
    pending = asyncio.run(steps["frontend-leaf-01"].pending())
    assert any("Eth1/32 to frontend-leaf-02 Eth1/32" in one for one in pending)


@pytest.mark.parametrize("name", [FRONTEND, BACKEND])
def test_a_switch_goes_back_to_base(bench: Bench, name: str) -> None:
    before = bench.machine(name).running
    bench.up(name)
    step = bench.steps(name)[name]
    asyncio.run(step.remove())
    after = bench.machine(name)
    assert set(after.running.splitlines()) - set(before.splitlines()) <= {"ip vrf mgmt"}
    assert not set(before.splitlines()) - set(after.running.splitlines())
    assert not after.armed
    assert asyncio.run(step.remove()).commands == ()


def test_a_private_key_opens_both_kinds_of_connection(bench: Bench, tmp_path: Path) -> None:
    key = asyncssh.generate_private_key("ssh-ed25519")
    file = tmp_path / "key"
    file.write_bytes(key.export_private_key())
    file.chmod(0o600)
    switch = bench.lab.lab.switch(FRONTEND)
    switch.authorized_keys.add(key.export_public_key().decode())
    switch.passwords["admin"] = "nobody knows"
    entry = (
        bench.access()
        .access.devices[FRONTEND]
        .model_copy(update={"password": None, "private_key": CredentialReference(file="key")})
    )
    access = LoadedAccess(Access(devices={FRONTEND: entry}), tmp_path / "access.yaml")
    assert bench.up(FRONTEND, access=access)[FRONTEND].outcome is Outcome.CHANGED
