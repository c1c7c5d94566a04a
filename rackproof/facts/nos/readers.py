"""What a NOS package offers: for each subject the commands that ask for it and the function that parses the answers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final, Generic, Literal, TypeVar

from rackproof.facts.fact import Answers
from rackproof.facts.models import (
    BgpSession,
    EthernetSegment,
    LldpNeighbour,
    Optic,
    PortCounters,
    PortLink,
    PortRoce,
    PortStatus,
    QueueBuffer,
    Route,
    SwitchIdentity,
    Vni,
)

T = TypeVar("T")

DEFAULT_VRF: Final = "default"

Subject = Literal[
    "identity",
    "running",
    "ports",
    "links",
    "neighbours",
    "macs",
    "sessions",
    "vrf-sessions",
    "vnis",
    "segments",
    "routes",
    "traffic",
    "pauses",
    "roce",
    "optics",
    "buffers",
]


@dataclass(frozen=True, slots=True)
class Reader(Generic[T]):
    """One subject of a NOS."""

    read: Callable[[Answers], T]
    """Parses the answers; raises FactError where the switch gives no answer, ValueError where it is not parsed."""
    commands: tuple[str, ...] = ()
    """Read-only commands of the switch's shell."""
    port_commands: tuple[str, ...] = ()
    """Commands for each port in use, with ``{port}`` in place of its name."""

    def all_commands(self, ports: Sequence[str]) -> tuple[str, ...]:
        """Return the commands for a switch with these ports in use."""
        of_ports = product(ports, self.port_commands)
        return (*self.commands, *(command.format(port=port) for port, command in of_ports))


@dataclass(frozen=True, slots=True)
class SwitchReaders:
    """The readers of one NOS; `rackproof.facts.switches.SwitchFacts` documents what each returns."""

    identity: Reader[SwitchIdentity]
    running: Reader[str]
    ports: Reader[dict[str, PortStatus]]
    links: Reader[dict[str, PortLink]]
    neighbours: Reader[dict[str, LldpNeighbour]]
    macs: Reader[dict[str, tuple[str, ...]]]
    sessions: Reader[dict[str, dict[str, BgpSession]]]
    vnis: Reader[dict[int, Vni]]
    segments: Reader[dict[str, EthernetSegment]]
    routes: Reader[dict[str, Route]]
    traffic: Reader[dict[str, PortCounters]]
    pauses: Reader[dict[str, PortCounters]]
    roce: Reader[dict[str, PortRoce]]
    optics: Reader[dict[str, Optic]]
    buffers: Reader[tuple[QueueBuffer, ...]]

    def reader(self, subject: Subject) -> Reader[Any]:
        """Return the reader of a subject; sessions of all VRFs come from one."""
        found: Reader[Any] = getattr(self, "sessions" if subject == "vrf-sessions" else subject)
        return found
