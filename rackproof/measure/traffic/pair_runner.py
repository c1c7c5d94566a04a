"""Rounds: every pair at the same time, bounded, between two readings of everything that counts."""

import shlex
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from rackproof.measure.counters.port_counters import SwitchReader, SwitchReading
from rackproof.measure.remote.commands import run_commands
from rackproof.measure.remote.runner import HostJobs, HostResult, Job, RemoteRunner
from rackproof.measure.traffic.pairs import End, Pair
from rackproof.measure.traffic.perftest import (
    ACCELERATORS,
    FIRST_PORT,
    Abilities,
    Endpoint,
    Options,
    abilities,
    path_mtu,
    perftest_command,
)
from rackproof.measure.traffic.rail_ports import (
    HostInventory,
    RailPort,
    RdmaDevice,
    host_inventory,
    nearest_accelerator,
)
from rackproof.measure.traffic.results import Failure, PairRun, Readings
from rackproof.plan.model.plan import LinkEnd

LIMIT_S: Final = 60.0
"""Until one run has ended: seconds of traffic, the first words, and the patience of a host that is busy."""
LOOK_LIMIT_S: Final = 20.0
HELP: Final = "help"


@dataclass(frozen=True, slots=True)
class Participant:
    """A host that was looked at."""

    found: HostInventory
    can: Abilities


@dataclass(frozen=True, slots=True)
class PreparedPair:
    """A pair with both sides' devices, ready to run."""

    pair: Pair
    endpoints: tuple[Endpoint, Endpoint]
    """Of the one that sends or reads, and of the one that listens."""
    key: str
    port: int
    """TCP port of the first words, of its own on the listening host."""


class EndpointError(Exception):
    """A rail port cannot take part."""

    def __init__(self, failure: Failure, text: str) -> None:
        super().__init__(text)
        self.failure = failure


class PairRunner:
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

    def __init__(self, runner: RemoteRunner, ports: Mapping[End, RailPort], switches: SwitchReader) -> None:
        self._runner = runner
        self._ports = ports
        self._switches = switches
        self._cast: dict[str, Participant | str] = {}

    async def cast(self, hosts: Collection[str]) -> Mapping[str, Participant | str]:
        """Look at hosts, each once; one that does not answer says why instead."""
        new = sorted(set(hosts) - set(self._cast))
        if new:
            wanted = {HELP: ["ib_write_bw", "--help"]}
            played = await run_commands(self._runner, dict.fromkeys(new, wanted), LOOK_LIMIT_S, look=True)
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
        prepared_pairs: dict[int, PreparedPair] = {}
        listening: Counter[str] = Counter()
        for number, pair in enumerate(pairs):
            try:
                endpoints = (
                    self._endpoint(pair.one, cast, accelerators),
                    self._endpoint(pair.other, cast, accelerators),
                )
                prepared_pairs[number] = PreparedPair(
                    pair, endpoints, str(number), FIRST_PORT + listening[pair.other.host]
                )
                listening[pair.other.host] += 1
            except EndpointError as error:
                runs[number] = replace(runs[number], failure=error.failure, error=str(error))
        if prepared_pairs:
            readings = await self._perform(tuple(prepared_pairs.values()), options, cast)
            for number, prepared in prepared_pairs.items():
                said = tuple(shlex.join(argv) for argv in _commands(prepared, options, cast))
                runs[number] = readings.of(replace(runs[number], commands=said), prepared.key)
        return tuple(runs)

    async def _perform(
        self, prepared_pairs: Sequence[PreparedPair], options: Options, cast: Mapping[str, Participant | str]
    ) -> Readings:
        """Run trials between two readings."""
        ends = sorted({self._ports[end].at for prepared in prepared_pairs for end in prepared.pair}, key=str)
        async with self._runner.open_run(_host_jobs(prepared_pairs, options, cast)) as play:
            await play.start_servers()
            before = await self._switches.read(ends)
            played = await play.run_clients()
            after = await self._switches.read(ends, partial(_counted, self._expected(prepared_pairs, options), before))
        return Readings(self._ports, dict(self._devices(cast)), played, before, after)

    def _expected(self, prepared_pairs: Sequence[PreparedPair], options: Options) -> dict[LinkEnd, int]:
        """Return the port of each listening side to the packets that it gives out at least: writes, or requests."""
        sizes = {prepared: min(self._ports[end].mtu_bytes for end in prepared.pair) for prepared in prepared_pairs}
        messages = options.messages * options.queue_pairs
        return {
            self._ports[prepared.pair.other].at: max(options.payload_bytes // path_mtu(sizes[prepared]), messages)
            for prepared in prepared_pairs
        }

    def _devices(self, cast: Mapping[str, Participant | str]) -> Iterator[tuple[End, RdmaDevice]]:
        """Yield the devices of all rail ports of the hosts that were looked at."""
        for end, port in self._ports.items():
            host = cast.get(end.host)
            if isinstance(host, Participant) and port.port in host.found.devices:
                yield end, host.found.devices[port.port]

    def _endpoint(self, end: End, cast: Mapping[str, Participant | str], vendor: str) -> Endpoint:
        """Return the device and address of a rail port.

        Raises
        ------
        SeatError
            It has none that could be used.
        """
        host, port = cast[end.host], self._ports[end]
        if isinstance(host, str):
            raise EndpointError("unknown", host)
        device = host.found.devices.get(port.port)
        if device is None:
            raise EndpointError("site", f"{end}: no RDMA device on {port.port}; what is meant for RDMA goes over TCP")
        if "ACTIVE" not in device.state:
            raise EndpointError("site", f"{end}: {device.name} is in state {device.state or 'unknown'}")
        infiniband = device.link_layer == "InfiniBand"
        index = None if infiniband else device.gid_index(port.address)
        if index is None and not infiniband:
            raise EndpointError("site", f"{end}: {device.name} has no RoCE v2 address for {port.address}")
        return Endpoint(device.name, index, port.address, _accelerator(end, host, device, vendor) if vendor else "")


def _accelerator(end: End, host: Participant, device: RdmaDevice, vendor: str) -> str:
    """Return the option that names the accelerator nearest to a rail port.

    Raises
    ------
    SeatError
        The host shows none, or its perftest was built without.
    """
    if vendor not in host.can.accelerators:
        raise EndpointError("unable", f"{end.host}: its perftest was built without {ACCELERATORS[vendor]}")
    found = nearest_accelerator(host.found, device, vendor)
    if found is None:
        raise EndpointError("site", f"{end.host} shows no accelerator of {vendor}")
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


def _cast(played: HostResult) -> Participant | str:
    if played.error:
        return played.error
    said = played.results[HELP]
    return Participant(host_inventory(played.look), abilities(said.out + said.err))


def _commands(
    prepared: PreparedPair, options: Options, cast: Mapping[str, Participant | str]
) -> tuple[list[str], list[str]]:
    """Return the commands of the side that listens and of the other."""
    (one, other), (endpoint, listening) = prepared.pair, prepared.endpoints
    able = {end.host: host.can for end in prepared.pair if isinstance(host := cast[end.host], Participant)}
    return (
        perftest_command(options, listening, prepared.port, able[other.host]),
        perftest_command(options, endpoint, prepared.port, able[one.host], towards=listening.address),
    )


def _host_jobs(
    prepared_pairs: Sequence[PreparedPair], options: Options, cast: Mapping[str, Participant | str]
) -> dict[str, HostJobs]:
    """Return what every host does; one that listens for one pair may send in another."""
    servers: dict[str, dict[str, Job]] = {}
    clients: dict[str, dict[str, Job]] = {}
    for prepared in prepared_pairs:
        listen, send = _commands(prepared, options, cast)
        servers.setdefault(prepared.pair.other.host, {})[f"s{prepared.key}"] = Job(listen, prepared.port)
        clients.setdefault(prepared.pair.one.host, {})[f"c{prepared.key}"] = Job(send)
    return {host: HostJobs(servers.get(host, {}), clients.get(host, {}), LIMIT_S) for host in {**servers, **clients}}
