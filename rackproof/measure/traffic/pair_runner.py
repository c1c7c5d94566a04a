"""Runs pairs of rail ports at the same time, bounded in time, between two readings of all counters."""

import shlex
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
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
"""Longest that one run may take: seconds of traffic, connection setup, and the delay of a busy host."""
INVENTORY_LIMIT_S: Final = 20.0
HELP: Final = "help"


@dataclass(frozen=True, slots=True)
class Participant:
    """A host with its inventory and what its perftest can do."""

    inventory: HostInventory
    abilities: Abilities


@dataclass(frozen=True, slots=True)
class PreparedPair:
    """A pair with the endpoints of both sides, ready to run."""

    pair: Pair
    endpoints: tuple[Endpoint, Endpoint]
    """Of the side that sends or reads, and of the side that listens."""
    key: str
    port: int
    """TCP port of the connection setup; each pair has its own on the listening host."""


class EndpointError(Exception):
    """A rail port cannot take part."""

    def __init__(self, failure: Failure, text: str) -> None:
        super().__init__(text)
        self.failure = failure


class PairRunner:
    """Runs pairs on the hosts of a site.

    Parameters
    ----------
    runner
        Runs commands on the hosts.
    ports
        Every rail port of the site.
    switches
        Reads the counters of switch ports.
    """

    def __init__(self, runner: RemoteRunner, ports: Mapping[End, RailPort], switches: SwitchReader) -> None:
        self._runner = runner
        self._ports = ports
        self._switches = switches
        self._participants: dict[str, Participant | str] = {}

    async def participants(self, hosts: Collection[str]) -> Mapping[str, Participant | str]:
        """Return the participants on hosts, each read once; in place of a silent host the reason."""
        new = sorted(set(hosts) - set(self._participants))
        if new:
            help_command = {HELP: ["ib_write_bw", "--help"]}
            results = await run_commands(
                self._runner, dict.fromkeys(new, help_command), INVENTORY_LIMIT_S, inventory=True
            )
            self._participants.update({host: _participant(one) for host, one in results.items()})
        return {host: self._participants[host] for host in hosts}

    async def run(self, pairs: Sequence[Pair], options: Options, accelerators: str = "") -> tuple[PairRun, ...]:
        """Run pairs at the same time.

        Parameters
        ----------
        pairs
            The first of each sends, or reads.
        options
            How the pairs are measured.
        accelerators
            Vendor of accelerators whose memory is used; empty: the hosts' memory.
        """
        busy = frozenset(end for pair in pairs for end in pair)
        participants = await self.participants({end.host for end in busy})
        runs = [PairRun(pair, options, bool(accelerators), busy=busy) for pair in pairs]
        prepared_pairs: dict[int, PreparedPair] = {}
        listening: Counter[str] = Counter()
        for number, pair in enumerate(pairs):
            try:
                endpoints = [self._endpoint(end, participants, accelerators) for end in pair]
            except EndpointError as error:
                runs[number] = replace(runs[number], failure=error.failure, error=str(error))
                continue
            port = FIRST_PORT + listening[pair.other.host]
            prepared_pairs[number] = PreparedPair(pair, (endpoints[0], endpoints[1]), str(number), port)
            listening[pair.other.host] += 1
        if prepared_pairs:
            readings = await self._run_prepared(tuple(prepared_pairs.values()), options, participants)
            for number, prepared in prepared_pairs.items():
                commands = tuple(shlex.join(argv) for argv in _commands(prepared, options, participants))
                runs[number] = readings.completed(replace(runs[number], commands=commands), prepared.key)
        return tuple(runs)

    async def _run_prepared(
        self, prepared_pairs: Sequence[PreparedPair], options: Options, participants: Mapping[str, Participant | str]
    ) -> Readings:
        """Run prepared pairs between two readings of all counters."""
        ends = sorted({self._ports[end].at for end in chain.from_iterable(one.pair for one in prepared_pairs)}, key=str)
        async with self._runner.open_run(_host_jobs(prepared_pairs, options, participants)) as run:
            await run.start_servers()
            before = await self._switches.read(ends)
            results = await run.run_clients()
            after = await self._switches.read(ends, partial(_counted, self._expected(prepared_pairs, options), before))
        return Readings(self._ports, dict(self._devices(participants)), results, before, after)

    def _expected(self, prepared_pairs: Sequence[PreparedPair], options: Options) -> dict[LinkEnd, int]:
        """Return the listening side's switch port to the fewest packets that it has to send: writes, or requests."""
        sizes = {prepared: min(self._ports[end].mtu_bytes for end in prepared.pair) for prepared in prepared_pairs}
        messages = options.messages * options.queue_pairs
        return {
            self._ports[prepared.pair.other].at: max(options.payload_bytes // path_mtu(sizes[prepared]), messages)
            for prepared in prepared_pairs
        }

    def _devices(self, participants: Mapping[str, Participant | str]) -> Iterator[tuple[End, RdmaDevice]]:
        """Yield the RDMA devices of all rail ports of the participants."""
        for end, port in self._ports.items():
            host = participants.get(end.host)
            if isinstance(host, Participant) and port.port in host.inventory.devices:
                yield end, host.inventory.devices[port.port]

    def _endpoint(self, end: End, participants: Mapping[str, Participant | str], vendor: str) -> Endpoint:
        """Return the endpoint on a rail port.

        Raises
        ------
        SeatError
            No RDMA device of the rail port can be used.
        """
        host, port = participants[end.host], self._ports[end]
        if isinstance(host, str):
            raise EndpointError("unknown", host)
        device = host.inventory.devices.get(port.port)
        if device is None:
            raise EndpointError("site", f"{end}: no RDMA device on {port.port}; traffic meant for RDMA runs over TCP")
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
        The host has none, or its perftest was built without support for it.
    """
    if vendor not in host.abilities.accelerators:
        raise EndpointError("unable", f"{end.host}: its perftest was built without {ACCELERATORS[vendor]}")
    nearest = nearest_accelerator(host.inventory, device, vendor)
    if nearest is None:
        raise EndpointError("site", f"{end.host} has no accelerator of {vendor}")
    address, number = nearest
    return f"{ACCELERATORS[vendor]}={address if vendor == 'nvidia' else number}"


def _counted(expected: Mapping[LinkEnd, int], before: SwitchReading, after: SwitchReading) -> bool:
    """Return whether switches have counted all packets sent, whatever the queue."""
    for end, packets in expected.items():
        if end in before.ports and end in after.ports:
            sent = [sum(reading.ports[end].class_packets.values()) for reading in (before, after)]
            if sent[1] - sent[0] < packets:
                return False
    return True


def _participant(result: HostResult) -> Participant | str:
    if result.error:
        return result.error
    help_result = result.results[HELP]
    return Participant(host_inventory(result.inventory), abilities(help_result.out + help_result.err))


def _commands(
    prepared: PreparedPair, options: Options, participants: Mapping[str, Participant | str]
) -> tuple[list[str], list[str]]:
    """Return the commands of the listening side and of the other side."""
    (one, other), (endpoint, listening) = prepared.pair, prepared.endpoints
    able = {
        end.host: host.abilities for end in prepared.pair if isinstance(host := participants[end.host], Participant)
    }
    return (
        perftest_command(options, listening, prepared.port, able[other.host]),
        perftest_command(options, endpoint, prepared.port, able[one.host], server=listening.address),
    )


def _host_jobs(
    prepared_pairs: Sequence[PreparedPair], options: Options, participants: Mapping[str, Participant | str]
) -> dict[str, HostJobs]:
    """Return the jobs of every host; a host that listens for one pair may send in another."""
    servers: dict[str, dict[str, Job]] = {}
    clients: dict[str, dict[str, Job]] = {}
    for prepared in prepared_pairs:
        listen, send = _commands(prepared, options, participants)
        servers.setdefault(prepared.pair.other.host, {})[f"s{prepared.key}"] = Job(listen, prepared.port)
        clients.setdefault(prepared.pair.one.host, {})[f"c{prepared.key}"] = Job(send)
    return {host: HostJobs(servers.get(host, {}), clients.get(host, {}), LIMIT_S) for host in {**servers, **clients}}
