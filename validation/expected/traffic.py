"""What live suites share: the campaign on a site, and how its runs become results."""

from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import chain
from typing import Final, Literal
from weakref import WeakKeyDictionary

from rackproof.measure.counters.host_health import SshHealthReader
from rackproof.measure.counters.port_counters import SshSwitchReader
from rackproof.measure.outage.storage_loss import clusters_on
from rackproof.measure.remote.device_control import SshDeviceControl
from rackproof.measure.remote.runner import SshRunner
from rackproof.measure.traffic.campaign import Campaign
from rackproof.measure.traffic.coupled_gate import Finding, Marking, values
from rackproof.measure.traffic.pairs import End
from rackproof.measure.traffic.participants import TrafficSite, rdma_marking
from rackproof.measure.traffic.results import PairRun
from rackproof.measure.traffic.schedule import Kind
from rackproof.paths import RUN_LOGS
from rackproof.plan.model.host import Mount
from rackproof.plan.model.plan import HostPort
from rackproof.results import Threshold
from validation.expected.fixtures import Fabric, Judge, SiteUnderTest

SOFTWARE: Final = "software RDMA: the transport and the counters are proven, the rate is that of the machine"
ADAPTER: Final = "RDMA in the adapter"
NOT_COUNTED: Final = "this lab has no counter for it"
LINK: Final = "look at the two cables and ports of the pair: `rackproof validate <site>` says which link checks failed"
FindingsOutcome = Literal["no finding", "compared", "not counted", "no counter"]
"""How the findings of a run are judged."""
SKIP_REASONS: Final[dict[FindingsOutcome, str]] = {
    "no finding": "this run has no counter for it",
    "no counter": NOT_COUNTED,
}
SENDERS: Final = "at least three hosts on one rail of a leaf are needed"
TWO_HOSTS: Final = "at least two hosts with rails are needed"


def traffic_site(site: SiteUnderTest) -> TrafficSite:
    """Return the part of a site that can be sent over."""
    servers = frozenset(site.plan.servers) - frozenset(site.evidence.absent)
    vendors = {name: site.planned.catalogue.server(site.plan.servers[name].model).gpus.vendor for name in servers}
    accelerators = {name: vendor for name, vendor in vendors.items() if vendor != "none"}
    return TrafficSite(site.plan, servers, site.evidence.rehearsal, accelerators)


def site_campaign(site: SiteUnderTest, soak_hours: float) -> Campaign:
    """Return the campaign on a site; nothing runs before a check asks for it."""
    live, target = traffic_site(site), site.access.target
    return Campaign(
        live,
        SshRunner(target),
        SshSwitchReader(target, live.nos()),
        SshDeviceControl(target),
        SshHealthReader(target),
        soak_hours,
    )


def has_rails(fabric: Fabric) -> bool:
    """Return whether servers have rails on a fabric whose switches are the site's own."""
    return any(port.switch for port in planned_rail_ports(fabric))


def planned_rail_ports(fabric: Fabric) -> list[HostPort]:
    """Return the rail ports of all servers on a fabric."""
    ports = chain.from_iterable(server.ports.values() for server in fabric.site.plan.servers.values())
    return [port for port in ports if port.fabric == fabric.name and port.rail is not None]


def has_storage_clients(fabric: Fabric) -> bool:
    """Return whether servers mount file systems over a fabric."""
    return any(clusters_on(fabric.site.plan, fabric.name)) and bool(planned_mounts(fabric))


def planned_mounts(fabric: Fabric) -> dict[str, tuple[Mount, ...]]:
    """Return server to what it mounts."""
    site = fabric.site
    found = {name: site.intent(name).mounts for name in site.plan.servers}
    return {name: own for name, own in found.items() if own}


def has_lossless_rails(fabric: Fabric) -> bool:
    """Return whether servers have rails on a fabric that carries RoCE."""
    return fabric.plan.roce is not None and has_rails(fabric)


def lossless_marking(fabric: Fabric) -> Marking:
    """Return how a fabric that carries RoCE treats RDMA."""
    found = rdma_marking(fabric.plan)
    if found is None:
        raise AssertionError(f"{fabric.name} carries no RoCE")
    return found


def fabric_runs(campaign: Campaign, fabric: Fabric, judge: Judge, *kinds: Kind) -> tuple[PairRun, ...]:
    """Return the runs of some kinds on a fabric; with none there, that is kept as skipped."""
    runs = chain.from_iterable(_logged(campaign, fabric, judge, kind) for kind in kinds)
    found = [run for run in runs if end_fabric(campaign, run.pair.one) == fabric.name]
    if not found:
        needed = SENDERS if "incast" in kinds else TWO_HOSTS
        judge.skip(fabric.name, f"no pair to run {' or '.join(kinds)}: {needed}")
    return tuple(found)


def end_fabric(campaign: Campaign, end: End) -> str:
    """Return the fabric of a rail port."""
    return campaign.site.ports[end].fabric


def _logged(campaign: Campaign, fabric: Fabric, judge: Judge, kind: Kind) -> tuple[PairRun, ...]:
    """Return the runs of a kind, and write their output to the run's folder."""
    runs = campaign.runs(kind)
    log = fabric.site.log_folder / f"rdma-{kind.replace(' ', '-')}.txt"
    if not log.exists():
        log.write_text("\n".join(_log_text(run) for run in runs), encoding="utf-8")
    evidence = fabric.site.evidence
    judge.add_evidence(evidence.kind("", "rdma-run"), f"{RUN_LOGS}/{log.name}")
    return runs


def _log_text(run: PairRun) -> str:
    commands = "".join(f"$ {command}\n" for command in run.commands)
    return f"=== {run_subject(run)}\n{commands}{run.log}{run.error}\n"


def add_switch_evidence(fabric: Fabric, judge: Judge, *subjects: str) -> None:
    """Add the read-outs of switches to the evidence of the results: a lab computes some of them."""
    for subject in subjects:
        judge.add_evidence(fabric.site.evidence.kind("", subject))


def run_subject(run: PairRun) -> str:
    """Return how results name a run; no other run of the site has the same name."""
    words = [str(run.pair)]
    words += [run.options.tool] if run.options.tool != "ib_write_bw" else []
    words += ["both ways"] if run.options.both_ways else []
    words += ["from accelerator memory"] if run.accelerators else []
    words += ["alone"] if run.alone else []
    words += ["together with all others"] if run.all_rails_busy else []
    return " ".join(words)


def run_rail(run: PairRun) -> int | None:
    """Return the rail of a run; None: it crosses rails."""
    return run.pair.one.rail if run.pair.one.rail == run.pair.other.rail else None


_REPORTED: Final[WeakKeyDictionary[Judge, set[str]]] = WeakKeyDictionary()
"""Judge to the errors that it has a result for: a port without RDMA breaks every pair that it is part of."""


def completed(run: PairRun, judge: Judge) -> bool:
    """Return whether a run was measured; an error becomes one result, however many runs it prevented."""
    reported = _REPORTED.setdefault(judge, set())
    if run.failure and run.error in reported:
        return False
    reported.add(run.error)
    if run.failure == "unknown":
        judge.error(run_subject(run), run.error)
    elif run.failure == "unable":
        judge.skip(run_subject(run), run.error)
    elif run.failure == "site":
        expected = f"{run.options.tool} from {run.pair.one} to {run.pair.other}"
        judge.expect(run_subject(run), ok=False, expected=expected, actual=run.error, remedy=LINK, rail=run_rail(run))
    return not run.failure


def judge_speed(
    runs: Iterable[PairRun], judge: Judge, campaign: Campaign, threshold: Callable[[PairRun], Threshold], remedy: str
) -> None:
    """Compare measured values with a threshold; software RDMA is skipped in a lab, and fails on a site."""
    for run in runs:
        if not completed(run, judge) or run.measured is None:
            continue
        if not run.software:
            judge.expect_within(
                run_subject(run),
                run.measured.average,
                threshold(run),
                remedy=remedy,
                rail=run_rail(run),
                values=_measured_values(run),
            )
        elif campaign.site.rehearsal:
            judge.skip(run_subject(run), SOFTWARE)
        else:
            actual = "software RDMA"
            judge.expect(
                run_subject(run), ok=False, expected=ADAPTER, actual=actual, remedy="load the adapter's driver"
            )


def _measured_values(run: PairRun) -> dict[str, str]:
    measured, unit = run.measured, "us" if run.options.tool == "ib_read_lat" else "Gb/s"
    if measured is None:
        return {}
    found = {"best": f"{measured.best:g} {unit}", "messages": str(measured.messages)}
    if measured.percentile_99 is not None:
        found["99th percentile"] = f"{measured.percentile_99:g} {unit}"
    return {**found, "path MTU": f"{measured.mtu_bytes} bytes", "GID index": str(measured.gid_index)}


def judge_findings(
    runs: Iterable[PairRun],
    judge: Judge,
    campaign: Campaign,
    findings: Callable[[PairRun], Iterator[Finding]],
    remedy: str,
) -> None:
    """Compare the counters of each run with what the coupled gate expects; one result a run."""
    for run in runs:
        if completed(run, judge):
            found = tuple(findings(run))
            outcome = _findings_outcome(found, must_count=bool(run.unread) or not campaign.site.rehearsal)
            if outcome == "compared":
                _add_compared(run, judge, found, remedy)
            elif outcome == "not counted":
                judge.error(run_subject(run), f"not counted: {run.unread or _uncounted_text(found)}")
            else:
                judge.skip(run_subject(run), SKIP_REASONS[outcome])


def _findings_outcome(findings: Collection[Finding], *, must_count: bool) -> FindingsOutcome:
    """Return how the findings of a run are judged: the first line of the table that applies.

    Parameters
    ----------
    findings
        What the run's counters say; those with ``ok`` None were not counted.
    must_count
        Whether a counter that was not read is an error: on a real site, and where reading failed.
    """
    states = {finding.ok for finding in findings}
    table: tuple[tuple[bool, FindingsOutcome], ...] = (
        (not states, "no finding"),
        (False in states, "compared"),
        (None in states and must_count, "not counted"),
        (True not in states, "no counter"),
        (True, "compared"),
    )
    return next(outcome for applies, outcome in table if applies)


def _uncounted_text(findings: Iterable[Finding]) -> str:
    """Return what was to be counted and was not, on one line."""
    return "; ".join(f"{finding.subject}: {finding.expected}" for finding in findings if finding.ok is None)


def _add_compared(run: PairRun, judge: Judge, findings: Collection[Finding], remedy: str) -> None:
    """Add the result of a run whose counters were read: the wrong ones are named, or all where none is wrong."""
    counted = [finding for finding in findings if finding.ok is not None]
    named = [finding for finding in counted if not finding.ok] or counted
    judge.expect(
        run_subject(run),
        ok=all(finding.ok for finding in counted),
        expected="; ".join(f"{finding.subject}: {finding.expected}" for finding in named),
        actual="; ".join(f"{finding.subject}: {finding.actual}" for finding in named),
        remedy=remedy,
        rail=run_rail(run),
        values=values(run),
    )
