"""Incast: ECN slows many senders to one receiver down, and no lossless packet is dropped."""

from collections.abc import Iterator
from dataclasses import replace

from rackproof.measure.traffic import coupled_gate
from rackproof.measure.traffic.campaign import Campaign
from rackproof.measure.traffic.coupled_gate import Finding
from rackproof.measure.traffic.pairs import End
from rackproof.measure.traffic.results import PairRun
from validation.expected.fixtures import Fabric, Judge, applies_to, live
from validation.expected.traffic import (
    SOFTWARE,
    add_switch_evidence,
    completed,
    fabric_runs,
    has_lossless_rails,
    judge_findings,
    lossless_marking,
)

pytestmark = live

ECN = "compare the ECN thresholds of the leaf and DCQCN of both hosts with the plan: `rackproof diff <site>` shows both"


@applies_to(has_lossless_rails)
def test_congestion_is_marked_and_answered(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """The congested port marks packets (ECN), the receiver sends CNPs, and the senders receive them."""
    add_switch_evidence(fabric, judge, "traffic")
    for run in together(campaign, fabric, judge):
        if run.software and campaign.site.rehearsal:
            judge.skip(str(run.pair.other), SOFTWARE)
        else:
            judge_findings([run], judge, campaign, lambda one: marked_and_answered(one, campaign), ECN)


@applies_to(has_lossless_rails)
def test_incast_pauses_the_lossless_priority_alone(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """During an incast, pause frames are sent for lossless priorities only."""
    add_switch_evidence(fabric, judge, "pauses")
    marking = lossless_marking(fabric)
    runs = together(campaign, fabric, judge)
    judge_findings(
        runs, judge, campaign, lambda run: coupled_gate.pauses(run, marking), "compare PFC of both ends with the plan"
    )


@applies_to(has_lossless_rails)
def test_incast_loses_no_lossless_packet(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """During an incast, no port drops a lossless packet and no adapter retransmits."""
    add_switch_evidence(fabric, judge, "traffic")
    marking = lossless_marking(fabric)
    remedy = "compare headroom, cable length and PFC of the senders' ports with the plan"
    judge_findings(
        together(campaign, fabric, judge), judge, campaign, lambda run: coupled_gate.drops(run, marking), remedy
    )


@applies_to(has_lossless_rails)
def test_incast_does_not_alarm_the_pfc_watchdog(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """During an incast, the PFC watchdog reports no lossless queue as stuck."""
    add_switch_evidence(fabric, judge, "pauses")
    marking = lossless_marking(fabric)
    remedy = "the receiver pauses for too long: check its PCIe link and its memory"
    judge_findings(
        together(campaign, fabric, judge), judge, campaign, lambda run: coupled_gate.watchdog(run, marking), remedy
    )


def together(campaign: Campaign, fabric: Fabric, judge: Judge) -> list[PairRun]:
    """Return one run a receiver, with the counters of all its senders."""
    found: dict[End, PairRun] = {}
    for run in fabric_runs(campaign, fabric, judge, "incast"):
        if completed(run, judge):
            seen = found.setdefault(run.pair.other, run)
            found[run.pair.other] = replace(seen, nics={**seen.nics, **run.nics}, ports={**seen.ports, **run.ports})
    return list(found.values())


def marked_and_answered(run: PairRun, campaign: Campaign) -> Iterator[Finding]:
    """Yield whether marks were set, came in, were answered, and the answers arrived."""
    receiver = run.pair.other
    at = campaign.site.ports[receiver].at
    yield _some(str(at), run.ports[at].ecn_marked if at in run.ports else None, "packets marked on the way out")
    nic = run.nics.get(receiver)
    yield _some(str(receiver), nic.ecn_marked if nic else None, "packets that came with a mark")
    yield _some(str(receiver), nic.cnp_sent if nic else None, "CNPs sent")
    senders = [run.nics[end] for end in run.busy if end != receiver and end in run.nics]
    counts = [nic.cnp_received for nic in senders if nic.cnp_received is not None]
    yield _some(f"senders to {receiver}", sum(counts) if counts else None, "CNPs taken")


def _some(subject: str, counted: int | None, what: str) -> Finding:
    actual = "not counted" if counted is None else f"{counted} {what}"
    return Finding(subject, None if counted is None else counted > 0, f"some {what}", actual)
