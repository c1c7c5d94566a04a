"""What a switch says, whatever its NOS: read-outs as they were gathered, and typed answers to what checks ask.

A module of ``rackproof/facts/nos/`` knows the commands of its NOS and reads what they print. Each question has a
name (``Subject``), which says by what evidence a lab answers it.
"""

import importlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Final, Literal, Protocol, TypeVar, cast, get_args

from msgspec.structs import replace

from rackproof.errors import BadInputError
from rackproof.facts.fact import Answers, FactError
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
SUBJECTS: tuple[Subject, ...] = get_args(Subject)
DEFAULT_VRF: Final = "default"
OF_OVERLAYS: Final = frozenset[Subject]({"vnis", "segments"})
"""What only switches that stretch networks are asked."""


def gathered(*, overlay: bool) -> tuple[Subject, ...]:
    """Return what a validation asks of a switch: all but buffers, which are asked around a load.

    Parameters
    ----------
    overlay
        Whether it stretches networks.
    """
    return tuple(one for one in SUBJECTS if one != "buffers" and (overlay or one not in OF_OVERLAYS))


GATHERED: Final = gathered(overlay=True)

T = TypeVar("T")


class _Reader(Protocol):
    """A module of ``rackproof.facts.nos``: each function reads the answers to the commands of its subject.

    They raise FactError where a switch does not say, and ValueError where it says something else.
    """

    def commands(self, subject: Subject, ports: Sequence[str]) -> tuple[str, ...]:
        """Return the commands of the switch's shell that answer a subject for these ports; none changes anything."""
        ...

    def identity(self, answers: Answers) -> SwitchIdentity: ...

    def running(self, answers: Answers) -> str: ...

    def ports(self, answers: Answers) -> Mapping[str, PortStatus]: ...

    def links(self, answers: Answers) -> Mapping[str, PortLink]: ...

    def neighbours(self, answers: Answers) -> Mapping[str, LldpNeighbour]: ...

    def macs(self, answers: Answers) -> Mapping[str, tuple[str, ...]]: ...

    def sessions(self, answers: Answers) -> Mapping[str, Mapping[str, BgpSession]]: ...

    def vnis(self, answers: Answers) -> Mapping[int, Vni]: ...

    def segments(self, answers: Answers) -> Mapping[str, EthernetSegment]: ...

    def routes(self, answers: Answers) -> Mapping[str, Route]: ...

    def traffic(self, answers: Answers) -> Mapping[str, PortCounters]: ...

    def pauses(self, answers: Answers) -> Mapping[str, PortCounters]: ...

    def roce(self, answers: Answers) -> Mapping[str, PortRoce]: ...

    def optics(self, answers: Answers) -> Mapping[str, Optic]: ...

    def buffers(self, answers: Answers) -> tuple[QueueBuffer, ...]: ...


@cache
def reader_of(nos: str) -> _Reader:
    """Return the module of a NOS, found by its name in the catalogue.

    Raises
    ------
    BadInputError
        Nothing reads this NOS.
    """
    module = f"rackproof.facts.nos.{nos.replace('-', '_')}"
    try:
        return cast("_Reader", importlib.import_module(module))
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise BadInputError(f"switches with {nos} cannot be asked for facts", f"no {module}") from error


def commands_of(nos: str, ports: Sequence[str], subjects: Sequence[Subject] = GATHERED) -> tuple[str, ...]:
    """Return the read-only commands that answer some subjects, each once, in order."""
    reader = reader_of(nos)
    return tuple(dict.fromkeys(command for subject in subjects for command in reader.commands(subject, ports)))


class SwitchFacts:
    """The facts of one switch; each is read once.

    Parameters
    ----------
    nos
        Its NOS, by its name in the catalogue.
    answers
        What it answered: command, word for word, to what came of it.
    note
        Told of each subject that is asked for.
    """

    def __init__(self, nos: str, answers: Answers, note: Callable[[Subject], object] = lambda _subject: None) -> None:
        self.answers = answers
        self._reader = reader_of(nos)
        self._note = note
        self._read: dict[str, object] = {}

    def identity(self) -> SwitchIdentity:
        """Product, serial number, MAC address, release."""
        return self._fact("identity", self._reader.identity)

    def running(self) -> str:
        """The running configuration, as the switch prints it."""
        return self._fact("running", self._reader.running)

    def ports(self) -> Mapping[str, PortStatus]:
        """Port to its state."""
        return self._fact("ports", self._reader.ports)

    def links(self) -> Mapping[str, PortLink]:
        """Port to the speed and FEC of its link."""
        return self._fact("links", self._reader.links)

    def neighbours(self) -> Mapping[str, LldpNeighbour]:
        """Port to what LLDP hears there; a silent port is not in it."""
        return self._fact("neighbours", self._reader.neighbours)

    def macs(self) -> Mapping[str, tuple[str, ...]]:
        """Port to the MAC addresses that were learned there, in small letters; what sent nothing is not in it."""
        return self._fact("macs", self._reader.macs)

    def sessions(self, vrf: str = DEFAULT_VRF) -> Mapping[str, BgpSession]:
        """BGP neighbour of a VRF to its session; empty without BGP."""
        subject: Subject = "sessions" if vrf == DEFAULT_VRF else "vrf-sessions"
        return self._fact(subject, self._reader.sessions).get(vrf, {})

    def vnis(self) -> Mapping[int, Vni]:
        """Number to the VNI, of VLANs and of VRFs."""
        return self._fact("vnis", self._reader.vnis)

    def segments(self) -> Mapping[str, EthernetSegment]:
        """Identifier to the Ethernet segment, of those with a leg here and of others."""
        return self._fact("segments", self._reader.segments)

    def routes(self) -> Mapping[str, Route]:
        """IPv4 prefix to the route in use, in the default VRF."""
        return self._fact("routes", self._reader.routes)

    def traffic(self) -> Mapping[str, PortCounters]:
        """Port to what it counts of packets: sent, dropped, marked, broken; flaps. Nothing of PFC is in it."""
        return self._fact("traffic", self._reader.traffic)

    def pauses(self) -> Mapping[str, PortCounters]:
        """Port to what it counts of PFC: pause frames and storms. Nothing else is in it."""
        return self._fact("pauses", self._reader.pauses)

    def counters(self) -> Mapping[str, PortCounters]:
        """Port to all that it counts: `traffic` and `pauses`."""
        traffic, pauses = self.traffic(), self.pauses()
        return {port: with_pauses(counted, pauses.get(port)) for port, counted in traffic.items()}

    def roce(self) -> Mapping[str, PortRoce]:
        """Port to how it treats RoCE."""
        return self._fact("roce", self._reader.roce)

    def optics(self) -> Mapping[str, Optic]:
        """Port, or cage, to what is plugged into it."""
        return self._fact("optics", self._reader.optics)

    def buffers(self) -> tuple[QueueBuffer, ...]:
        """What queues have held at most since they were cleared."""
        return self._fact("buffers", self._reader.buffers)

    def _fact(self, subject: Subject, read: Callable[[Answers], T]) -> T:
        """Return what a subject comes to.

        Raises
        ------
        FactError
            The switch does not say.
        """
        self._note(subject)
        if subject not in self._read:
            try:
                self._read[subject] = read(self.answers)
            except ValueError as error:
                raise FactError(f"what the switch says of its {subject} cannot be read: {error}") from error
        return cast("T", self._read[subject])


def with_pauses(counted: PortCounters, pauses: PortCounters | None) -> PortCounters:
    """Return the counters of a port with those of PFC."""
    if pauses is None:
        return counted
    return replace(counted, pfc_rx=pauses.pfc_rx, pfc_tx=pauses.pfc_tx, watchdog=pauses.watchdog)
