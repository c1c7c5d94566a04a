"""Hosts whose answers a test holds in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rackproof.connect.errors import UnreachableError
from rackproof.facts.fact import Answer
from rackproof.plan.from_file import host_sources
from rackproof.plan.hosts.intent import host_intent
from rackproof.site.as_built import AsBuilt
from tests.validation.as_planned import interface_texts
from tests.validation.recorded import changed, recorded

if TYPE_CHECKING:
    from rackproof.connect.errors import DeviceError
    from rackproof.facts.fact import Answers
    from tests.validation.live_world import World


@dataclass
class Patients:
    """Hosts of a world that say how they are; from the second look on one of their answers may be another."""

    world: World
    looks: int = 0

    async def read(self, hosts: frozenset[str]) -> dict[str, Answers | DeviceError]:
        self.looks += 1
        return {
            host: UnreachableError(host, "no answer") if host in self.world.silent else self.answers(host)
            for host in hosts
        }

    def answers(self, host: str) -> Answers:
        intent = host_intent(host_sources(self.world.planned, AsBuilt()), host)
        texts = interface_texts(intent, self.world.planned.plan.servers[host])
        said = {**recorded("xe9680-h200.json"), **{command: Answer(text, 0) for command, text in texts.items()}}
        return changed(said, *self.world.ill) if self.world.ill and self.looks > 1 else said
