"""Switches are asked at once, with commands that only read; one that does not answer is a value, not an end."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from rackproof.connect.errors import UnreachableError
from rackproof.facts.fact import FactError
from rackproof.facts.switches import SUBJECTS, SwitchFacts, fact_commands
from rackproof.gather import switches
from rackproof.gather.switches import SwitchQuery
from tests.deploy.conftest import Bench
from tests.deploy.nos_words import BACKEND, FRONTEND
from tests.validation.record_switches import asked_switches

if TYPE_CHECKING:
    from rackproof.connect.errors import DeviceError
    from rackproof.facts.fact import Answers

READS: Final = (
    "sonic-cli -c 'show ",
    "nv show ",
    "nv config show",
    "sudo -n vtysh -c 'show ",
    "ip -j route show",
    "bridge -j fdb show",
)


def asked(bench: Bench) -> dict[str, Answers | DeviceError]:
    return asyncio.run(switches.gather_switches(asked_switches(bench)))


@pytest.mark.parametrize(("nos", "port"), [("enterprise-sonic", "Eth1/1"), ("cumulus", "swp1s0")])
def test_every_command_only_reads(nos: str, port: str) -> None:
    commands = fact_commands(nos, (port,), SUBJECTS)
    assert commands
    assert all(command.startswith(READS) for command in commands)


def test_a_switch_without_power_leaves_the_others_their_answers(bench: Bench) -> None:
    bench.inject("dead-switch", BACKEND)
    told: list[str] = []
    found = asyncio.run(switches.gather_switches(asked_switches(bench), lambda name, _found: told.append(name)))
    assert isinstance(found[BACKEND], UnreachableError)
    assert sorted(told) == sorted(found)
    answers = found[FRONTEND]
    assert not isinstance(answers, UnreachableError)
    assert SwitchFacts("enterprise-sonic", answers).identity().product == "PowerSwitch S5232F-ON"  # type: ignore[arg-type]


def test_a_command_that_hangs_is_ended_and_said(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(switches, "COMMAND_S", 0.3)
    bench.inject("slow-answer", FRONTEND, seconds="30")
    one = next(one for one in asked_switches(bench) if one.target.device == FRONTEND)
    answers = asyncio.run(switches.gather_switches([replace(one, subjects=("ports",))]))[FRONTEND]
    with pytest.raises(FactError, match="was ended"):
        SwitchFacts("enterprise-sonic", answers).ports()  # type: ignore[arg-type]


def test_no_password_is_kept(bench: Bench) -> None:
    answers = asked(bench)[FRONTEND]
    text = SwitchFacts("enterprise-sonic", answers).running()  # type: ignore[arg-type]
    assert "username admin password * role admin" in text
    assert "$6$" not in str(answers)


def test_only_what_was_asked_is_noted(bench: Bench) -> None:
    seen: list[str] = []
    one: SwitchQuery = next(one for one in asked_switches(bench) if one.target.device == FRONTEND)
    answers = asyncio.run(switches.gather_switches([one]))[FRONTEND]
    facts = SwitchFacts("enterprise-sonic", answers, seen.append)  # type: ignore[arg-type]
    facts.counters()
    assert seen == ["traffic", "pauses"]
