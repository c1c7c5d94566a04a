"""Confirmation: whether a switch that was changed still is where it was in the network, and what is not up yet."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from rackproof.deploy.switch.cabling_check import contradictions
from rackproof.deploy.switch.job import SwitchTask
from rackproof.deploy.switch.operational_state import OperationalState
from rackproof.plan.model.plan import SwitchIntent
from rackproof.plan.model.port_names import nos_port_name
from rackproof.plural import counted, listed

MOST_NAMES: Final = 4
"""Neighbours that are named before it is enough."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one look around tells."""

    lost: tuple[str, ...]
    """What was up before and is down, or leads to a confirmed switch and is down."""
    contradicting: tuple[str, ...]
    """Cables that are not where the plan has them."""
    pending: tuple[str, ...]
    """What leads to a switch that is not deployed yet."""
    notes: tuple[str, ...]
    """What is not up and fails nothing: servers that are off, networks that are not ours."""


def verdict(
    task: SwitchTask, intent: SwitchIntent, before: OperationalState, now: OperationalState, confirmed: Iterable[str]
) -> Verdict:
    """Return what a look around tells about a switch that now runs ``intent``.

    Parameters
    ----------
    task
        The switch.
    intent
        What it runs now.
    before, now
        What it saw before it was changed, and what it sees.
    confirmed
        Switches that are deployed and confirmed.
    """
    used = used_ports(task, intent)
    inside, outside = used_sessions(task, intent)
    deployed = set(confirmed)
    to_switches = {port: there for port, there in task.neighbours.items() if there.is_switch and port in used}
    down = {port: there for port, there in to_switches.items() if not now.up(port)}
    lost = [
        *(f"{port} was up" for port in used if before.up(port) and not now.up(port)),
        *lost_neighbours(before, now, used),
        *lost_sessions(before, now, inside | outside),
        *(f"{port} to {there.device} {there.port}" for port, there in down.items() if there.device in deployed),
    ]
    if intent.lldp:
        lost += (
            f"{port} does not hear {there.device}"
            for port, there in to_switches.items()
            if there.device in deployed and port not in down and port not in now.neighbours
        )
    pending = [f"{port} to {there.device} {there.port}" for port, there in down.items() if there.device not in deployed]
    pending += [f"BGP session with {name}" for name in waiting_sessions(now, inside)]
    hosts = ((port, there) for port, there in task.neighbours.items() if not there.is_switch and port in used)
    notes = [f"{there.device} {there.port} on {port} is not up yet" for port, there in hosts if not now.up(port)]
    notes += kept_places(now, outside)
    wrong = contradictions(now.neighbours, task.neighbours, task.site_devices)
    return Verdict(tuple(lost), wrong, tuple(pending), tuple(notes))


def lost_neighbours(before: OperationalState, now: OperationalState, used: frozenset[str]) -> Iterator[str]:
    """Yield the LLDP neighbours that ports still in use have lost."""
    for port, heard in before.neighbours.items():
        if port in used and heard.device and port not in now.neighbours:
            yield f"{port} heard {heard.device}"


def lost_sessions(before: OperationalState, now: OperationalState, sessions: frozenset[str]) -> Iterator[str]:
    """Yield the BGP sessions still wanted that were established and are not."""
    for name, session in before.sessions.items():
        after = now.sessions.get(name)
        if session.established and name in sessions and not (after and after.established):
            yield f"BGP session with {name} was established"


def waiting_sessions(now: OperationalState, sessions: frozenset[str]) -> Iterator[str]:
    """Yield the neighbours whose wanted BGP session is not established."""
    for name in sorted(sessions):
        session = now.sessions.get(name)
        if session is None or not session.established:
            yield name


def kept_places(now: OperationalState, outside: frozenset[str]) -> Iterator[str]:
    """Yield a sentence on the sessions that nobody waits for, where there are any: often dozens on a spine."""
    names = tuple(waiting_sessions(now, outside))
    if names:
        where = "to outside the site, or to a place kept for a switch"
        yield f"{counted(len(names), 'BGP session')} {where}, not up yet: {listed(names, MOST_NAMES)}"


def used_ports(task: SwitchTask, intent: SwitchIntent) -> frozenset[str]:
    """Return the names of the ports an intent uses."""
    return frozenset(nos_port_name(task.nos, task.model, key, intent.breakouts) for key in intent.ports)


def used_sessions(task: SwitchTask, intent: SwitchIntent) -> tuple[frozenset[str], frozenset[str]]:
    """Return the BGP neighbours an intent has, as the NOS names them: inside the site, and outside.

    A neighbour inside the site is one whose ASN is left open, or one that carries EVPN. One over a port without a
    planned cable is a switch the site has kept a place for, or a network that is not ours: nobody waits for it.
    """
    neighbours = intent.bgp.neighbors if intent.bgp else {}
    names = {
        key if "." in key else nos_port_name(task.nos, task.model, key, intent.breakouts): neighbour
        for key, neighbour in neighbours.items()
    }
    inside = frozenset(
        name
        for name, one in names.items()
        if (one.remote_asn is None or one.internal or one.evpn) and ("." in name or name in task.neighbours)
    )
    return inside, frozenset(names) - inside
