"""Recordings of the switches of a site, taken from lab switches that are configured as planned.

The lab's switches run in this process and execute commands in their own shells, without SSH: a site of 512 servers has
a hundred and fifty of them, with ten thousand cables.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from lab.daemon.running_lab import RunningLab
from lab.spec.from_plan import lab_site
from lab.switches.nos.cumulus.system import Cumulus
from rackproof.facts.fact import Answer
from rackproof.facts.redaction import without_secrets
from rackproof.facts.switches import fact_commands
from rackproof.plan.model.port_names import nos_port_name
from rackproof.render.switch import render_switch

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from lab.switches.switch import LabSwitch
    from rackproof.facts.fact import Answers
    from rackproof.plan.from_file import PlannedSite

FILE: Final = "/tmp/intent.yaml"  # noqa: S108 on the lab's switch
CONFIGURE: Final = (f"nv config patch {FILE}", "nv config apply -y", "nv config save")
POLL_S: Final = 0.01


async def recorded_switches(planned: PlannedSite) -> AsyncIterator[tuple[str, Answers]]:
    """Yield each switch of a planned site, by name, with its answers; all run Cumulus Linux.

    Raises
    ------
    RuntimeError
        A switch refuses its configuration.
    """
    lab = RunningLab(lab_site(planned.plan, planned.catalogue), "nobody logs in")
    for switch in lab.switches.values():
        await switch.start()
    for name, switch in lab.switches.items():
        await _configure(switch, _configuration(planned, name))
    systems = [switch.nos for switch in lab.switches.values() if isinstance(switch.nos, Cumulus)]
    while any(system.frr_down for system in systems):  # noqa: ASYNC110 switches have no event for restored routing
        await asyncio.sleep(POLL_S)
    for name, switch in lab.switches.items():
        yield name, {command: await _answer(switch, command) for command in _commands(planned, name)}


def _configuration(planned: PlannedSite, name: str) -> str:
    """Return the planned configuration of a switch."""
    plan = planned.plan.switches[name]
    return render_switch(plan.nos, planned.catalogue.switch(plan.model), planned.plan.intents()[name])


def _commands(planned: PlannedSite, name: str) -> tuple[str, ...]:
    """Return the commands that a validation runs on a switch."""
    plan, intent = planned.plan.switches[name], planned.plan.intents()[name]
    nos, model = planned.catalogue.nos(plan.nos), planned.catalogue.switch(plan.model)
    return fact_commands(plan.nos, tuple(nos_port_name(nos, model, key, intent.breakouts) for key in intent.ports))


async def _configure(switch: LabSwitch, configuration: str) -> None:
    switch.files.write(FILE, configuration)
    for line in CONFIGURE:
        outcome = await switch.shell.run(line)
        if outcome.status:
            raise RuntimeError(f"{switch.spec.name}: {line}: {outcome.error or outcome.out}")


async def _answer(switch: LabSwitch, command: str) -> Answer:
    outcome = await switch.shell.run(command)
    return Answer(without_secrets(outcome.out), outcome.status, outcome.error)
