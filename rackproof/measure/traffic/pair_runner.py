"""Rounds: every pair at the same time, bounded, between two readings of everything that counts."""

import shlex
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from rackproof.measure.counters.port_counters import SwitchReader, SwitchReading
from rackproof.measure.remote.commands import ask
from rackproof.measure.remote.runner import Played, Scene, Theatre, Work
from rackproof.measure.traffic.pairs import End, Pair
from rackproof.measure.traffic.perftest import (
    ACCELERATORS,
    FIRST_PORT,
    Abilities,
    Options,
    Seat,
    abilities,
    path_mtu,
    words,
)
from rackproof.measure.traffic.rail_ports import Found, RailPort, RdmaDevice, found_of, nearest_accelerator
from rackproof.measure.traffic.results import PairRun, Readings, Trouble
from rackproof.plan.model.plan import LinkEnd

LIMIT_S: Final = 60.0
"""Until one run has ended: seconds of traffic, the first words, and the patience of a host that is busy."""
LOOK_LIMIT_S: Final = 20.0
HELP: Final = "help"


@dataclass(frozen=True, slots=True)
class Cast:
    """A host that was looked at."""

    found: Found
    can: Abilities


@dataclass(frozen=True, slots=True)
class Trial:
    """A pair with both sides' devices, ready to run."""

    pair: Pair
    seats: tuple[Seat, Seat]
    """Of the one that sends or reads, and of the one that listens."""
    key: str
    port: int
    """TCP port of the first words, of its own on the listening host."""


class SeatError(Exception):
    """A rail port cannot take part."""

    def __init__(self, trouble: Trouble, text: str) -> None:
        super().__init__(text)
        self.trouble = trouble


class Rounds:
    """Runs pairs on the hosts of a site.

    Parameters
    ----------
    theatre
        Where commands run.
    ports
        Every rail port of the site.
    switches
        Who counts.
    """

    def __init__(self, theatre: Theatre, ports: Mapping[End, RailPort], switches: SwitchReader) -> None:
        self._theatre = theatre
        self._ports = ports
        self._switches = switches
        self._cast: dict[str, Cast | str] = {}

    async def cast(self, hosts: Collection[str]) -> Mapping[str, Cast | str]:
        """Look at hosts, each once; one that does not answer says why instead."""
        new = sorted(set(hosts) - set(self._cast))
        if new:
            wanted = {HELP: ["ib_write_bw", "--help"]}
            played = await ask(self._theatre, dict.fromkeys(new, wanted), LOOK_LIMIT_S, look=True)
            self._cast.update({host: _cast(one) for host, one in played.items()})
        return {host: self._cast[host] for host in hosts}

    async def run(self, pairs: Sequence[Pair], options: Options, accelerators: str = "") -> tuple[PairRun, ...]:
        """Run pairs at the same time.

        Parameters
        ----------
        pairs
            The first of each sends, or reads.
        options
            What is measured.
        accelerators
            Vendor of accelerators whose memory is used; empty: the hosts' memory.
        """
        busy = frozenset(end for pair in pairs for end in pair)
        cast = await self.cast({end.host for end in busy})
        runs = [PairRun(pair, options, bool(accelerators), busy=busy) for pair in pairs]
        trials: dict[int, Trial] = {}
        listening: Counter[str] = Counter()
        for number, pair in enumerate(pairs):
            try:
                seats = (self._seat(pair.one, cast, accelerators), self._seat(pair.other, cast, accelerators))
                trials[number] = Trial(pair, seats, str(number), FIRST_PORT + listening[pair.other.host])
                listening[pair.other.host] += 1
            except SeatError as error:
                runs[number] = replace(runs[number], trouble=error.trouble, error=str(error))
        if trials:
            readings = await self._perform(tuple(trials.values()), options, cast)
            for number, trial in trials.items():
                said = tuple(shlex.join(argv) for argv in _commands(trial, options, cast))
                runs[number] = readings.of(replace(runs[number], commands=said), trial.key)
        return tuple(runs)

    async def _perform(self, trials: Sequence[Trial], options: Options, cast: Mapping[str, Cast | str]) -> Readings:
        """Run trials between two readings."""
        ends = sorted({self._ports[end].at for trial in trials for end in trial.pair}, key=str)
        async with self._theatre.stage(_scenes(trials, options, cast)) as play:
            await play.ready()
            before = await self._switches.read(ends)
            played = await play.perform()
            after = await self._switches.read(ends, partial(_counted, self._expected(trials, options), before))
        return Readings(self._ports, dict(self._devices(cast)), played, before, after)

    def _expected(self, trials: Sequence[Trial], options: Options) -> dict[LinkEnd, int]:
        """Return the port of each listening side to the packets that it gives out at least: writes, or requests."""
        sizes = {trial: min(self._ports[end].mtu_bytes for end in trial.pair) for trial in trials}
        messages = options.messages * options.queue_pairs
        return {
            self._ports[trial.pair.other].at: max(options.payload_bytes // path_mtu(sizes[trial]), messages)
            for trial in trials
        }

    def _devices(self, cast: Mapping[str, Cast | str]) -> Iterator[tuple[End, RdmaDevice]]:
        """Yield the devices of all rail ports of the hosts that were looked at."""
        for end, port in self._ports.items():
            host = cast.get(end.host)
            if isinstance(host, Cast) and port.port in host.found.devices:
                yield end, host.found.devices[port.port]

    def _seat(self, end: End, cast: Mapping[str, Cast | str], vendor: str) -> Seat:
        """Return the device and address of a rail port.

        Raises
        ------
        SeatError
            It has none that could be used.
        """
        host, port = cast[end.host], self._ports[end]
        if isinstance(host, str):
            raise SeatError("unknown", host)
        device = host.found.devices.get(port.port)
        if device is None:
            raise SeatError("site", f"{end}: no RDMA device on {port.port}; what is meant for RDMA goes over TCP")
        if "ACTIVE" not in device.state:
            raise SeatError("site", f"{end}: {device.name} is in state {device.state or 'unknown'}")
        infiniband = device.link_layer == "InfiniBand"
        index = None if infiniband else device.gid_index(port.address)
        if index is None and not infiniband:
            raise SeatError("site", f"{end}: {device.name} has no RoCE v2 address for {port.address}")
        return Seat(device.name, index, port.address, _accelerator(end, host, device, vendor) if vendor else "")


def _accelerator(end: End, host: Cast, device: RdmaDevice, vendor: str) -> str:
    """Return the option that names the accelerator nearest to a rail port.

    Raises
    ------
    SeatError
        The host shows none, or its perftest was built without.
    """
    if vendor not in host.can.accelerators:
        raise SeatError("unable", f"{end.host}: its perftest was built without {ACCELERATORS[vendor]}")
    found = nearest_accelerator(host.found, device, vendor)
    if found is None:
        raise SeatError("site", f"{end.host} shows no accelerator of {vendor}")
    address, number = found
    return f"{ACCELERATORS[vendor]}={address if vendor == 'nvidia' else number}"


def _counted(expected: Mapping[LinkEnd, int], before: SwitchReading, after: SwitchReading) -> bool:
    """Return whether switches have counted what was sent, in whatever queue."""
    for end, packets in expected.items():
        if end in before.ports and end in after.ports:
            sent = [sum(reading.ports[end].class_packets.values()) for reading in (before, after)]
            if sent[1] - sent[0] < packets:
                return False
    return True


def _cast(played: Played) -> Cast | str:
    if played.error:
        return played.error
    said = played.outcomes[HELP]
    return Cast(found_of(played.look), abilities(said.out + said.err))


def _commands(trial: Trial, options: Options, cast: Mapping[str, Cast | str]) -> tuple[list[str], list[str]]:
    """Return the commands of the side that listens and of the other."""
    (one, other), (seat, listening) = trial.pair, trial.seats
    able = {end.host: host.can for end in trial.pair if isinstance(host := cast[end.host], Cast)}
    return (
        words(options, listening, trial.port, able[other.host]),
        words(options, seat, trial.port, able[one.host], towards=listening.address),
    )


def _scenes(trials: Sequence[Trial], options: Options, cast: Mapping[str, Cast | str]) -> dict[str, Scene]:
    """Return what every host does; one that listens for one pair may send in another."""
    servers: dict[str, dict[str, Work]] = {}
    clients: dict[str, dict[str, Work]] = {}
    for trial in trials:
        listen, send = _commands(trial, options, cast)
        servers.setdefault(trial.pair.other.host, {})[f"s{trial.key}"] = Work(listen, trial.port)
        clients.setdefault(trial.pair.one.host, {})[f"c{trial.key}"] = Work(send)
    return {host: Scene(servers.get(host, {}), clients.get(host, {}), LIMIT_S) for host in {**servers, **clients}}
