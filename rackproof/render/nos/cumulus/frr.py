"""The FRR configuration that NVUE makes of an intent: the proof of its routing, and what labs with FRR itself run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rackproof.render.nos.cumulus.interfaces import OWN_DF_PREFERENCE
from rackproof.render.nos.cumulus.names import natural
from rackproof.render.nos.cumulus.peers import PeerGroup, peer_groups
from rackproof.render.nos.cumulus.ports import PortNames, port_names
from rackproof.render.nos.cumulus.routing import crosses_asns
from rackproof.render.templating import render_template

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rackproof.hardware.models import NosModel, SwitchModel
    from rackproof.plan.model.plan import BgpIntent, BgpNeighborIntent, SwitchIntent, VrfIntent


@dataclass(frozen=True, slots=True)
class SegmentBlock:
    """The Ethernet segment of a bond."""

    name: str
    number: int
    mac: str
    preference: int | None
    """None: the one FRR takes."""


@dataclass(frozen=True, slots=True)
class SessionBlock:
    """A BGP session."""

    peer: str
    group: str
    unnumbered: bool
    neighbor: BgpNeighborIntent


@dataclass(frozen=True, slots=True)
class BgpBlock:
    """BGP of one VRF."""

    vrf: str | None
    """None: the default one."""
    asn: int
    router_id: str
    maximum_paths: int
    groups: tuple[tuple[str, PeerGroup], ...]
    sessions: tuple[SessionBlock, ...]
    evpn: bool
    crosses_asns: bool
    of_vrf: VrfIntent | None


@dataclass(frozen=True, slots=True)
class FrrContext:
    """Everything the templates use."""

    intent: SwitchIntent
    segments: tuple[SegmentBlock, ...]
    uplinks: tuple[str, ...]
    bgp: tuple[BgpBlock, ...]


def render_frr(nos: NosModel, model: SwitchModel, intent: SwitchIntent) -> str:
    """Return ``frr.conf`` as NVUE writes it for ``intent``."""
    names = port_names(nos, model, intent.breakouts)
    context = FrrContext(
        intent=intent,
        segments=_segments(intent),
        uplinks=tuple(sorted(_uplinks(intent, names), key=natural)),
        bgp=_blocks(intent, names),
    )
    return render_template("cumulus/frr/frr.conf.j2", context)


def _uplinks(intent: SwitchIntent, names: PortNames) -> Iterator[str]:
    """Yield the ports that EVPN multihoming tracks."""
    return (names.name_of[key] for key, port in intent.ports.items() if port.multihoming_uplink)


def _segments(intent: SwitchIntent) -> tuple[SegmentBlock, ...]:
    """Return the segments of the bonds."""
    segments = ((number, channel.ethernet_segment) for number, channel in sorted(intent.port_channels.items()))
    return tuple(
        SegmentBlock(
            name=f"bond{number}",
            number=number if segment.number is None else segment.number,
            mac=segment.system_mac,
            preference=None if segment.df_preference == OWN_DF_PREFERENCE else segment.df_preference,
        )
        for number, segment in segments
        if segment is not None
    )


def _blocks(intent: SwitchIntent, names: PortNames) -> tuple[BgpBlock, ...]:
    """Return BGP of the default VRF, then of the others."""
    bgp = intent.bgp
    if bgp is None:
        return ()
    evpn = intent.vxlan is not None or any(neighbor.evpn for neighbor in bgp.neighbors.values())
    others = (
        _block(name, bgp, vrf.neighbors, names, vrf, evpn=vrf.l3_vni is not None) for name, vrf in intent.vrfs.items()
    )
    return (_block(None, bgp, bgp.neighbors, names, None, evpn=evpn), *others)


def _block(
    vrf: str | None,
    bgp: BgpIntent,
    neighbors: Mapping[str, BgpNeighborIntent],
    names: PortNames,
    of_vrf: VrfIntent | None,
    *,
    evpn: bool,
) -> BgpBlock:
    """Return BGP of one VRF."""
    group_of, name_of = peer_groups(neighbors)
    sessions = (
        SessionBlock(names.name_of.get(peer, peer), name_of[group_of[peer]], group_of[peer].unnumbered, neighbor)
        for peer, neighbor in neighbors.items()
    )
    return BgpBlock(
        vrf=vrf,
        asn=bgp.asn,
        router_id=bgp.router_id,
        maximum_paths=bgp.maximum_paths,
        groups=tuple((name, group) for group, name in name_of.items()),
        sessions=tuple(sorted(sessions, key=lambda session: natural(session.peer))),
        evpn=evpn,
        crosses_asns=of_vrf is None and crosses_asns(bgp),
        of_vrf=of_vrf,
    )
