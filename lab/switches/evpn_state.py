"""VNIs and Ethernet segments of lab switches, computed from configuration and EVPN sessions.

A switch learns the VNIs and segments of the switches that EVPN sessions lead to: from a neighbour, or passed on by a
neighbour with another ASN (RFC 4271, 9.1.2), as ``lab.switches.computed_routes`` has it for IPv4.
"""

from collections.abc import Iterator
from ipaddress import ip_address
from typing import Final

from lab.spec.models import LabEnd
from lab.switches.device_state import DeviceState, Network, Overlay, Segment
from lab.switches.links import ConfiguredLinks, LabNetwork, LabSegment

EVPN: Final = "l2vpn evpn"


def networks(links: ConfiguredLinks, device: str) -> Iterator[LabNetwork]:
    """Yield the VNIs of a switch, with the remote tunnel endpoints of each."""
    others = tuple(_other_overlays(links, device))
    for network in _overlay(links, device).networks:
        remote = (overlay.address for _, overlay in others if _has_vni(overlay, network))
        yield LabNetwork(network, tuple(remote))


def _has_vni(overlay: Overlay, network: Network) -> bool:
    """Return whether an overlay has a VNI, also of a VLAN or of a VRF."""
    return any(
        one.number == network.number and (one.vlan is None) == (network.vlan is None) for one in overlay.networks
    )


def segments(links: ConfiguredLinks, device: str) -> Iterator[LabSegment]:
    """Yield the segments of a switch; a switch whose member ports are down withdraws its route (RFC 7432, 8.2)."""
    here, others = _overlay(links, device), tuple(_other_overlays(links, device))
    for segment in here.segments:
        remote = dict(_attached(links, others, segment.esi))
        own = (-segment.preference, ip_address(here.address))
        forwards = all(own < (-preference, ip_address(end)) for end, preference in remote.items())
        yield LabSegment(segment, _is_up(links, device, segment), remote, forwards)


def _attached(links: ConfiguredLinks, others: tuple[tuple[str, Overlay], ...], esi: str) -> Iterator[tuple[str, int]]:
    """Yield address and preference of the other switches with a live port in a segment."""
    for name, overlay in others:
        for segment in overlay.segments:
            if segment.esi == esi and _is_up(links, name, segment):
                yield overlay.address, segment.preference


def _overlay(links: ConfiguredLinks, device: str) -> Overlay:
    state = links.state(device)
    return Overlay("") if state is None or state.overlay is None else state.overlay


def _is_up(links: ConfiguredLinks, device: str, segment: Segment) -> bool:
    return any(links.is_up(device, member) for member in segment.members)


def _other_overlays(links: ConfiguredLinks, device: str) -> Iterator[tuple[str, Overlay]]:
    """Yield the other switches whose EVPN routes a switch has, with their overlays."""
    here = links.state(device)
    if here is None or here.bgp is None:
        return
    adjacent = tuple(_evpn_neighbors(links, device))
    found = [device]
    for name in found:
        found.extend(dict.fromkeys(peer for peer in _evpn_neighbors(links, name) if peer not in found))
    for name in sorted(found[1:]):
        there = links.state(name)
        if there is None or there.bgp is None or there.overlay is None:
            continue
        if name in adjacent or there.bgp.asn != here.bgp.asn:
            yield name, there.overlay


def _evpn_neighbors(links: ConfiguredLinks, device: str) -> Iterator[str]:
    """Yield the switches with an established session over a cable that carries EVPN at both ends."""
    state = links.state(device)
    if state is None or state.bgp is None:
        return
    for peer in state.bgp.peers:
        end = None if "." in peer.target else links.peer_end(LabEnd(device, peer.target))
        if end is None or EVPN not in peer.families:
            continue
        if links.session_state(device, state.bgp, peer) == "Established" and _carries_evpn(
            links.state(end.device), end
        ):
            yield end.device


def _carries_evpn(state: DeviceState | None, end: LabEnd) -> bool:
    if state is None or state.bgp is None:
        return False
    return any(peer.target == end.port and EVPN in peer.families for peer in state.bgp.peers)
