"""What live suites share: the campaign on a site, and how its runs become results."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final
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
from rackproof.results import Threshold
from validation.expected.fixtures import Fabric, Judge, SiteUnderTest

SOFTWARE: Final = "software does RDMA here: that it passes and how it is counted is proven, its speed is the machine's"
ADAPTER: Final = "an adapter does RDMA"
NOT_COUNTED: Final = "nothing in this lab counts it"
LINK: Final = "look at the two cables and ports of the pair: `rackproof validate <site>` says which link checks failed"
SENDERS: Final = "it takes three hosts on one rail of a leaf"
TWO_HOSTS: Final = "it takes two hosts with rails"


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
    servers = fabric.site.plan.servers.values()
    ports = (port for server in servers for port in server.ports.values())
    return any(port.fabric == fabric.name and port.rail is not None and port.switch for port in ports)


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
    found = [
        run
        for kind in kinds
        for run in _logged(campaign, fabric, judge, kind)
        if end_fabric(campaign, run.pair.one) == fabric.name
    ]
    if not found:
        needed = SENDERS if "incast" in kinds else TWO_HOSTS
        judge.skip(fabric.name, f"no pair to run {' or '.join(kinds)}: {needed}")
    return tuple(found)


def end_fabric(campaign: Campaign, end: End) -> str:
    """Return the fabric of a rail port."""
    return campaign.site.ports[end].fabric


def _logged(campaign: Campaign, fabric: Fabric, judge: Judge, kind: Kind) -> tuple[PairRun, ...]:
    """Return the runs of a kind; what they printed is in the run's folder."""
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
    """Note which read-outs of switches the results rest on: in a lab some of them are computed."""
    for subject in subjects:
        judge.add_evidence(fabric.site.evidence.kind("", subject))


def run_subject(run: PairRun) -> str:
    """Return what a run is about, in a line that no other run of the site has."""
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


_TOLD: Final[WeakKeyDictionary[Judge, set[str]]] = WeakKeyDictionary()
"""Judge to the troubles that it has kept: a port without RDMA is in every pair that it should be in."""


def completed(run: PairRun, judge: Judge) -> bool:
    """Return whether a run measured something; what went wrong is kept, once for all runs that it kept from running."""
    told = _TOLD.setdefault(judge, set())
    if run.failure and run.error in told:
        return False
    told.add(run.error)
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
    """Hold what runs measured against a threshold; where software does RDMA, a lab proves no speed, a site is wrong."""
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
            actual = "software does it"
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
    """Hold what was counted in runs against what the coupled gate asks for; one result a run."""
    for run in runs:
        if not completed(run, judge):
            continue
        found = tuple(findings(run))
        known = [finding for finding in found if finding.ok is not None]
        unknown = [finding for finding in found if finding.ok is None]
        if not found:
            judge.skip(run_subject(run), "nothing in this run could show it")
        elif unknown and (run.unread or not campaign.site.rehearsal) and all(finding.ok for finding in known):
            why = run.unread or "; ".join(f"{finding.subject}: {finding.expected}" for finding in unknown)
            judge.error(run_subject(run), f"not counted: {why}")
        elif not known:
            judge.skip(run_subject(run), NOT_COUNTED)
        else:
            _keep(run, judge, known, remedy)


def _keep(run: PairRun, judge: Judge, known: list[Finding], remedy: str) -> None:
    wrong = [finding for finding in known if not finding.ok] or known
    judge.expect(
        run_subject(run),
        ok=all(finding.ok for finding in known),
        expected="; ".join(f"{finding.subject}: {finding.expected}" for finding in wrong),
        actual="; ".join(f"{finding.subject}: {finding.actual}" for finding in wrong),
        remedy=remedy,
        rail=run_rail(run),
        values=values(run),
    )
