"""The coupled gate: the counters of a run have to confirm its result.

A rail that reaches its bandwidth may do so over TCP, over another rail, in a class that drops, or while the PFC
watchdog drops packets. Each finding compares the counters of exactly the adapters and switch ports of the run.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from rackproof.facts.models import PortCounters
from rackproof.measure.counters.nic_counters import NicCounters
from rackproof.measure.traffic.pairs import End
from rackproof.measure.traffic.perftest import path_mtu
from rackproof.measure.traffic.results import PairRun
from rackproof.plan.model.plan import LinkEnd

STRAY_SHARE: Final = 0.01
"""Share of a run's packets that may be in other queues or on other rails: connection setup over TCP, LLDP, ARP, BGP."""
STRAY_PACKETS: Final = 200
"""Other packets allowed in a short run: 67 were counted in one of 6,800 packets on a busy lab. A run on a wrong path is
wrong with all of its packets, and the shortest run has a thousand."""


@dataclass(frozen=True, slots=True)
class Marking:
    """The planned marking of RDMA on a fabric."""

    dscp: int
    lossless: frozenset[int]
    """Priorities with PFC; queues have the same numbers."""
    priority: int
    """Lossless priority that hosts send RDMA in."""
    cnp_priority: int


@dataclass(frozen=True, slots=True)
class Finding:
    """One comparison of a run's counters."""

    subject: str
    """Rail port or switch port."""
    ok: bool | None
    """None: not counted."""
    expected: str
    actual: str


def transport(run: PairRun) -> Iterator[Finding]:
    """Yield whether adapters counted the data as RDMA: in bytes, or in packets where a device does not count bytes."""
    wanted, packets = run.options.payload_bytes, least_packets(run)
    reads = run.options.tool == "ib_read_lat"
    for end, sends in ((run.pair.one, not reads), (run.pair.other, reads)):
        nic = run.nics.get(end)
        direction = "sent" if sends else "received"
        counted = getattr(nic, f"{direction}_bytes") if nic else None
        unit, least = "bytes", wanted
        if counted is None:
            counted, unit, least = getattr(nic, f"{direction}_packets") if nic else None, "packets", packets
        yield _at_least(str(end), counted, least, f"{unit} {direction} as RDMA")


def least_packets(run: PairRun) -> int:
    """Return the fewest packets of a run, in either direction of a read.

    A message shorter than a packet takes a packet of its own, and so does the request of a read.
    """
    mtu = run.measured.mtu_bytes if run.measured and run.measured.mtu_bytes else path_mtu(0)
    return max(run.options.payload_bytes // mtu, run.options.messages * run.options.queue_pairs)


def _at_least(subject: str, counted: int | None, least: int, what: str) -> Finding:
    actual = "not counted" if counted is None else f"{counted} {what}"
    return Finding(subject, None if counted is None else counted >= least, f"at least {least} {what}", actual)


def class_of_traffic(run: PairRun, at: LinkEnd, marking: Marking) -> Iterator[Finding]:
    """Yield whether the last switch port sent a run's packets in the planned queue, and at most a few in others."""
    sent = run.ports[at].class_packets if at in run.ports else {}
    packets = least_packets(run)
    held = sent.get(marking.priority)
    yield _at_least(str(at), held, packets, f"packets in queue {marking.priority}")
    strays = {queue: count for queue, count in sent.items() if queue not in {marking.priority, marking.cnp_priority}}
    most = max(int(packets * STRAY_SHARE), STRAY_PACKETS)
    if sent:
        actual = ", ".join(f"{count} in queue {queue}" for queue, count in strays.items() if count) or "none"
        yield Finding(str(at), sum(strays.values()) <= most, f"at most {most} packets in other queues", actual)


def other_rails(run: PairRun) -> Iterator[Finding]:
    """Yield whether the idle rails of both hosts carried no RDMA."""
    for end in sorted(run.nics):
        nic = run.nics[end]
        if end in run.busy or end.host not in {side.host for side in run.pair}:
            continue
        moved = [count for count in (nic.sent_packets, nic.received_packets) if count is not None]
        most = max(int(run.options.payload_bytes // path_mtu(0) * STRAY_SHARE), STRAY_PACKETS)
        actual = f"{sum(moved)} packets" if moved else "not counted"
        yield Finding(str(end), sum(moved) <= most if moved else None, f"at most {most} packets of RDMA", actual)


def drops(run: PairRun, marking: Marking) -> Iterator[Finding]:
    """Yield whether no lossless packet was dropped by a switch port, by an adapter, or on a cable.

    Software RDMA also retransmits what its own processor acknowledged late: its retransmissions prove no loss.
    """
    for at, counted in run.ports.items():
        yield from _zero_in_queues(str(at), counted.class_drops, marking.lossless, "packets dropped in queue")
    for end in run.pair:
        nic = run.nics.get(end)
        again = nic.sent_again if nic and not run.software else None
        yield _zero(str(end), again, "packets sent again because they were lost")
        if nic and nic.discarded is not None:
            yield _zero(str(end), nic.discarded, "packets that the adapter had no room for")


def pauses(run: PairRun, marking: Marking) -> Iterator[Finding]:
    """Yield whether all pause frames, if any, were on lossless priorities."""
    expected = "pause on lossless priorities only"
    for subject, frames in _pause_frames(run):
        if not frames:
            yield Finding(subject, None, expected, "not counted")
            continue
        others = {priority: count for priority, count in frames.items() if count and priority not in marking.lossless}
        actual = ", ".join(f"{count} on priority {priority}" for priority, count in others.items()) or "none on others"
        yield Finding(subject, not others, expected, actual)


def _pause_frames(run: PairRun) -> Iterator[tuple[str, Mapping[int, int]]]:
    """Yield each port with its pause frames by priority, in either direction; adapters that count none are left out."""
    for at, counted in run.ports.items():
        yield str(at), _frames_either_way(counted.pfc_tx, counted.pfc_rx)
    for end in run.pair:
        frames = _frames_either_way(run.nics[end].pause_sent, run.nics[end].pause_received) if end in run.nics else {}
        if frames:
            yield str(end), frames


def _frames_either_way(sent: Mapping[int, int], received: Mapping[int, int]) -> dict[int, int]:
    return {**sent, **{priority: count for priority, count in received.items() if count or priority not in sent}}


def watchdog(run: PairRun, marking: Marking) -> Iterator[Finding]:
    """Yield whether the PFC watchdog detected no storm in a lossless queue."""
    for at, counted in run.ports.items():
        yield from _zero_in_queues(str(at), counted.watchdog, marking.lossless, "storms found in queue")


def _zero_in_queues(subject: str, counts: Mapping[int, int], queues: frozenset[int], what: str) -> Iterator[Finding]:
    for queue in sorted(queues):
        yield _zero(subject, counts.get(queue), f"{what} {queue}")


def _zero(subject: str, counted: int | None, what: str) -> Finding:
    actual = "not counted" if counted is None else f"{counted} {what}"
    return Finding(subject, None if counted is None else counted == 0, f"0 {what}", actual)


def values(run: PairRun) -> dict[str, str]:
    """Return all counters of a run for the report; counters that do not exist are left out."""
    found: dict[str, str] = {}
    for end in run.pair:
        if end in run.nics:
            found.update(_nic_values(end, run.nics[end]))
    for at, counted in run.ports.items():
        found.update(_port_values(at, counted))
    if run.unread:
        found["not read"] = run.unread
    return found


def _nic_values(end: End, nic: NicCounters) -> Iterator[tuple[str, str]]:
    for name in nic.__struct_fields__:
        value = getattr(nic, name)
        if isinstance(value, Mapping):
            yield from ((f"{end} {name.replace('_', ' ')} {key}", str(count)) for key, count in value.items() if count)
        elif value is not None:
            yield f"{end} {name.replace('_', ' ')}", str(value)


def _port_values(at: LinkEnd, counted: PortCounters) -> Iterator[tuple[str, str]]:
    for name in counted.__struct_fields__[1:]:
        value = getattr(counted, name)
        if isinstance(value, Mapping):
            # Zero drops and storms are the proof; zeros of unused queues are noise.
            reported = (
                value if name in {"class_drops", "watchdog"} else {key: count for key, count in value.items() if count}
            )
            yield from ((f"{at} {name.replace('_', ' ')} {key}", str(count)) for key, count in reported.items())
        elif value is not None:
            yield f"{at} {name.replace('_', ' ')}", str(value)
