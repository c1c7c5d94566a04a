"""RDMA: every rail carries RDMA at the required speed, in the lossless class, alone and with all others.

Pairs are scheduled so that no two of them share a port (`rackproof.measure.traffic.pairs` states the rule); every run
is read together with the counters of exactly its adapters and switch ports.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Final

from rackproof.measure.traffic import coupled_gate, thresholds
from rackproof.measure.traffic.campaign import Campaign
from rackproof.measure.traffic.coupled_gate import Finding
from rackproof.measure.traffic.participants import TrafficSite
from rackproof.measure.traffic.perftest import QUEUE_PAIRS
from rackproof.measure.traffic.results import PairRun
from rackproof.measure.traffic.schedule import Kind
from rackproof.results import Threshold
from validation.expected.fixtures import Fabric, Judge, applies_to, live, requirements
from validation.expected.traffic import (
    TWO_HOSTS,
    add_switch_evidence,
    completed,
    end_fabric,
    fabric_runs,
    has_lossless_rails,
    has_rails,
    judge_findings,
    judge_speed,
    lossless_marking,
    planned_rail_ports,
)

pytestmark = live

ONE_RAIL: Final[tuple[Kind, ...]] = ("one way", "back", "both ways", "latency")
GATED: Final[tuple[Kind, ...]] = (*ONE_RAIL, "across rails", "all at once")
SLOW: Final = "compare both hosts' PCIe width, MTU and FEC with the other pairs', and read the counters of this run"
MARKS: Final = (
    "compare trust, DSCP map and ToS of both hosts with the plan: `rackproof up <site> --only <host>` sets them"
)


def has_several_rails(fabric: Fabric) -> bool:
    """Return whether a server has more than one rail on a fabric."""
    return has_rails(fabric) and len(_rails(fabric)) > 1


def _rails(fabric: Fabric) -> set[int]:
    return {port.rail for port in planned_rail_ports(fabric) if port.rail is not None}


def joins_rails(fabric: Fabric) -> bool:
    """Return whether some two rails of a fabric reach each other by the plan."""
    return has_several_rails(fabric) and any(joined for joined in _joints(fabric))


def parts_rails(fabric: Fabric) -> bool:
    """Return whether some two rails of a fabric must not reach each other by the plan."""
    return has_several_rails(fabric) and not all(joined for joined in _joints(fabric))


def _joints(fabric: Fabric) -> Iterator[bool]:
    """Yield of every two rails of a fabric whether their switches are joined."""
    site = TrafficSite(fabric.site.plan, frozenset(fabric.site.plan.servers), rehearsal=False, accelerators={})
    switches: dict[int, set[str]] = {}
    for end, port in site.ports.items():
        if port.fabric == fabric.name:
            switches.setdefault(end.rail, set()).add(site.islands[port.at.device])
    for one, other in combinations(switches.values(), 2):
        yield bool(one & other)


def has_rails_of_accelerators(fabric: Fabric) -> bool:
    """Return whether rails of a fabric lead to servers with accelerators."""
    servers, catalogue = fabric.site.plan.servers.values(), fabric.site.planned.catalogue
    return has_rails(fabric) and any(
        catalogue.server(server.model).gpus.count and any(port.fabric == fabric.name for port in server.ports.values())
        for server in servers
    )


@applies_to(has_rails)
@requirements("BMAAS06")
def test_every_rail_carries_rdma_both_ways(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """Every pair of hosts on a rail exchanges RDMA writes in both directions, counted as RDMA by the adapters."""
    runs = fabric_runs(campaign, fabric, judge, *ONE_RAIL)
    remedy = "check the adapter's RDMA device and its RoCE v2 GID: `rackproof up <site>` sets both up"
    judge_findings(runs, judge, campaign, coupled_gate.transport, remedy)


@applies_to(has_rails)
def test_writes_reach_the_floor(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """RDMA writes of every pair on a rail reach the required rate, in each direction."""
    judge_speed(fabric_runs(campaign, fabric, judge, "one way", "back"), judge, campaign, _one_way(campaign), SLOW)


@applies_to(has_rails)
def test_writes_both_ways_at_once_reach_the_floor(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """RDMA writes of every pair on a rail reach the required rate in both directions at the same time."""

    def floor(run: PairRun) -> Threshold:
        return thresholds.both_ways_floor(*_slowest(campaign, run))

    judge_speed(fabric_runs(campaign, fabric, judge, "both ways"), judge, campaign, floor, SLOW)


@applies_to(has_rails)
def test_reads_answer_in_time(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """The latency of a small RDMA read between every pair on a rail is within the published limit."""
    runs = fabric_runs(campaign, fabric, judge, "latency")
    remedy = "check the C-states of the processors, and pause frames and ECN marks in the counters of this run"
    judge_speed(runs, judge, campaign, lambda _: thresholds.read_latency_limit(), remedy)


@applies_to(has_rails_of_accelerators)
def test_writes_from_accelerator_memory_reach_the_floor(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """RDMA writes from GPU memory to GPU memory reach the required rate on every rail."""

    def floor(run: PairRun) -> Threshold:
        return thresholds.accelerator_floor(*_slowest(campaign, run))

    remedy = "look for peer memory (nvidia-peermem or DMA-BUF), ACS, and the PCIe way between adapter and accelerator"
    judge_speed(fabric_runs(campaign, fabric, judge, "accelerators"), judge, campaign, floor, remedy)


@applies_to(has_lossless_rails)
def test_rdma_stays_in_the_lossless_class(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """RDMA traffic leaves every switch port in the planned lossless queue.

    Other queues may carry next to nothing.
    """
    add_switch_evidence(fabric, judge, "traffic")
    marking = lossless_marking(fabric)

    def findings(run: PairRun) -> Iterator[Finding]:
        return coupled_gate.class_of_traffic(run, campaign.site.ports[run.pair.other].at, marking)

    judge_findings(fabric_runs(campaign, fabric, judge, *GATED), judge, campaign, findings, MARKS)


@applies_to(has_several_rails)
def test_rdma_stays_on_its_rail(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """Traffic of one rail stays on that rail.

    One rail of two hosts is busy, and all their other rails must carry nothing.
    """
    remedy = "compare cabling and routing of both hosts with the plan: `rackproof discover <site>` shows what is where"
    judge_findings(fabric_runs(campaign, fabric, judge, "alone"), judge, campaign, coupled_gate.other_rails, remedy)


@applies_to(has_lossless_rails)
def test_no_lossless_packet_is_dropped(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """No switch port and no adapter drops a lossless packet."""
    add_switch_evidence(fabric, judge, "traffic")
    marking = lossless_marking(fabric)
    remedy = (
        "compare headroom, cable length and PFC of both ends of the port that dropped; a bad cable shows in its FEC"
    )
    runs = fabric_runs(campaign, fabric, judge, *GATED)
    judge_findings(runs, judge, campaign, lambda run: coupled_gate.drops(run, marking), remedy)


@applies_to(has_lossless_rails)
def test_only_the_lossless_priority_is_paused(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """Pause frames are sent for lossless priorities only."""
    add_switch_evidence(fabric, judge, "pauses")
    marking = lossless_marking(fabric)
    runs = fabric_runs(campaign, fabric, judge, *GATED)
    judge_findings(runs, judge, campaign, lambda run: coupled_gate.pauses(run, marking), MARKS)


@applies_to(has_lossless_rails)
def test_the_pfc_watchdog_stays_quiet(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """The PFC watchdog reports no lossless queue as stuck."""
    add_switch_evidence(fabric, judge, "pauses")
    marking = lossless_marking(fabric)
    remedy = "the host pauses for too long: check its PCIe link and its memory"
    runs = fabric_runs(campaign, fabric, judge, *GATED)
    judge_findings(runs, judge, campaign, lambda run: coupled_gate.watchdog(run, marking), remedy)


@applies_to(joins_rails)
@requirements("BMAAS06")
def test_joined_rails_reach_each_other(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """Rails that the plan connects exchange RDMA traffic."""
    remedy = "look at gateways and routes of the two rails: the checks of `underlay` name those that are missing"
    judge_findings(
        fabric_runs(campaign, fabric, judge, "across rails"), judge, campaign, coupled_gate.transport, remedy
    )


@applies_to(parts_rails)
def test_parted_rails_do_not_reach_each_other(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """Rails that the plan separates do not reach each other.

    Each rail must reach its own hosts at the same time: otherwise its silence proves nothing.
    """
    reached = {
        pair: found for pair, found in campaign.reachability().items() if end_fabric(campaign, pair.one) == fabric.name
    }
    control = {pair.one for pair, found in reached.items() if found is True and pair.one.rail == pair.other.rail}
    parted = [pair for pair in reached if not campaign.site.joined(*pair)]
    for pair in parted:
        found = reached[pair]
        if isinstance(found, str):
            judge.error(str(pair), found)
        elif pair.one not in control and not found:
            judge.error(str(pair), f"{pair.one} does not reach its own rail either, so this proves nothing")
        else:
            actual = "an answer" if found else "no answer"
            remedy = "find what connects the two rails: a cable between their switches, or a route through a host"
            judge.expect(str(pair), ok=not found, expected="no answer", actual=actual, remedy=remedy)
    if not parted:
        judge.skip(fabric.name, TWO_HOSTS)


@applies_to(has_rails)
def test_all_rails_at_once_reach_the_bisection(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """All rails of all hosts together reach the required bisection bandwidth."""
    runs = fabric_runs(campaign, fabric, judge, "all at once")
    sound = [run for run in runs if completed(run, judge) and run.measured is not None]
    if not sound or len(sound) < len(runs):
        return
    if any(run.software for run in sound):
        judge_speed(sound[:1], judge, campaign, lambda _: _bisection(fabric, campaign, sound), SLOW)
        return
    shares = {str(run.pair): f"{run.measured.average:g} Gb/s" for run in sound if run.measured}
    total = sum(run.measured.average for run in sound if run.measured)
    remedy = "the values name the share of every pair: check uplinks that are down, and the ECMP hash"
    judge.expect_within(fabric.name, total, _bisection(fabric, campaign, sound), remedy=remedy, values=shares)


def _bisection(fabric: Fabric, campaign: Campaign, runs: Sequence[PairRun]) -> Threshold:
    site, trunks = campaign.site, campaign.site.trunks(fabric.name)
    ends = [site.ports[end] for run in runs for end in run.pair]
    flows = Counter(port.at.device for port in ends)
    leaf, busiest = max(flows.items(), key=lambda one: one[1])
    return thresholds.bisection_floor(
        sum(port.speed_gbps for port in ends),
        min(port.mtu_bytes for port in ends),
        fabric.plan.oversubscription,
        busiest * QUEUE_PAIRS,
        trunks.get(leaf, 1),
        spread=site.spreads_packets(fabric.name),
    )


def _one_way(campaign: Campaign) -> Callable[[PairRun], Threshold]:
    return lambda run: thresholds.write_floor(*_slowest(campaign, run))


def _slowest(campaign: Campaign, run: PairRun) -> tuple[int, int]:
    """Return the smaller speed and MTU of a pair's ports."""
    ports = [campaign.site.ports[end] for end in run.pair]
    return min(port.speed_gbps for port in ports), min(port.mtu_bytes for port in ports)
