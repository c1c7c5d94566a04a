"""The coupled gate: what has to be true of the counters of a run, besides its result.

A rail that reaches its bandwidth may do so over TCP, over another rail, in a class that drops, or because the PFC
watchdog throws packets away. Each finding is held against the counters of exactly the adapters and switch ports of the
run.
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
"""What may be elsewhere of what a run sends, a share of it: the first words over TCP, LLDP, ARP, BGP."""
STRAY_PACKETS: Final = 200
"""What they may be of a short run: 67 were counted in one of 6,800 packets on a busy lab. A run that goes the wrong way
is all of it, and the shortest has a thousand."""


@dataclass(frozen=True, slots=True)
class Marking:
    """How a fabric treats RDMA, as planned."""

    dscp: int
    lossless: frozenset[int]
    """Priorities with PFC; queues have the same numbers."""
    priority: int
    """The one that hosts send RDMA in."""
    cnp_priority: int


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that counters say of a run."""

    subject: str
    """Rail port, or switch port."""
    ok: bool | None
    """None: nobody counts it."""
    expected: str
    actual: str


def transport(run: PairRun) -> Iterator[Finding]:
    """Yield whether adapters count as RDMA what was sent: bytes, or packets where a device does not count bytes."""
    wanted, packets = run.options.payload_bytes, least_packets(run)
    reads = run.options.tool == "ib_read_lat"
    for end, sends in ((run.pair.one, not reads), (run.pair.other, reads)):
        nic = run.nics.get(end)
        way = "sent" if sends else "received"
        counted = getattr(nic, f"{way}_bytes") if nic else None
        unit, least = "bytes", wanted
        if counted is None:
            counted, unit, least = getattr(nic, f"{way}_packets") if nic else None, "packets", packets
        yield _at_least(str(end), counted, least, f"{unit} {way} as RDMA")


def least_packets(run: PairRun) -> int:
    """Return how many packets a run takes at least, in either direction of a read.

    A message that is shorter than a packet is a packet of its own, and so is the request of a read.
    """
    mtu = run.measured.mtu_bytes if run.measured and run.measured.mtu_bytes else path_mtu(0)
    return max(run.options.payload_bytes // mtu, run.options.messages * run.options.queue_pairs)


def _at_least(subject: str, counted: int | None, least: int, what: str) -> Finding:
    actual = "not counted" if counted is None else f"{counted} {what}"
    return Finding(subject, None if counted is None else counted >= least, f"at least {least} {what}", actual)


def class_of_traffic(run: PairRun, at: LinkEnd, marking: Marking) -> Iterator[Finding]:
    """Yield whether the last switch port sent a run's packets in the planned queue, and next to nothing in others."""
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
    """Yield whether the rails of both hosts that had nothing to do were silent."""
    for end in sorted(run.nics):
        nic = run.nics[end]
        if end in run.busy or end.host not in {side.host for side in run.pair}:
            continue
        moved = [count for count in (nic.sent_packets, nic.received_packets) if count is not None]
        most = max(int(run.options.payload_bytes // path_mtu(0) * STRAY_SHARE), STRAY_PACKETS)
        actual = f"{sum(moved)} packets" if moved else "not counted"
        yield Finding(str(end), sum(moved) <= most if moved else None, f"at most {most} packets of RDMA", actual)


def drops(run: PairRun, marking: Marking) -> Iterator[Finding]:
    """Yield whether no lossless packet was dropped: by a switch port, by an adapter, or on the way.

    Software that does RDMA also sends again what its own processor acknowledged late: it is no witness of a loss.
    """
    for at, counted in run.ports.items():
        yield from _none_of(str(at), counted.class_drops, marking.lossless, "packets dropped in queue")
    for end in run.pair:
        nic = run.nics.get(end)
        again = nic.sent_again if nic and not run.software else None
        yield _zero(str(end), again, "packets sent again because they were lost")
        if nic and nic.discarded is not None:
            yield _zero(str(end), nic.discarded, "packets that the adapter had no room for")


def pauses(run: PairRun, marking: Marking) -> Iterator[Finding]:
    """Yield whether pause frames were on lossless priorities only; that there were none is well too."""
    for subject, sent, received in _paused(run):
        if not sent and not received:
            yield Finding(subject, None, "pause on lossless priorities only", "not counted")
            continue
        others = {
            priority: count
            for counts in (sent, received)
            for priority, count in counts.items()
            if count and priority not in marking.lossless
        }
        actual = ", ".join(f"{count} on priority {priority}" for priority, count in others.items()) or "none on others"
        yield Finding(subject, not others, "pause on lossless priorities only", actual)


def _paused(run: PairRun) -> Iterator[tuple[str, Mapping[int, int], Mapping[int, int]]]:
    for at, counted in run.ports.items():
        yield str(at), counted.pfc_tx, counted.pfc_rx
    for end in run.pair:
        if end in run.nics and (run.nics[end].pause_sent or run.nics[end].pause_received):
            yield str(end), run.nics[end].pause_sent, run.nics[end].pause_received


def watchdog(run: PairRun, marking: Marking) -> Iterator[Finding]:
    """Yield whether the PFC watchdog took no lossless queue for stuck."""
    for at, counted in run.ports.items():
        yield from _none_of(str(at), counted.watchdog, marking.lossless, "storms found in queue")


def _none_of(subject: str, counts: Mapping[int, int], queues: frozenset[int], what: str) -> Iterator[Finding]:
    for queue in sorted(queues):
        yield _zero(subject, counts.get(queue), f"{what} {queue}")


def _zero(subject: str, counted: int | None, what: str) -> Finding:
    actual = "not counted" if counted is None else f"{counted} {what}"
    return Finding(subject, None if counted is None else counted == 0, f"0 {what}", actual)


def values(run: PairRun) -> dict[str, str]:
    """Return all that was counted in a run, for the report; what nobody counts is left out."""
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
            # Zeros of what may not be are the proof; zeros of what was not used are noise.
            shown = (
                value if name in {"class_drops", "watchdog"} else {key: count for key, count in value.items() if count}
            )
            yield from ((f"{at} {name.replace('_', ' ')} {key}", str(count)) for key, count in shown.items())
        elif value is not None:
            yield f"{at} {name.replace('_', ' ')}", str(value)
