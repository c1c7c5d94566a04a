"""What a check looks at: server, switch, fabric, site; facts are read from the run's folder when asked for."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from rackproof.connect.access import LoadedAccess
from rackproof.facts.fact import Answers, Fact
from rackproof.hardware.models import ServerModel
from rackproof.plan.from_file import PlannedSite
from rackproof.plan.hosts.intent import host_intent
from rackproof.plan.hosts.sources import HostSources
from rackproof.plan.model.host import HostIntent
from rackproof.plan.model.plan import FabricPlan, Plan, ServerPlan, SwitchIntent, SwitchPlan
from rackproof.site.access import CONTROLLER
from rackproof.site.as_built import AsBuilt
from validation.expected.advertised_prefixes import AdvertisedPrefixes, advertised_prefixes
from validation.expected.cable_index import Cables, index_cables
from validation.verdict.evidence import EvidenceBook
from validation.verdict.run_folder import RunFolder

if TYPE_CHECKING:
    from rackproof.facts.switches import SwitchFacts

T = TypeVar("T")

AddEvidence = Callable[..., None]
"""`Judge.add_evidence`: takes the evidence and the files that show it."""


def ignore_evidence(*_: object) -> None:
    """Record the facts that a subject read outside a check."""


@dataclass(frozen=True)
class SiteUnderTest:
    """The site as it is meant to be, how it is reached, and what was gathered of it."""

    planned: PlannedSite
    access: LoadedAccess
    sources: HostSources
    run: RunFolder
    evidence: EvidenceBook
    _intents: dict[str, HostIntent] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def plan(self) -> Plan:
        """The plan of the site without its export-only switches."""
        return self.planned.plan.without_export_only()

    @cached_property
    def cables(self) -> Cables:
        """The plan's cables, found by device and port."""
        return index_cables(self.plan)

    @cached_property
    def advertised_prefixes(self) -> AdvertisedPrefixes:
        """The subnets that each switch tells others of."""
        return advertised_prefixes(self.planned, self.cables, self.evidence.absent)

    @property
    def as_built(self) -> AsBuilt:
        """What discovery recorded."""
        return self.sources.as_built

    @property
    def log_folder(self) -> Path:
        """Where live runs keep what they printed."""
        return self.run.logs

    def intent(self, server: str) -> HostIntent:
        """Return what a server is meant to be; every check asks, so it is worked out once."""
        if server not in self._intents:
            self._intents[server] = host_intent(self.sources, server)
        return self._intents[server]


@dataclass(frozen=True)
class Server:
    """A server of the plan.

    Raises
    ------
    FactError
        `fact`: the server did not say, or not what was expected of any server.
    """

    name: str
    site: SiteUnderTest
    add_evidence: AddEvidence = ignore_evidence

    @property
    def plan(self) -> ServerPlan:
        """Where it stands and what is cabled."""
        return self.site.plan.servers[self.name]

    @cached_property
    def intent(self) -> HostIntent:
        """What it is meant to be."""
        return self.site.intent(self.name)

    @cached_property
    def model(self) -> ServerModel:
        """Its model in the catalogue."""
        return self.site.planned.catalogue.server(self.plan.model)

    @property
    def answers(self) -> Answers:
        """What it answered, command by command."""
        return self.site.run.answers(self.name)

    def fact(self, fact: Fact[T]) -> T:
        """Return a fact of it; what it rests on goes into the results."""
        return self._read_fact(self.name, fact)

    @property
    def has_controller(self) -> bool:
        """Whether its management controller was asked: whether access.yaml says how it is reached."""
        return self.site.run.was_asked(f"{self.name}{CONTROLLER}")

    def controller_fact(self, fact: Fact[T]) -> T:
        """Return a fact of its management controller, as `fact` does."""
        return self._read_fact(f"{self.name}{CONTROLLER}", fact)

    def _read_fact(self, device: str, fact: Fact[T]) -> T:
        self.add_evidence(self.site.evidence.kind(device, fact.name), self.site.run.log_name(device))
        return self.site.run.fact(device, fact)


@dataclass(frozen=True)
class Switch:
    """A switch of the plan that Rackproof configures."""

    name: str
    site: SiteUnderTest
    add_evidence: AddEvidence = ignore_evidence

    @property
    def plan(self) -> SwitchPlan:
        """Where it stands and what it is for."""
        return self.site.plan.switches[self.name]

    @property
    def intent(self) -> SwitchIntent:
        """What it is meant to do."""
        found = self.plan.intent
        if found is None:
            raise AssertionError(f"{self.name} is not configured by Rackproof")
        return found

    @cached_property
    def facts(self) -> "SwitchFacts":
        """What it answered; each kind of read-out is asked for by its method."""
        from rackproof.facts.switches import SwitchFacts  # noqa: PLC0415 the NOSes' readers are not needed by servers

        return SwitchFacts(self.plan.nos, self.site.run.answers(self.name), self._seen)

    def _seen(self, read_out: str) -> None:
        self.add_evidence(self.site.evidence.kind(self.name, read_out), self.site.run.log_name(self.name))


@dataclass(frozen=True)
class Fabric:
    """A fabric of the plan."""

    name: str
    site: SiteUnderTest
    add_evidence: AddEvidence = ignore_evidence

    @property
    def plan(self) -> FabricPlan:
        """Its switches, topology and subnets."""
        return self.site.plan.fabrics[self.name]

    def switches(self) -> tuple[Switch, ...]:
        """Return those of its switches that Rackproof configures."""
        plan = self.site.plan
        return tuple(
            Switch(name, self.site, self.add_evidence)
            for name in self.plan.switches
            if plan.switches[name].intent is not None
        )
