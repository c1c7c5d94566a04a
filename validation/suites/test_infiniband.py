"""InfiniBand: port rate, cabling, link errors and subnet managers."""

from rackproof.measure.counters.infiniband import (
    Cable,
    discovered_cables,
    guid_digits,
    port_number,
    subnet_manager,
    switch_guids,
)
from rackproof.measure.remote.commands import command_result
from rackproof.measure.traffic.campaign import Campaign
from rackproof.measure.traffic.pair_runner import Participant
from rackproof.measure.traffic.pairs import End
from rackproof.measure.traffic.rail_ports import RdmaDevice
from validation.expected.fixtures import Fabric, Judge, applies_to, live
from validation.expected.traffic import completed, end_fabric, fabric_runs, run_subject

pytestmark = live

CABLE = "look at the cable and its transceiver: `mlxlink -d <device>` on the host says more"
LIMIT_S = 60.0
"""Of ibnetdiscover: it asks every port of the subnet, thousands in seconds."""


def is_infiniband(fabric: Fabric) -> bool:
    """Return whether a fabric is InfiniBand."""
    return bool(fabric.plan.subnet_managers)


def devices(fabric: Fabric, campaign: Campaign, judge: Judge) -> dict[End, RdmaDevice]:
    """Return the adapters of all rail ports of a fabric; a host that is silent, or a missing adapter, is kept."""
    found: dict[End, RdmaDevice] = {}
    looks = campaign.inventories()
    for end, port in campaign.site.ports.items():
        host = looks[end.host]
        if end_fabric(campaign, end) != fabric.name:
            continue
        if not isinstance(host, Participant):
            judge.error(str(end), host)
        elif port.port not in host.inventory.devices:
            judge.expect(str(end), ok=False, expected="an adapter", actual="none", remedy=CABLE, rail=end.rail)
        else:
            found[end] = host.inventory.devices[port.port]
    return found


@applies_to(is_infiniband)
def test_ports_are_active_at_their_rate(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """Every rail port is active and runs at the planned rate."""
    for end, device in devices(fabric, campaign, judge).items():
        wanted = f"ACTIVE, LinkUp, {campaign.site.ports[end].speed_gbps} Gb/s"
        states = [state.partition(": ")[2] or state for state in (device.state, device.physical_state)]
        actual = f"{', '.join(states)}, {device.rate.partition(' ')[0]} Gb/s"
        judge.expect_equal(
            str(end), expected=wanted, actual=actual, remedy=CABLE, rail=end.rail, values={"rate": device.rate}
        )


@applies_to(is_infiniband)
def test_cables_are_where_the_plan_has_them(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """Every rail port is cabled to the planned switch port, as `ibnetdiscover` shows it."""
    asked = {manager.server: ["ibnetdiscover"] for manager in fabric.plan.subnet_managers if manager.state == "master"}
    played = campaign.run_commands("ibnetdiscover", {host: {"i": argv} for host, argv in asked.items()}, LIMIT_S)
    hanging: dict[str, Cable] = {}
    for host in asked:
        said = command_result(played[host], "i")
        try:
            hanging.update(
                {cable.host: cable for cable in discovered_cables(said if isinstance(said, str) else said.out)}
            )
        except ValueError as error:
            judge.error(
                fabric.name, f"ibnetdiscover on {host}: {said if isinstance(said, str) else said.err.strip() or error}"
            )
            return
    judge_cables(devices(fabric, campaign, judge), hanging, campaign, judge)


def judge_cables(adapters: dict[End, RdmaDevice], hanging: dict[str, Cable], campaign: Campaign, judge: Judge) -> None:
    """Compare the switch of each adapter with the plan.

    A switch is identified by the GUID that most of its planned adapters report.
    """
    ports = campaign.site.ports
    found = {end: hanging.get(guid_digits(device.guid)) for end, device in adapters.items()}
    names = switch_guids({str(end): (ports[end].at.device, cable) for end, cable in found.items() if cable})
    wanted = {(names.get(ports[end].at.device), port_number(ports[end].at.port)): end for end in adapters}
    for end, cable in found.items():
        at = ports[end].at
        place = (cable.switch, cable.port) if cable else None
        right = place == (names.get(at.device), port_number(at.port))
        other = wanted.get(place) if place else None
        actual = f"port {cable.port} of switch {cable.switch}" if cable else "not in the subnet"
        remedy = f"swap the cables of {end} and {other} at the switch" if other and other != end else CABLE
        judge.expect(
            str(end),
            ok=right,
            expected=f"{at}: port {port_number(at.port)} of switch {names.get(at.device, 'unknown')}",
            actual=actual,
            remedy=remedy,
            rail=end.rail,
        )


@applies_to(is_infiniband)
def test_links_stay_without_errors(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """No rail port counts a symbol error, a link recovery or a lost link under full load."""
    for run in fabric_runs(campaign, fabric, judge, "all at once"):
        if not completed(run, judge):
            continue
        errors = {end: run.nics[end].link_errors for end in run.pair if end in run.nics}
        if len(errors) < len(run.pair) or not all(errors.values()):
            judge.error(run_subject(run), run.unread or "its adapters count no link errors")
        for end, counts in errors.items():
            grown = {name: count for name, count in counts.items() if count}
            values = {name: str(count) for name, count in counts.items()}
            judge.expect_equal(str(end), expected={}, actual=grown, remedy=CABLE, rail=end.rail, values=values)


@applies_to(is_infiniband)
def test_subnet_managers_are_in_their_roles(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """One subnet manager is master and one is standby, each on the planned server with the planned priority."""
    asked = {manager.server: {"s": ["sminfo", "-D", "0"]} for manager in fabric.plan.subnet_managers}
    played = campaign.run_commands("sminfo", asked, LIMIT_S)
    for manager in fabric.plan.subnet_managers:
        said = command_result(played[manager.server], "s")
        if isinstance(said, str):
            judge.error(manager.server, f"sminfo: {said}")
            continue
        try:
            actual = "{0.state}, priority {0.priority}".format(subnet_manager(said.out))
        except ValueError as error:
            actual = str(error)
        wanted = f"{manager.state}, priority {manager.priority}"
        remedy = f"start {manager.software} on {manager.server} with priority {manager.priority}"
        judge.expect_equal(manager.server, expected=wanted, actual=actual, remedy=remedy)
