"""Resilience: loss of a redundant part, recovery from a cold start, and hours of full load."""

from collections.abc import Mapping, Sequence
from typing import Final

from rackproof.errors import RackproofError
from rackproof.measure.counters.host_health import FACTS
from rackproof.measure.outage.cold_start import RECOVERY_LIMIT, RESTART_S
from rackproof.measure.outage.device_outage import (
    INTERVAL_S,
    LEG_DOWN_S,
    Watch,
    bond_addresses,
    bond_ports,
    longest_outage_s,
    ping_command,
    ring,
)
from rackproof.measure.outage.selection import lost_leg, lost_switch
from rackproof.measure.outage.storage_loss import (
    RESUME_LIMIT,
    WAIT_LIMIT,
    client_nodes,
    clusters_on,
    lost_node,
    probe_command,
    probe_result,
)
from rackproof.measure.remote.commands import command_result, run_commands, run_commands_during
from rackproof.measure.remote.device_control import port_down_command
from rackproof.measure.remote.runner import HostResult
from rackproof.measure.traffic import storage_load
from rackproof.measure.traffic.campaign import Campaign
from rackproof.measure.traffic.soak import grown_counters
from rackproof.plan.model.plan import StoragePlan
from rackproof.results import Threshold
from validation.expected.cold_start import COLD_START_FILE, cold_start_recoveries
from validation.expected.fixtures import Fabric, Judge, SiteUnderTest, applies_to, disruptive, live
from validation.expected.traffic import completed, has_rails, has_storage_clients, planned_mounts, run_subject

pytestmark = [live, disruptive]

WATCHED_S: Final = 120.0
"""How long others are watched while a device restarts: it goes down within seconds and may come back later."""
OUTAGE: Final = Threshold(
    value=3.0,
    unit="s",
    comparison="at most",
    source="IEEE 802.1AX, Short_Timeout_Time: 3 s until LACP takes a silent link out of a bundle",
    formula="a link that goes down is noticed at once; one that only falls silent, within that time",
    ceiling=INTERVAL_S,
    ceiling_source="interval of the packets that watch",
)
LOST: Final = "check LACP of the bond on both switches, and the state of the other link at that time"
STAYED_AWAY: Final = "read its console; enable services that were started by hand"
NO_HOURS: Final = "no hours were stated (`--soak-hours`), or fewer than two hosts are reachable"
NOT_COLD: Final = "no cold start was asked for (`--cold-start`)"
UNREACHED: Final = "access.yaml names no node of the cluster: add one with a user that may restart it"
ONE_MACHINE: Final = "this lab has one machine for all its nodes (`rackproof lab up --storage-nodes 2` has two)"
CLOCKS_UNTOLD: Final = "not read: AMD's tool reports no reason for a low clock"
CLIENT: Final = "look at the mount on the client (`nfsstat -m`, its kernel log), and at the cluster's own events"

Restarted = tuple[Mapping[str, HostResult], float | None]
"""What came of commands while a device restarted, and after how many seconds it was back."""


def has_bonds(fabric: Fabric) -> bool:
    """Return whether servers have bonds on a fabric with legs on two switches."""
    plan = fabric.site.plan
    return bool(bond_addresses(plan, frozenset(plan.servers), fabric.name))


@applies_to(has_bonds)
def test_a_lost_leg_is_not_missed(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """While one link of a bond is down, the host stays reachable."""
    watched = lost_leg(campaign.site, fabric.name)
    if watched is None:
        judge.skip(fabric.name, "at least two hosts with bonds are needed")
        return
    for leg in bond_ports(fabric.site.plan, watched.other, fabric.name):
        asked = {watched.other: {"leg": port_down_command(leg, LEG_DOWN_S)}}
        asked.setdefault(watched.host, {})["watch"] = ping_command(watched, LEG_DOWN_S + 5)
        played = campaign.run_commands(f"leg {watched.other} {leg}", asked, 4 * LEG_DOWN_S)
        said, pulled = command_result(played[watched.host], "watch"), command_result(played[watched.other], "leg")
        subject = f"{watched.other}:{leg}"
        if isinstance(said, str) or isinstance(pulled, str) or pulled.status:
            why = said if isinstance(said, str) else pulled if isinstance(pulled, str) else pulled.err.strip()
            judge.error(subject, f"the link was not taken down: {why}")
        else:
            judge.expect_within(subject, longest_outage_s(said.out, LEG_DOWN_S + 5), OUTAGE, remedy=LOST)


@applies_to(lambda fabric: has_bonds(fabric) and lost_switch(fabric.site.plan, fabric.name, "leaf") is not None)
def test_a_lost_leaf_is_not_missed(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """While one leaf of a pair restarts, hosts stay reachable, and the leaf recovers."""
    watches = ring(bond_addresses(fabric.site.plan, campaign.site.servers, fabric.name))
    judge_restart(lost_switch(fabric.site.plan, fabric.name, "leaf") or "", watches, campaign, judge)


@applies_to(lambda fabric: has_rails(fabric) and lost_switch(fabric.site.plan, fabric.name, "spine") is not None)
def test_a_lost_spine_is_not_missed(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """While one spine restarts, rails stay reachable, and the spine recovers."""
    ports = campaign.site.ports
    first = min((end.rail for end in ports), default=0)
    on_rail = {
        end.host: port.address for end, port in ports.items() if end.rail == first and port.fabric == fabric.name
    }
    judge_restart(lost_switch(fabric.site.plan, fabric.name, "spine") or "", ring(on_rail), campaign, judge)


def judge_restart(device: str, watches: tuple[Watch, ...], campaign: Campaign, judge: Judge) -> None:
    """Restart a device while hosts watch each other, and hold outages and return against their limits."""
    if not watches:
        judge.skip(device, "at least two hosts that can reach each other are needed")
        return
    asked: dict[str, dict[str, list[str]]] = {}
    for number, watch in enumerate(watches):
        asked.setdefault(watch.host, {})[str(number)] = ping_command(watch, WATCHED_S)
    try:
        played, back = restarted(device, asked, campaign)
    except RackproofError as error:
        judge.error_from(device, error)
        return
    judge_back(device, back, judge)
    for number, watch in enumerate(watches):
        said = command_result(played[watch.host], str(number))
        if isinstance(said, str):
            judge.error(f"{device} lost: {watch}", said)
        else:
            judge.expect_within(f"{device} lost: {watch}", longest_outage_s(said.out, WATCHED_S), OUTAGE, remedy=LOST)


def restarted(device: str, asked: Mapping[str, Mapping[str, Sequence[str]]], campaign: Campaign) -> Restarted:
    """Restart a device while hosts run commands; once in a campaign."""

    async def restart() -> float | None:
        start = await campaign.device_control.restart(device)
        return await campaign.device_control.wait_restarted(device, start, RESTART_S)

    limit_s = WATCHED_S + WAIT_LIMIT.value
    return campaign.run_once(f"restart {device}", lambda: run_commands_during(campaign.runner, asked, limit_s, restart))


def judge_back(device: str, back: float | None, judge: Judge) -> None:
    """Hold after how long a device was back against the limit."""
    if back is None:
        expected, actual = f"back within {RESTART_S:g} s", "not back"
        judge.expect(device, ok=False, expected=expected, actual=actual, remedy=STAYED_AWAY)
    else:
        judge.expect_within(device, round(back, 1), RECOVERY_LIMIT, remedy=STAYED_AWAY)


@applies_to(has_storage_clients)
def test_a_lost_storage_node_is_not_missed(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """While a storage node restarts, clients of other nodes continue; its own clients continue once it is back."""
    evidence, reached = fabric.site.evidence, fabric.site.access.access.devices
    for cluster in clusters_on(fabric.site.plan, fabric.name):
        here = [name for name in cluster.nodes if name not in evidence.absent]
        node = lost_node(cluster, [name for name in here if name in reached])
        if len(cluster.nodes) == 1:
            judge.skip(cluster.name, "the plan has one node only: its loss cannot be covered")
        elif len(here) == 1:
            judge.skip(cluster.name, ONE_MACHINE)
        elif node is None:
            judge.skip(cluster.name, UNREACHED)
        else:
            judge_node(cluster, node, fabric, campaign, judge)


def judge_node(cluster: StoragePlan, node: str, fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """Restart a storage node, and hold what its clients and others see against their limits."""
    there = {name: own for name, own in planned_mounts(fabric).items() if name in campaign.site.servers}
    clients = client_nodes(cluster, there)
    others = [client for client, own in clients.items() if own not in {node, *fabric.site.evidence.absent}]
    if not others:
        judge.skip(cluster.name, f"no reachable client mounts from a node other than {node}")
        return
    asked = {
        host: {path: probe_command(path, WATCHED_S) for name, path in others if name == host} for host, _ in others
    }
    try:
        played, back = restarted(node, asked, campaign)
    except RackproofError as error:
        judge.error_from(node, error)
        return
    judge_back(node, back, judge)
    for host, path in others:
        judge_wait(f"{node} lost: {host}:{path}", played[host], path, judge)
    if back is not None:
        judge_own(node, [client for client, own in clients.items() if own == node], campaign, judge)


def judge_wait(subject: str, played: HostResult, path: str, judge: Judge) -> None:
    """Hold how long a client of another node waited against the limit."""
    said = probe_result(played, path)
    if played.error:
        judge.error(subject, played.error)
    elif isinstance(said, str):
        judge.expect(subject, ok=False, expected=f"answers, {WAIT_LIMIT}", actual=said, remedy=CLIENT)
    elif not said.same:
        expected, actual = "it reads what it wrote", "it read other data"
        judge.expect(subject, ok=False, expected=expected, actual=actual, remedy=CLIENT)
    else:
        values = {"writes and reads": str(said.answers)}
        judge.expect_within(subject, round(said.longest_s, 2), WAIT_LIMIT, remedy=CLIENT, values=values)


def judge_own(node: str, clients: Sequence[tuple[str, str]], campaign: Campaign, judge: Judge) -> None:
    """Hold how soon clients of a node that is back write and read again against the limit."""
    asked = {host: {path: storage_load.write_read_command(path, rehearsal=True)} for host, path in clients}
    played = campaign.run_once(f"back {node}", lambda: run_commands(campaign.runner, asked, RESUME_LIMIT.value))
    for host, path in clients:
        subject, said = f"{node} back: {host}:{path}", storage_load.load_result(played[host], path)
        if played[host].error:
            judge.error(subject, played[host].error)
        elif isinstance(said, str) or not said.same:
            actual = said if isinstance(said, str) else "it read other data"
            judge.expect(subject, ok=False, expected="it writes and reads again", actual=actual, remedy=CLIENT)
        else:
            judge.expect_within(subject, round(played[host].results[path].took_s, 1), RESUME_LIMIT, remedy=CLIENT)


@applies_to(has_rails)
def test_rails_stay_well_for_hours(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """Under full load for the stated hours, no rail drops a packet, flaps or counts an error."""
    runs = [run for run in campaign.soak().runs if campaign.site.ports[run.pair.one].fabric == fabric.name]
    if not runs:
        judge.skip(fabric.name, NO_HOURS)
    for run in runs:
        if completed(run, judge):
            remedy = "look at the cable and its transceiver, and at the log of both ends at that time"
            judge.expect_equal(run_subject(run), expected={}, actual=grown_counters(run), remedy=remedy)


@applies_to(has_rails)
def test_hosts_stay_well_for_hours(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """Under full load for the stated hours, no host restarts, loses a link, throttles or logs an error."""
    healths = campaign.soak().healths
    hosts = sorted({end.host for end, port in campaign.site.ports.items() if port.fabric == fabric.name} & set(healths))
    if not hosts:
        judge.skip(fabric.name, NO_HOURS)
    for host in hosts:
        for fact in FACTS:
            judge.add_evidence(fabric.site.evidence.kind(host, fact.name))
        if healths[host].error:
            judge.error(host, healths[host].error)
            continue
        remedy = "look at the host's log at that time; drain it until the cause is known"
        values = {"looks": f"{healths[host].readings} of {healths[host].attempts}"}
        values.update({"clocks": CLOCKS_UNTOLD} if campaign.site.accelerators.get(host) == "amd" else {})
        judge.expect_equal(host, expected={}, actual=healths[host].degradations(), remedy=remedy, values=values)


def test_everything_starts_by_itself(site: SiteUnderTest, judge: Judge) -> None:
    """After a cold start of all switches and servers, every device recovers by itself.

    All other results of the run come from after the cold start.
    """
    recoveries = cold_start_recoveries(site.run)
    if recoveries is None:
        judge.skip(site.plan.site, NOT_COLD)
        return
    judge.add_evidence("real", COLD_START_FILE)
    for device, back in recoveries.items():
        if back.error:
            judge.error(device, back.error)
            continue
        judge_back(device, back.seconds, judge)
        if device in site.plan.switches:
            remedy = "look at the ports and the BGP session at both ends"
            judge.expect_equal(f"{device}: lost neighbours", expected=(), actual=back.lost, remedy=remedy)
