"""Facts of a switch, whatever its NOS: typed values that are parsed from the gathered output of its commands.

A package of ``rackproof/facts/nos/`` holds the commands of its NOS and parses their output. Each subject has a name
(``Subject``), by which a lab states with what evidence it answers.
"""

import importlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Final, TypeVar, cast, get_args

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
from rackproof.facts.nos.readers import DEFAULT_VRF, Subject, SwitchReaders

SUBJECTS: tuple[Subject, ...] = get_args(Subject)
OVERLAY_SUBJECTS: Final = frozenset[Subject]({"vnis", "segments"})
"""Asked only of switches that stretch networks."""


def gathered(*, overlay: bool) -> tuple[Subject, ...]:
    """Return the subjects that a validation gathers: all but buffers, which are read around a load.

    Parameters
    ----------
    overlay
        Whether it stretches networks.
    """
    return tuple(one for one in SUBJECTS if one != "buffers" and (overlay or one not in OVERLAY_SUBJECTS))


GATHERED: Final = gathered(overlay=True)

T = TypeVar("T")


@cache
def nos_readers(nos: str) -> SwitchReaders:
    """Return the readers of a NOS, whose package is found by its name in the catalogue.

    Raises
    ------
    BadInputError
        There is no package for this NOS.
    """
    module = f"rackproof.facts.nos.{nos.replace('-', '_')}"
    try:
        return cast("SwitchReaders", importlib.import_module(module).READERS)
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise BadInputError(f"switches with {nos} cannot be asked for facts", f"no {module}") from error


def fact_commands(nos: str, ports: Sequence[str], subjects: Sequence[Subject] = GATHERED) -> tuple[str, ...]:
    """Return the read-only commands for some subjects, each once, in order."""
    readers = nos_readers(nos)
    commands: dict[str, None] = {}
    for subject in subjects:
        commands.update(dict.fromkeys(readers.reader(subject).all_commands(ports)))
    return tuple(commands)


class SwitchFacts:
    """The facts of one switch; each is parsed once.

    Parameters
    ----------
    nos
        Its NOS, by its name in the catalogue.
    answers
        Command, word for word, to the switch's answer.
    note
        Called with each subject that is read.
    """

    def __init__(self, nos: str, answers: Answers, note: Callable[[Subject], object] = lambda _subject: None) -> None:
        self.answers = answers
        self._readers = nos_readers(nos)
        self._note = note
        self._read: dict[str, object] = {}

    def identity(self) -> SwitchIdentity:
        """Product, serial number, MAC address, release."""
        return self._fact("identity", self._readers.identity.read)

    def running(self) -> str:
        """The running configuration, as the switch prints it."""
        return self._fact("running", self._readers.running.read)

    def ports(self) -> Mapping[str, PortStatus]:
        """Port to its state."""
        return self._fact("ports", self._readers.ports.read)

    def links(self) -> Mapping[str, PortLink]:
        """Port to the speed and FEC of its link."""
        return self._fact("links", self._readers.links.read)

    def neighbours(self) -> Mapping[str, LldpNeighbour]:
        """Port to its LLDP neighbor; ports without one are left out."""
        return self._fact("neighbours", self._readers.neighbours.read)

    def macs(self) -> Mapping[str, tuple[str, ...]]:
        """Port to the MAC addresses learned there, in lower case."""
        return self._fact("macs", self._readers.macs.read)

    def sessions(self, vrf: str = DEFAULT_VRF) -> Mapping[str, BgpSession]:
        """BGP neighbour of a VRF to its session; empty without BGP."""
        subject: Subject = "sessions" if vrf == DEFAULT_VRF else "vrf-sessions"
        return self._fact(subject, self._readers.sessions.read).get(vrf, {})

    def vnis(self) -> Mapping[int, Vni]:
        """Number to the VNI, of VLANs and of VRFs."""
        return self._fact("vnis", self._readers.vnis.read)

    def segments(self) -> Mapping[str, EthernetSegment]:
        """Identifier to the Ethernet segment, of those with a leg here and of others."""
        return self._fact("segments", self._readers.segments.read)

    def routes(self) -> Mapping[str, Route]:
        """IPv4 prefix to the route in use, in the default VRF."""
        return self._fact("routes", self._readers.routes.read)

    def traffic(self) -> Mapping[str, PortCounters]:
        """Port to its counters of packets sent, dropped, marked and damaged, and of flaps; without PFC."""
        return self._fact("traffic", self._readers.traffic.read)

    def pauses(self) -> Mapping[str, PortCounters]:
        """Port to its counters of PFC: pause frames and storms only."""
        return self._fact("pauses", self._readers.pauses.read)

    def counters(self) -> Mapping[str, PortCounters]:
        """Port to all its counters: `traffic` and `pauses`."""
        traffic, pauses = self.traffic(), self.pauses()
        return {port: with_pauses(counted, pauses.get(port)) for port, counted in traffic.items()}

    def roce(self) -> Mapping[str, PortRoce]:
        """Port to its RoCE settings."""
        return self._fact("roce", self._readers.roce.read)

    def optics(self) -> Mapping[str, Optic]:
        """Port, or cage, to its optic."""
        return self._fact("optics", self._readers.optics.read)

    def buffers(self) -> tuple[QueueBuffer, ...]:
        """Highest fill of queues since they were cleared."""
        return self._fact("buffers", self._readers.buffers.read)

    def _fact(self, subject: Subject, read: Callable[[Answers], T]) -> T:
        """Return the value of a subject.

        Raises
        ------
        FactError
            The switch gave no usable answer.
        """
        self._note(subject)
        if subject not in self._read:
            try:
                self._read[subject] = read(self.answers)
            except ValueError as error:
                raise FactError(f"the switch's answer of its {subject} cannot be read: {error}") from error
        return cast("T", self._read[subject])


def with_pauses(counted: PortCounters, pauses: PortCounters | None) -> PortCounters:
    """Return the counters of a port with those of PFC."""
    if pauses is None:
        return counted
    return replace(counted, pfc_rx=pauses.pfc_rx, pfc_tx=pauses.pfc_tx, watchdog=pauses.watchdog)
