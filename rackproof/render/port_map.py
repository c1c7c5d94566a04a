"""The port map: every port of every switch, used or free, and what is at its other end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rackproof.plan.ports import port_keys
from rackproof.render.csv_text import csv_text
from rackproof.render.ranges import compress

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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


def ports_csv(plan: Plan, catalogue: Catalogue) -> str:
    """Return the port map: one line a port, in front panel order; a free port has only its name."""
    peers: Peers = {}
    for link in plan.links:
        peers[link.a.device, link.a.port] = (link.b, link)
        peers[link.b.device, link.b.port] = (link.a, link)
    rows = (row for switch in plan.switches.values() for row in _switch_rows(switch, catalogue, peers))
    return csv_text(COLUMNS, rows)


def _switch_rows(switch: SwitchPlan, catalogue: Catalogue, peers: Peers) -> Iterator[tuple[object, ...]]:
    """Yield the ports of one switch."""
    intent = switch.intent
    names = port_keys(catalogue.nos(switch.nos), catalogue.switch(switch.model), intent.breakouts)
    for name, key in names.items():
        breakout = intent.breakouts.get(key.partition("/")[0])
        port = intent.ports.get(key)
        used = _used(port) if port else ("free", *[None] * 8)
        yield (switch.name, name, used[0], breakout, *used[1:], *_peer(peers, switch.name, name))


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


def _peer(peers: Mapping[tuple[str, str], tuple[LinkEnd, Link]], switch: str, port: str) -> tuple[object, ...]:
    """Return the other end of a port's cable."""
    if (switch, port) not in peers:
        return (None, None, None, None)
    end, link = peers[switch, port]
    return (end.device, end.port, link.assembly, link.leg)
