"""A deployment to Cumulus Linux that goes well: what is changed, what a second one changes, the return to base."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from lab.switches.nos.cumulus.system import Cumulus
from rackproof.deploy.protocol import Disruption, Outcome
from rackproof.deploy.switch.build_steps import SwitchOrder, switch_step
from rackproof.deploy.switch.job import SwitchOptions
from rackproof.deploy.switch.read import SwitchState
from tests.deploy.conftest import TIMEOUTS
from tests.deploy.nos_words import BACKEND, FRONTEND

if TYPE_CHECKING:
    from rackproof.deploy.switch.step import SwitchStep
    from tests.deploy.conftest import Bench

pytestmark = pytest.mark.lab
OOB: Final = "oob-leaf-01"
SECOND: Final = "backend-leaf-02"
ALLOWED: Final = SwitchOptions(allow_disruption=True, timeouts=TIMEOUTS)


def shown(bench: Bench, name: str, command: str) -> str:
    """What a switch prints."""
    outcome = bench.lab.call(bench.lab.lab.switch(name).shell.run(command))
    assert not outcome.status, outcome.error
    return outcome.out


def test_a_site_is_deployed_and_then_unchanged(spectrum: Bench) -> None:
    results = spectrum.up()
    switches = {name: result for name, result in results.items() if not name.endswith("/gate")}
    assert {result.outcome for result in switches.values()} == {Outcome.CHANGED}, results
    assert all(result.succeeded for result in results.values())
    for name in switches:
        machine = spectrum.machine(name)
        assert not machine.armed
        assert machine.startup == machine.running
        assert not shown(spectrum, name, "nv config diff")
        assert not shown(spectrum, name, "ls /tmp")
    assert all(not one.changes and one.error is None for one in spectrum.compared().values())
    assert {result.outcome for result in spectrum.up().values()} == {Outcome.UNCHANGED}


def test_a_switch_runs_after_a_restart_what_was_confirmed(spectrum: Bench) -> None:
    spectrum.up(FRONTEND)
    running = spectrum.machine(FRONTEND).running
    spectrum.inject("dead-switch", FRONTEND)
    spectrum.clear()
    assert spectrum.machine(FRONTEND).running == running


def test_what_is_sent_is_told_and_applied_once(spectrum: Bench) -> None:
    sent = spectrum.up(FRONTEND)[FRONTEND].applied.commands
    assert "nv set interface swp1 link breakout 4x lanes-per-port 2" in sent
    assert [line for line in sent if line.startswith("nv config apply")] == [
        "nv config apply --confirm 15 -y",
        "nv config apply 2 --confirm-yes",
    ]


def test_users_are_left_alone(spectrum: Bench) -> None:
    spectrum.up(FRONTEND)
    assert "cumulus" in shown(spectrum, FRONTEND, "nv config show")
    assert spectrum.compared(FRONTEND)[FRONTEND].error is None
    sent = spectrum.up(BACKEND)[BACKEND].applied.commands
    assert not [line for line in sent if "aaa" in line]


def test_drift_is_found_in_words_and_put_right(spectrum: Bench) -> None:
    spectrum.up(FRONTEND)
    spectrum.type(FRONTEND, "nv set interface swp63 link mtu 9000", "nv set service lldp tx-interval 60")
    spectrum.type(FRONTEND, "nv set interface swp30-33 description stray", "nv unset service ntp")
    texts = [change.text for change in spectrum.compared(FRONTEND)[FRONTEND].changes]
    assert "Ethernet 1/63: MTU 9000 → 9216" in texts
    assert "unexpected line `service lldp tx-interval 60`: removed" in texts
    assert "unexpected line `interface swp30-33 description stray`: removed" in texts
    result = spectrum.up(FRONTEND, options=ALLOWED)[FRONTEND]
    assert result.outcome is Outcome.CHANGED, result
    assert "nv unset service" in result.applied.commands
    assert not spectrum.compared(FRONTEND)[FRONTEND].changes


def test_what_somebody_else_owns_stays(spectrum: Bench) -> None:
    spectrum.type(FRONTEND, "nv set service dns mgmt search lab", "nv set service dns mgmt search site")
    spectrum.type(FRONTEND, "nv set service lldp tx-interval 60")
    order = spectrum.planned.plan.switches[FRONTEND]
    step = spectrum.steps(FRONTEND)[FRONTEND]
    own = replace(step.task, unmanaged=("service dns mgmt search",))
    assert order.nos == "cumulus"
    asked = switch_step(
        SwitchOrder(own.target, "cumulus", order.model, own.intent, FRONTEND, own.unmanaged),
        spectrum.planned.catalogue,
        ALLOWED,
    )
    asyncio.run(_deployed(asked))
    assert "search" in shown(spectrum, FRONTEND, "nv config show")
    assert "tx-interval" not in shown(spectrum, FRONTEND, "nv config show")
    assert not asyncio.run(_changes(asked))
    assert [change.text for change in spectrum.compared(FRONTEND)[FRONTEND].changes] == [
        "unexpected line `service dns mgmt search lab`: removed",
        "unexpected line `service dns mgmt search site`: removed",
    ]


async def _deployed(step: SwitchStep) -> None:
    await step.apply(step.diff(await step.read()))


async def _changes(step: SwitchStep) -> tuple[object, ...]:
    state: SwitchState = await step.read()
    return step.diff(state)


def test_a_change_that_interrupts_somebody_needs_permission(spectrum: Bench) -> None:
    spectrum.up("frontend")
    spectrum.type(FRONTEND, "nv set interface swp63 link mtu 9000")
    before = spectrum.machine(FRONTEND)
    (change,) = spectrum.compared(FRONTEND)[FRONTEND].changes
    assert change.disruption is Disruption.PORT_RESET
    assert change.disturbs == ("frontend-leaf-02 on swp63",)
    result = spectrum.up(FRONTEND)[FRONTEND]
    assert result.outcome is Outcome.UNTOUCHED
    assert "would interrupt frontend-leaf-02 on swp63" in result.text
    assert spectrum.machine(FRONTEND) == before


async def ports_are_back(bench: Bench, name: str) -> None:
    """Wait until switchd has restarted."""
    nos = bench.lab.lab.switch(name).nos
    assert isinstance(nos, Cumulus)
    while nos.resetting:  # noqa: ASYNC110 the lab has no event for it
        await asyncio.sleep(0)


def test_adaptive_routing_restarts_switchd_of_this_release_and_names_everybody(spectrum: Bench) -> None:
    spectrum.up("backend")
    ports = ",".join(f"swp{number}s0,swp{number}s1" for number in range(57, 65))
    spectrum.type(BACKEND, f"nv unset interface {ports} router adaptive-routing")
    spectrum.lab.call(ports_are_back(spectrum, BACKEND))
    changes = spectrum.compared(BACKEND)[BACKEND].changes
    assert {change.disruption for change in changes} == {Disruption.SWITCHD_RESTART}
    assert "gpu-001 on swp1s0" in changes[0].disturbs
    resets = shown(spectrum, BACKEND, "nv show interface swp1s0 counters -o json")
    assert spectrum.up(BACKEND, options=ALLOWED)[BACKEND].outcome is Outcome.CHANGED
    assert shown(spectrum, BACKEND, "nv show interface swp1s0 counters -o json") != resets


def test_a_description_disturbs_nobody(spectrum: Bench) -> None:
    spectrum.up(FRONTEND)
    spectrum.type(FRONTEND, "nv set interface swp63 description somebody")
    assert spectrum.up(FRONTEND)[FRONTEND].outcome is Outcome.CHANGED


def test_a_pair_is_changed_one_after_the_other_and_its_links_come_up(spectrum: Bench) -> None:
    results = spectrum.up("backend")
    assert results["backend/gate"].succeeded
    assert any("backend-leaf-02" in pending for pending in results[BACKEND].applied.pending)
    assert not results[SECOND].applied.pending
    order = [
        event.step
        for event in spectrum.events
        if getattr(event, "doing", "") in {"checking that a rollback is possible", "saving"}
    ]
    assert order == [BACKEND, BACKEND, SECOND, SECOND]


@pytest.mark.parametrize("name", [BACKEND, OOB])
def test_a_switch_goes_back_to_base(spectrum: Bench, name: str) -> None:
    spectrum.up(name)
    step = spectrum.steps(name)[name]
    asyncio.run(step.remove())
    running = shown(spectrum, name, "nv config show -o commands").splitlines()
    left = {line.removeprefix("nv set ").partition(" ")[0] for line in running}
    assert left == {"interface", "system"}
    assert any(line.startswith("nv set interface eth0 ip address") for line in running)
    assert not [line for line in running if "breakout" in line or "telemetry" in line or "roce" in line]
    assert "nv set system aaa user cumulus role system-admin" in running
    assert asyncio.run(step.remove()).commands == ()
