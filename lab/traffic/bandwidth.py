"""``ib_write_bw`` between two hosts over one rail, with the switch counters of that time."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import Final

from lab.daemon.messages import PortCount
from lab.errors import LabError
from lab.spec.models import LabEnd
from lab.traffic.host import Host
from lab.traffic.rail_route import rail_route
from lab.traffic.rails import RdmaPort, gid_index

MESSAGE_BYTES: Final = 65536
MESSAGES: Final = 100
QUEUE_PAIRS: Final = 4
"""Each is a separate flow, so that all ECMP paths are used."""
PAYLOAD_BYTES: Final = MESSAGE_BYTES * MESSAGES * QUEUE_PAIRS
"""25 MB: about a second over an emulated processor. It proves that packets pass, not how fast."""
_ECT0: Final = 2
"""The low bits of a traffic class: ECN-capable transport (RFC 3168, 5)."""
_PORT: Final = 18515

_WAIT: Final = f"timeout 20 sh -c 'until ss -ltnH sport = :{_PORT} | grep -q .; do sleep 0.1; done'"
_SAY: Final = "{ tail -n 2 /tmp/ib_write_bw.log >&2; exit 1; }"

Counters = Mapping[LabEnd, PortCount]
Count = Callable[[], Awaitable[Counters]]


@dataclass(frozen=True, slots=True)
class RailEnd:
    """A rail port of a host, as planned."""

    host: str
    port: str
    mac: str
    address: IPv4Address
    at: LabEnd
    """The switch port it is plugged into."""


@dataclass(frozen=True, slots=True)
class RailPair:
    """Two hosts on one rail."""

    rail: int
    sender: RailEnd
    receiver: RailEnd
    dscp: int
    """Planned DSCP of RDMA."""
    queue: int
    """The lossless queue of this DSCP."""


@dataclass(frozen=True, slots=True)
class RailResult:
    """Result of one rail."""

    pair: RailPair
    gbps: float
    """Measured throughput; it says nothing about other machines."""
    into_fabric_bytes: int
    """Bytes received by the sender's switch port during the test."""
    out_of_fabric_bytes: int
    """Bytes sent by the receiver's switch port during the test."""
    lossless_packets: int
    """Packets sent there in the lossless queue."""
    between: Mapping[LabEnd, int]
    """Bytes sent by other switch ports during the test; ports under 1 % of the payload are left out."""
    error: str = ""

    @property
    def carried(self) -> bool:
        """Whether the rail carried everything, through its switches and in its class."""
        through = min(self.into_fabric_bytes, self.out_of_fabric_bytes)
        apart = self.pair.sender.at.device != self.pair.receiver.at.device
        over_spines = sum(self.spines.values()) if apart else PAYLOAD_BYTES
        return not self.error and min(through, over_spines) >= PAYLOAD_BYTES and self.lossless_packets > 0

    @property
    def spines(self) -> Mapping[str, int]:
        """Bytes sent by the switches between those of the two hosts, by switch."""
        ends = {self.pair.sender.at.device, self.pair.receiver.at.device}
        sums: dict[str, int] = {}
        for end, count in self.between.items():
            if end.device not in ends:
                sums[end.device] = sums.get(end.device, 0) + count
        return sums


async def measure(
    pair: RailPair, machines: Mapping[str, Host], ports: Mapping[str, Mapping[str, RdmaPort]], count: Count
) -> RailResult:
    """Send over one rail and return the result, which also holds an error.

    Parameters
    ----------
    pair
        Sender and receiver.
    machines
        Hosts by name.
    ports
        Host to its RDMA devices by MAC address.
    count
        Reads the counters of the fabric's ports.
    """
    try:
        ends = (pair.receiver, pair.sender)
        server, client = (_command(end, pair.dscp, ports[end.host].get(end.mac)) for end in ends)
        before = await count()
        sender, receiver = pair.sender, pair.receiver
        async with rail_route(machines[sender.host], sender.address, machines[receiver.host], receiver.address):
            gbps = await _transfer(pair, machines, server, client)
        return _result(pair, gbps, before, await count())
    except (LabError, IndexError, ValueError) as error:
        text = error.message if isinstance(error, LabError) else f"ib_write_bw reported something else: {error!r}"
        return RailResult(pair, 0.0, 0, 0, 0, {}, text)


def _command(end: RailEnd, dscp: int, port: RdmaPort | None) -> str:
    device, index = gid_index(end.host, end.port, port, end.address)
    words = f"timeout 60 ib_write_bw --ib-dev {device} --gid-index {index} --port {_PORT} --size {MESSAGE_BYTES}"
    # A host that waits for its processor answers late, so the timeout is long: 4.096 us x 2^18 is a second.
    flows = f"--iters {MESSAGES} --qp {QUEUE_PAIRS} --tx-depth 16 --qp-timeout 18"
    return f"{words} {flows} --tclass {dscp << 2 | _ECT0} --report_gbits --CPU-freq"


async def _transfer(pair: RailPair, machines: Mapping[str, Host], server: str, client: str) -> float:
    """Start the receiver, then the sender; return the throughput in Gb/s."""
    receiver, sender = machines[pair.receiver.host], machines[pair.sender.host]
    listening = asyncio.create_task(receiver.run(f"{server} >/dev/null 2>/tmp/ib_write_bw.log || {_SAY}"))
    try:
        await receiver.run(f"{_WAIT} || {_SAY}")
        said = await sender.run(f"{client} --output=bandwidth {pair.receiver.address} 2>/tmp/ib_write_bw.log || {_SAY}")
        await listening
    finally:
        listening.cancel()
        await asyncio.gather(listening, return_exceptions=True)
    return float(said.split()[-1])


def _result(pair: RailPair, gbps: float, before: Counters, after: Counters) -> RailResult:
    def sent(end: LabEnd) -> int:
        return after[end].out_bytes - before[end].out_bytes

    near, far = pair.sender.at, pair.receiver.at
    between = {end: sent(end) for end in sorted(after) if end not in {near, far}}
    return RailResult(
        pair,
        gbps,
        into_fabric_bytes=after[near].in_bytes - before[near].in_bytes,
        out_of_fabric_bytes=sent(far),
        lossless_packets=after[far].queue_packets.get(pair.queue, 0) - before[far].queue_packets.get(pair.queue, 0),
        between={end: count for end, count in between.items() if count >= PAYLOAD_BYTES // 100},
    )
