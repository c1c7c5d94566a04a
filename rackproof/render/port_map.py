"""The port map: every port of every switch, used or free, and what is at its other end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from rackproof.plan.model.port_names import port_keys
from rackproof.render.csv_text import csv_lines
from rackproof.render.ranges import compress

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rackproof.hardware.load import Catalogue
    from rackproof.plan.model.plan import Link, LinkEnd, Plan, PortIntent, SwitchPlan

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

FREE: Final = ("free", *[None] * 8)


class PanelPort(NamedTuple):
    """A port of a front panel."""

    name: str
    """As the switch's NOS names it."""
    key: str
    breakout: str | None
    """How it, or the port it is a part of, is split."""


Peers = dict[tuple[str, str], tuple["LinkEnd", "Link"]]


def ports_csv(plan: Plan, catalogue: Catalogue) -> Iterator[bytes]:
    """Yield the port map: one line a port, in front panel order; a free port has only its name."""
    peers: Peers = {}
    for link in plan.links:
        peers[link.a.device, link.a.port] = (link.b, link)
        peers[link.b.device, link.b.port] = (link.a, link)
    return csv_lines(COLUMNS, _rows(plan, catalogue, peers))


def _rows(plan: Plan, catalogue: Catalogue, peers: Peers) -> Iterator[tuple[object, ...]]:
    """Yield the ports of every switch; switches that are split alike have the same names."""
    alike: dict[tuple[str, str, tuple[tuple[str, str], ...]], tuple[PanelPort, ...]] = {}
    for switch in plan.switches.values():
        kind = (switch.nos, switch.model, tuple(switch.breakouts.items()))
        if kind not in alike:
            alike[kind] = _front_panel(switch, catalogue)
        yield from _switch_rows(switch, alike[kind], peers)


def _front_panel(switch: SwitchPlan, catalogue: Catalogue) -> tuple[PanelPort, ...]:
    """Return the ports of a switch in front panel order."""
    names = port_keys(catalogue.nos(switch.nos), catalogue.switch(switch.model), switch.breakouts)
    return tuple(PanelPort(name, key, switch.breakouts.get(key.partition("/")[0])) for name, key in names.items())


def _switch_rows(switch: SwitchPlan, panel: tuple[PanelPort, ...], peers: Peers) -> Iterator[tuple[object, ...]]:
    """Yield the ports of one switch."""
    ports = switch.intent.ports if switch.intent is not None else {}
    for name, key, breakout in panel:
        port, peer = ports.get(key), peers.get((switch.name, name))
        used = _used(port) if port else _plugged(*peer) if peer else FREE
        yield (switch.name, name, used[0], breakout, *used[1:], *_peer(peer))


def _used(port: PortIntent) -> tuple[object, ...]:
    """Return what a port is used for."""
    return (
        port.description,
        port.speed_gbps,
        port.fec,
        port.mtu_bytes,
        port.vlan,
        compress(port.tagged_vlans) if port.tagged_vlans else None,
        port.address,
        port.port_channel,
        port.lossless,
    )


def _plugged(end: LinkEnd, link: Link) -> tuple[object, ...]:
    """Return what a port of an unconfigured switch is used for."""
    return (f"{end.device} {end.port}", link.speed_gbps, *[None] * 7)


def _peer(peer: tuple[LinkEnd, Link] | None) -> tuple[object, ...]:
    """Return the other end of a port's cable."""
    if peer is None:
        return (None, None, None, None)
    end, link = peer
    return (end.device, end.port, link.assembly, link.leg)
