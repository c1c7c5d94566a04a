"""Gathering facts over SSH: one round trip, and a server that says nothing costs the others nothing."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from rackproof.connect.errors import DeviceError, HostKeyError, UnreachableError, UnreadableError
from rackproof.facts.fact import Answer
from rackproof.gather.hosts import GatherLimits, gather_facts
from tests.facts.replaying import ReplayedHosts, replaying

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rackproof.facts.fact import Answers

NAMES = [f"gpu-{number:03}" for number in range(1, 13)]
ASKED = ["hostname", "df -P", "df -P", 'it\'s "quoted" \\ é\nand more']


@pytest.fixture
def hosts() -> Iterator[ReplayedHosts]:
    recordings: dict[str, Answers] = {
        name: {
            "hostname": Answer(f"{name}\n", 0),
            "df -P": Answer("", None, "ended"),
            ASKED[3]: Answer("\N{SNOWMAN} \udcff"[:1], 2, "no"),
        }
        for name in NAMES
    }
    with replaying(ReplayedHosts(recordings)) as running:
        yield running


def gather(hosts: ReplayedHosts, hosts_at_once: int = 128) -> dict[str, Answers | DeviceError]:
    found: dict[str, Answers | DeviceError] = {}
    limits = GatherLimits(hosts_at_once)
    asyncio.run(gather_facts([hosts.target(name) for name in NAMES], ASKED, found.__setitem__, limits))
    return found


def test_every_server_answers_in_one_round_trip(hosts: ReplayedHosts) -> None:
    found = gather(hosts, 5)

    assert found == hosts.recordings
    assert hosts.conversations == len(NAMES)


def test_a_server_that_fails_is_told_and_stops_no_other(hosts: ReplayedHosts) -> None:
    hosts.garbled.add("gpu-002")
    hosts.silent.add("gpu-003")
    targets = {name: hosts.target(name) for name in NAMES}
    targets["gpu-001"] = replace(
        targets["gpu-001"], access=targets["gpu-001"].access.model_copy(update={"host_key": None})
    )
    found: dict[str, Answers | DeviceError] = {}

    asyncio.run(gather_facts([*targets.values()], ASKED, found.__setitem__, GatherLimits(host_s=1.0)))

    said = {name: (type(one), str(one)) for name, one in found.items() if isinstance(one, DeviceError)}
    assert said.keys() == {"gpu-001", "gpu-002", "gpu-003"}
    assert said["gpu-001"][0] is HostKeyError
    assert said["gpu-002"][0] is UnreadableError
    assert "something else than its facts" in said["gpu-002"][1]
    assert "did not" in said["gpu-003"][1]
    assert sorted(found) == NAMES
    assert list(found)[-1] == "gpu-003"  # each is told as soon as it is done


def test_a_server_without_python_or_sudo_says_so(hosts: ReplayedHosts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rackproof.gather.hosts.AS_ROOT", "sudo -n true")

    found = gather(hosts)["gpu-001"]

    assert isinstance(found, UnreachableError)
    assert "not recorded" in found.message
    assert "sudo without a password" in found.hint
