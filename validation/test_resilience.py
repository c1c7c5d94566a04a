"""Resilience: what is there twice may be lost once, everything comes back by itself, and stays well for hours."""

import asyncio
from collections.abc import Mapping
from typing import Final

from rackproof.deploy.live.ask import ask, outcome_of
from rackproof.deploy.live.campaign import Campaign
from rackproof.deploy.live.hands import Hands, pulled_leg
from rackproof.deploy.live.outage import INTERVAL_S, Watch, bonds, legs_of, longest_outage_s, ring, watch_words
from rackproof.deploy.live.soak import grown_in
from rackproof.errors import RackproofError
from rackproof.plan.models import SwitchRole
from rackproof.results import Threshold
from validation.fixtures import Fabric, Judge, applies_to, disruptive, live
from validation.live import came_through, has_rails, subject_of

pytestmark = [live, disruptive]

PULLED_S: Final = 10.0
"""How long a leg is down: several times what a bond takes to notice."""
RESTART_S: Final = 900.0
"""Until a device that was restarted answers again; assumed: servers with much memory take ten minutes to start."""
WATCHED_S: Final = 120.0
"""How long others are watched while a switch restarts: it goes down within seconds and may come back later."""
OUTAGE: Final = Threshold(
    value=3.0,
    unit="s",
    comparison="at most",
    source="IEEE 802.1AX, Short_Timeout_Time: 3 s until LACP takes a silent link out of a bundle",
    formula="a link that goes down is noticed at once; one that only falls silent, within that time",
    ceiling=INTERVAL_S,
    ceiling_source="interval of the packets that watch",
)
BACK: Final = Threshold(
    value=RESTART_S,
    unit="s",
    comparison="at most",
    source="assumed: a server with two terabytes of memory takes about ten minutes to start",
    formula="half as much again",
)
LOST: Final = "look at LACP of the bond on both switches, and at what the other leg was doing meanwhile"
STAYED_AWAY: Final = "look at its console; what starts by hand only is to be enabled"


def has_bonds(fabric: Fabric) -> bool:
    """Return whether servers have bonds on a fabric with legs on two switches."""
    plan = fabric.site.plan
    return bool(bonds(plan, frozenset(plan.servers), fabric.name))


def pairs_of(fabric: Fabric, role: SwitchRole) -> tuple[str, ...]:
    """Return the members of the first redundancy group of a role that has several, and that can be restarted."""
    plan = fabric.site.plan
    for members in plan.redundancy_groups.values():
        of_role = [name for name in members if name in plan.switches and plan.switches[name].role == role]
        ours = [name for name in of_role if plan.switches[name].fabric == fabric.name and plan.switches[name].intent]
        if len(ours) > 1:
            return tuple(ours)
    return ()


@applies_to(has_bonds)
def test_a_lost_leg_is_not_missed(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """While one leg of a bond is down, other hosts keep reaching the host."""
    watches = ring(bonds(fabric.site.plan, campaign.site.servers, fabric.name))
    if not watches:
        judge.skip(fabric.name, "it takes two hosts with bonds")
        return
    watched = watches[0]
    for leg in legs_of(fabric.site.plan, watched.other, fabric.name):
        asked = {watched.other: {"leg": pulled_leg(leg, PULLED_S)}}
        asked.setdefault(watched.host, {})["watch"] = watch_words(watched, PULLED_S + 5)
        played = campaign.asked(f"leg {watched.other} {leg}", asked, 4 * PULLED_S)
        said, pulled = outcome_of(played[watched.host], "watch"), outcome_of(played[watched.other], "leg")
        subject = f"{watched.other}:{leg}"
        if isinstance(said, str) or isinstance(pulled, str) or pulled.status:
            why = said if isinstance(said, str) else pulled if isinstance(pulled, str) else pulled.err.strip()
            judge.error(subject, f"the leg was not pulled: {why}")
        else:
            judge.within(subject, longest_outage_s(said.out, PULLED_S + 5), OUTAGE, remedy=LOST)


@applies_to(lambda fabric: has_bonds(fabric) and bool(pairs_of(fabric, "leaf")))
def test_a_lost_leaf_is_not_missed(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """While one leaf of a pair restarts, hosts keep reaching each other over the other one, and it comes back."""
    watches = ring(bonds(fabric.site.plan, campaign.site.servers, fabric.name))
    judge_restart(pairs_of(fabric, "leaf")[0], watches, campaign, judge)


@applies_to(lambda fabric: has_rails(fabric) and bool(pairs_of(fabric, "spine")))
def test_a_lost_spine_is_not_missed(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """While one spine restarts, rails keep reaching each other over the others, and it comes back."""
    ports = campaign.site.ports
    first = min((end.rail for end in ports), default=0)
    on_rail = {
        end.host: port.address for end, port in ports.items() if end.rail == first and port.fabric == fabric.name
    }
    judge_restart(pairs_of(fabric, "spine")[0], ring(on_rail), campaign, judge)


def judge_restart(device: str, watches: tuple[Watch, ...], campaign: Campaign, judge: Judge) -> None:
    """Restart a device while hosts watch each other, and hold outages and return against their limits."""
    if not watches:
        judge.skip(device, "it takes two hosts that can watch each other")
        return

    async def restarted() -> tuple[Mapping[Watch, float | str], float | None]:
        asked: dict[str, dict[str, list[str]]] = {}
        for number, watch in enumerate(watches):
            asked.setdefault(watch.host, {})[str(number)] = watch_words(watch, WATCHED_S)
        watching = asyncio.create_task(ask(campaign.theatre, asked, WATCHED_S + 30))
        try:
            await campaign.hands.restart(device)
            back = await campaign.hands.back(device, RESTART_S)
            played = await watching
        finally:
            watching.cancel()
        said = {watch: outcome_of(played[watch.host], str(number)) for number, watch in enumerate(watches)}
        outages = {
            watch: one if isinstance(one, str) else longest_outage_s(one.out, WATCHED_S) for watch, one in said.items()
        }
        return outages, back

    try:
        outages, back = campaign.once(f"restart {device}", restarted)
    except RackproofError as error:
        judge.failed_with(device, error)
        return
    judge_back(device, back, judge)
    for watch, outage in outages.items():
        if isinstance(outage, str):
            judge.error(f"{device} lost: {watch}", outage)
        else:
            judge.within(f"{device} lost: {watch}", outage, OUTAGE, remedy=LOST)


def judge_back(device: str, back: float | None, judge: Judge) -> None:
    """Hold after how long a device was back against the limit."""
    if back is None:
        expected, actual = f"back within {RESTART_S:g} s", "not back"
        judge.holds(device, ok=False, expected=expected, actual=actual, remedy=STAYED_AWAY)
    else:
        judge.within(device, round(back, 1), BACK, remedy=STAYED_AWAY)


@applies_to(has_rails)
def test_rails_stay_well_for_hours(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """With all rails busy for the stated hours, nothing is lost, flaps, or is counted as an error."""
    runs = [run for run in campaign.soak() if campaign.site.ports[run.pair.one].fabric == fabric.name]
    if not runs:
        judge.skip(fabric.name, "no hours were stated (`--soak-hours`), or it takes two hosts")
    for run in runs:
        if came_through(run, judge):
            remedy = "look at the cable and its transceiver, and at the log of both ends at that time"
            judge.equal(subject_of(run), expected={}, actual=grown_in(run), remedy=remedy)


@applies_to(has_rails)
def test_everything_starts_by_itself(fabric: Fabric, campaign: Campaign, judge: Judge) -> None:
    """After all hosts and switches of the rails have restarted at once, they answer, and every rail carries RDMA."""
    used = {port.at.device for end, port in campaign.site.ports.items() if port.fabric == fabric.name}
    switches = sorted(used & set(campaign.site.nos()))
    hosts = sorted({end.host for end, port in campaign.site.ports.items() if port.fabric == fabric.name})
    backs = campaign.once(f"cold start {fabric.name}", lambda: restarted_all(campaign.hands, (*switches, *hosts)))
    for device, back in backs.items():
        if isinstance(back, str):
            judge.error(device, back)
        else:
            judge_back(device, back, judge)
    if all(isinstance(back, float) for back in backs.values()):
        for run in campaign.again("one way"):
            judge.holds(
                subject_of(run), ok=not run.trouble, expected="it carries RDMA", actual=run.error or "it carries RDMA",
                remedy="bring-up has to hold over a restart: `rackproof diff <site>` shows what did not",
            )  # fmt: skip


async def restarted_all(hands: Hands, devices: tuple[str, ...]) -> dict[str, float | str | None]:
    """Restart devices at once and return after how many seconds each was back."""

    async def one(device: str) -> float | str | None:
        try:
            await hands.restart(device)
        except RackproofError as error:
            return error.message
        return await hands.back(device, RESTART_S)

    return dict(zip(devices, await asyncio.gather(*map(one, devices)), strict=True))
