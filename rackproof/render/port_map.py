"""The port map: every port of every switch, used or free, and what is at its other end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rackproof.plan.ports import port_keys
from rackproof.render.csv_text import csv_lines
from rackproof.render.ranges import compress

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rackproof.hardware.load import Catalogue
    from rackproof.plan.models import Link, LinkEnd, Plan, PortIntent, SwitchPlan

COLUMNS = (
    "switch",
    "port",
    "use",
    "breakout",
    "speed_gbps",
    "fec",
    "mtu_bytes",
    "vlan",
    "tagged_vlans",
    "address",
    "port_channel",
    "lossless",
    "peer_device",
    "peer_port",
    "assembly",
    "leg",
)

Peers = dict[tuple[str, str], tuple["LinkEnd", "Link"]]


def ports_csv(plan: Plan, catalogue: Catalogue) -> Iterator[bytes]:
    """Yield the port map: one line a port, in front panel order; a free port has only its name."""
    peers: Peers = {}
    for link in plan.links:
        peers[link.a.device, link.a.port] = (link.b, link)
        peers[link.b.device, link.b.port] = (link.a, link)
    rows = (row for switch in plan.switches.values() for row in _switch_rows(switch, catalogue, peers))
    return csv_lines(COLUMNS, rows)


def _switch_rows(switch: SwitchPlan, catalogue: Catalogue, peers: Peers) -> Iterator[tuple[object, ...]]:
    """Yield the ports of one switch."""
    ports = switch.intent.ports if switch.intent is not None else {}
    names = port_keys(catalogue.nos(switch.nos), catalogue.switch(switch.model), switch.breakouts)
    for name, key in names.items():
        breakout = switch.breakouts.get(key.partition("/")[0])
        port, peer = ports.get(key), peers.get((switch.name, name))
        used = _used(port) if port else _plugged(*peer) if peer else ("free", *[None] * 8)
        yield (switch.name, name, used[0], breakout, *used[1:], *_peer(peer))


def _used(port: PortIntent) -> tuple[object, ...]:
    """Return what a port is used for."""
    return (
        port.description,
        port.speed_gbps,
        port.fec,
        port.mtu_bytes,
        port.vlan,
        compress(port.tagged_vlans) or None,
        port.address,
        port.port_channel,
        port.lossless,
    )


def _plugged(end: LinkEnd, link: Link) -> tuple[object, ...]:
    """Return what a port is used for that nobody configures."""
    return (f"{end.device} {end.port}", link.speed_gbps, *[None] * 7)


def _peer(peer: tuple[LinkEnd, Link] | None) -> tuple[object, ...]:
    """Return the other end of a port's cable."""
    if peer is None:
        return (None, None, None, None)
    end, link = peer
    return (end.device, end.port, link.assembly, link.leg)
