"""Confirmation: whether a changed switch kept its links and sessions, and what is not up yet."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from rackproof.deploy.switch.cabling_check import contradictions
from rackproof.deploy.switch.job import SwitchTask
from rackproof.deploy.switch.operational_state import OperationalState, PlannedNeighbour
from rackproof.plan.model.plan import SwitchIntent
from rackproof.plan.model.port_names import nos_port_name
from rackproof.plural import counted, listed

MOST_NAMES: Final = 4
"""BGP neighbours that a note names; more are counted."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Operational state of a changed switch, compared with before the change and with the plan."""

    lost: tuple[str, ...]
    """What was up before the change, or leads to a confirmed switch, and is down."""
    contradicting: tuple[str, ...]
    """Cables that contradict the plan."""
    pending: tuple[str, ...]
    """Links and sessions to switches that are not deployed yet."""
    notes: tuple[str, ...]
    """What is down and fails nothing: servers that are off, networks outside the site."""


def verdict(
    task: SwitchTask,
    intent: SwitchIntent,
    before: OperationalState,
    now: OperationalState,
    confirmed: Iterable[str],
) -> Verdict:
    """Return the verdict on a switch that now runs ``intent``.

    Parameters
    ----------
    task
        The switch.
    intent
        The intent that it runs now.
    before, now
        Its operational state before the change, and now.
    confirmed
        Switches that are deployed and confirmed.
    """
    used = used_ports(task, intent)
    inside, outside = used_sessions(task, intent)
    deployed = set(confirmed)
    peers = {port: peer for port, peer in task.neighbours.items() if port in used}
    to_switches = {port: peer for port, peer in peers.items() if peer.is_switch}
    to_deployed = {port: peer for port, peer in to_switches.items() if peer.device in deployed}
    to_others = {port: peer for port, peer in to_switches.items() if peer.device not in deployed}
    lost = [
        *(f"{port} was up" for port in used if before.up(port) and not now.up(port)),
        *lost_neighbours(before, now, used),
        *lost_sessions(before, now, inside | outside),
        *links_down(now, to_deployed),
        *(silent_peers(now, to_deployed) if intent.lldp else ()),
    ]
    pending = [
        *links_down(now, to_others),
        *(f"BGP session with {name}" for name in waiting_sessions(now, inside)),
    ]
    notes = [
        *(f"{peer.device} {peer.port} on {port} is not up yet" for port, peer in hosts_down(now, peers)),
        *reserved_sessions(now, outside),
    ]
    wrong = contradictions(now.neighbours, task.neighbours, task.site_devices)
    return Verdict(tuple(lost), wrong, tuple(pending), tuple(notes))


def links_down(now: OperationalState, peers: Mapping[str, PlannedNeighbour]) -> Iterator[str]:
    """Yield the ports that are down, with their peer ends."""
    for port, peer in peers.items():
        if not now.up(port):
            yield f"{port} to {peer.device} {peer.port}"


def silent_peers(now: OperationalState, peers: Mapping[str, PlannedNeighbour]) -> Iterator[str]:
    """Yield the ports that are up without an LLDP neighbour."""
    for port, peer in peers.items():
        if now.up(port) and port not in now.neighbours:
            yield f"{port} receives no LLDP from {peer.device}"


def hosts_down(now: OperationalState, peers: Mapping[str, PlannedNeighbour]) -> Iterator[tuple[str, PlannedNeighbour]]:
    """Yield the ports to hosts that are down, with their peer ends."""
    for port, peer in peers.items():
        if not peer.is_switch and not now.up(port):
            yield port, peer


def lost_neighbours(before: OperationalState, now: OperationalState, used: frozenset[str]) -> Iterator[str]:
    """Yield the LLDP neighbours that ports still in use have lost."""
    for port, heard in before.neighbours.items():
        if port in used and heard.device and port not in now.neighbours:
            yield f"{port} heard {heard.device}"


def lost_sessions(before: OperationalState, now: OperationalState, sessions: frozenset[str]) -> Iterator[str]:
    """Yield the intended BGP sessions that were established before and are not now."""
    for name, session in before.sessions.items():
        after = now.sessions.get(name)
        if session.established and name in sessions and not (after and after.established):
            yield f"BGP session with {name} was established"


def waiting_sessions(now: OperationalState, sessions: frozenset[str]) -> Iterator[str]:
    """Yield the neighbours whose intended BGP session is not established."""
    for name in sorted(sessions):
        session = now.sessions.get(name)
        if session is None or not session.established:
            yield name


def reserved_sessions(now: OperationalState, outside: frozenset[str]) -> Iterator[str]:
    """Yield one sentence on the sessions that the confirmation does not wait for: often dozens on a spine."""
    names = tuple(waiting_sessions(now, outside))
    if names:
        where = "to outside the site, or to a position reserved for a switch"
        yield f"{counted(len(names), 'BGP session')} {where}, not up yet: {listed(names, MOST_NAMES)}"


def used_ports(task: SwitchTask, intent: SwitchIntent) -> frozenset[str]:
    """Return the NOS names of the ports that an intent uses."""
    return frozenset(nos_port_name(task.nos, task.model, key, intent.breakouts) for key in intent.ports)


def used_sessions(task: SwitchTask, intent: SwitchIntent) -> tuple[frozenset[str], frozenset[str]]:
    """Return the BGP neighbours of an intent, as the NOS names them: inside the site, and outside.

    A neighbour inside the site has no fixed ASN, or carries EVPN. A neighbour over a port without a planned cable is a
    switch for which the site reserves a position, or another network: the confirmation does not wait for it.
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
