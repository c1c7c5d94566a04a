"""Optics: optical power, temperature and error rate before FEC."""

from typing import Final

from rackproof.measure.counters.optics import module_readings
from rackproof.measure.remote.commands import command_result
from rackproof.measure.traffic.campaign import Campaign
from rackproof.results import Threshold
from validation.expected.fixtures import Fabric, Judge, applies_to, live
from validation.expected.traffic import NOT_COUNTED, completed, end_fabric, fabric_runs, has_rails, run_subject

pytestmark = live

LIMIT_S: Final = 20.0
CLEAN: Final = "inspect and clean both ends of the fibre; then swap the module with one that passes"
BEFORE_CORRECTION: Final = Threshold(
    value=2.4e-4,
    unit="errors per bit",
    comparison="at most",
    source="IEEE 802.3bs: error rate before correction that Reed-Solomon (544,514) makes good",
    ceiling=0.0,
    ceiling_source="a link without errors",
)


def has_optics(fabric: Fabric) -> bool:
    """Return whether rails of a fabric are plugged in with optics at the servers."""
    return bool(optical_ports(fabric))


def optical_ports(fabric: Fabric) -> frozenset[tuple[str, str]]:
    """Return the servers' ports on a fabric that hold an optic by the plan."""
    plan = fabric.site.plan
    optical = {leg for assembly in plan.assemblies if assembly.leg_transceiver for leg in assembly.legs}
    links = (link for link in plan.links if link.fabric == fabric.name and link.kind == "rail")
    return frozenset((link.b.device, link.b.port) for link in links if link.b in optical)


@applies_to(has_optics)
def test_modules_do_not_warn(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """Optical power and temperature of every module of a rail are within the module's own thresholds."""
    ports = [one for one in sorted(optical_ports(fabric)) if one[0] in campaign.site.servers]
    asked: dict[str, dict[str, list[str]]] = {}
    for host, port in ports:
        asked.setdefault(host, {})[port] = ["ethtool", "-m", port]
    played = campaign.run_commands(f"optics {fabric.name}", asked, LIMIT_S)
    for host, port in ports:
        said = command_result(played[host], port)
        judge_module(f"{host}:{port}", said if isinstance(said, str) else said.out or said.err, campaign, judge)
    if not ports:
        judge.skip(fabric.name, "no server with optics is reachable")


def judge_module(subject: str, text: str, campaign: Campaign, judge: Judge) -> None:
    """Hold what a module measures against its own thresholds."""
    try:
        readings = module_readings(text)
    except ValueError as error:
        judge.error(subject, str(error))
        return
    if not readings and campaign.site.rehearsal:
        judge.skip(subject, "a lab has no optics")
    elif not readings:
        judge.error(subject, f"the module measures nothing: {text.strip().partition(chr(10))[0]}", "is it an optic?")
    for one in readings:
        judge.expect(
            f"{subject} {one.what}",
            ok=one.within_thresholds,
            expected=f"{one.least:g} to {one.most:g} {one.unit}",
            actual=f"{one.value:g} {one.unit}",
            remedy=CLEAN,
        )


@applies_to(has_rails)
def test_errors_before_correction_are_few(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """Under full load, the error rate before FEC is within the limit of IEEE 802.3 on every rail port."""
    for run in fabric_runs(campaign, fabric, judge, "all at once"):
        if not completed(run, judge):
            continue
        for end in run.pair:
            rate = run.nics[end].corrected_share if end in run.nics else None
            if rate is not None:
                judge.expect_within(f"{end}", rate, BEFORE_CORRECTION, remedy=CLEAN, rail=end.rail)
            elif campaign.site.rehearsal:
                judge.skip(f"{end}", NOT_COUNTED)
            else:
                judge.error(
                    run_subject(run), f"{end} on {end_fabric(campaign, end)} reports no count of corrected bits"
                )
