"""Gathering: every chosen device is asked once, all at once, before the first check; the answers go into the run."""

import asyncio
import importlib
import pkgutil
import shutil
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any

from rackproof.connect.redfish import gather_controllers
from rackproof.connect.ssh import Target
from rackproof.errors import RackproofError
from rackproof.facts import hosts
from rackproof.facts.controllers import COMMANDS as CONTROLLER_COMMANDS
from rackproof.facts.fact import Answers, Fact
from rackproof.facts.switches import gathered
from rackproof.gather.hosts import gather_facts
from rackproof.gather.switches import SwitchQuery, gather_switches
from rackproof.site.access import CONTROLLER
from validation.expected.subjects import Switch
from validation.expected.switch_ports import used_ports
from validation.runner.session_setup import PreparedRun
from validation.verdict.run_folder import RunFolder

Told = Callable[[str, bool], object]
"""Takes the name of a device that was asked, and whether it answered."""


def gather(prepared: PreparedRun, told: Told) -> None:
    """Ask every chosen device, or play back what was recorded of it."""
    if prepared.options.replay is not None:
        _play_back(prepared, told)
    else:
        asyncio.run(_ask(prepared, told))


@cache
def host_facts() -> tuple[Fact[Any], ...]:
    """Return the facts of servers: each module of ``rackproof.facts.hosts`` that has one calls it FACT."""
    found = (importlib.import_module(one.name) for one in pkgutil.iter_modules(hosts.__path__, f"{hosts.__name__}."))
    return tuple(module.FACT for module in found if hasattr(module, "FACT"))


def host_commands() -> tuple[str, ...]:
    """Return what every server is asked, each command once."""
    return tuple(dict.fromkeys(command for fact in host_facts() for command in fact.commands))


def switches_asked(prepared: PreparedRun) -> Iterator[SwitchQuery]:
    """Yield the chosen switches that can be reached, with what they are asked."""
    plan = prepared.site.plan
    for target in _targets(prepared, plan.intents()):
        switch = plan.switches[target.device]
        subject = Switch(target.device, prepared.site)
        overlay = subject.intent.vxlan is not None
        yield SwitchQuery(target, switch.nos, tuple(used_ports(subject)), gathered(overlay=overlay))


async def _ask(prepared: PreparedRun, told: Told) -> None:
    run = prepared.site.run

    def keep(device: str, found: Answers | RackproofError) -> None:
        run.write_answers(device, found)
        told(device, not isinstance(found, RackproofError))

    servers = list(_targets(prepared, prepared.site.plan.servers))
    switches = list(switches_asked(prepared))
    await asyncio.gather(
        gather_facts(servers, host_commands(), keep),
        gather_switches(switches, keep),
        gather_controllers(list(controllers_asked(prepared)), CONTROLLER_COMMANDS, run.write_answers),
    )
    for device in prepared.devices:
        if not run.was_asked(device):
            run.write_answers(device, _unreachable(prepared, device))


def _targets(prepared: PreparedRun, kind: Iterable[str]) -> Iterator[Target]:
    """Yield how the chosen devices of a kind are reached, as far as access.yaml says."""
    wanted, known = frozenset(prepared.devices), prepared.site.access.access.devices
    for name in kind:
        if name in wanted and name in known:
            yield prepared.site.access.target(name)


def controllers_asked(prepared: PreparedRun) -> Iterator[Target]:
    """Yield how the management controllers of the chosen servers are reached, as far as access.yaml says."""
    for name in _servers(prepared):
        if target := prepared.site.access.controller(name):
            yield target


def _servers(prepared: PreparedRun) -> Iterator[str]:
    return (name for name in prepared.devices if name in prepared.site.plan.servers)


def _unreachable(prepared: PreparedRun, device: str) -> RackproofError:
    name = prepared.site.access.path.name
    return RackproofError(f"{name} does not say how to reach {device}", f"add it under devices: in {name}")


def _play_back(prepared: PreparedRun, told: Told) -> None:
    source, run = RunFolder(prepared.options.replay or prepared.site.run.path), prepared.site.run
    for device in (*prepared.devices, *(f"{server}{CONTROLLER}" for server in _servers(prepared))):
        if source.was_asked(device):
            shutil.copyfile(source.path / source.log_name(device), run.path / run.log_name(device))
    for device in prepared.devices:
        if not run.was_asked(device):
            run.write_answers(device, RackproofError("no recording exists"))
        told(device, source.was_asked(device))
