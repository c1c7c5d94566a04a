"""BGP between switches and towards networks outside, and the ports those networks are plugged into."""

from collections.abc import Iterable, Iterator
from ipaddress import IPv4Network

from rackproof.errors import Problems
from rackproof.plan.fabric.draft import FabricDraft
from rackproof.plan.fabric.port_allocation import Attachment
from rackproof.plan.model.plan import BgpIntent, BgpNeighborIntent, PortChannelIntent, PortIntent, VlanIntent
from rackproof.plan.model.uplink import UplinkPlan
from rackproof.plan.network.addressing import FabricAddresses
from rackproof.plan.network.overlay import segment, vlan_vni
from rackproof.site.models import Site, Uplink

FIRST_ASN = 4200000000
"""Private four-byte range (RFC 6996)."""
ASNS_A_FABRIC = 1000
LAST_CHANNEL = 256
"""Uplinks' port channels count down from here, clear of the servers' bonds (Enterprise SONiC: channel-group 1..256)."""

UPLINK_CHANNELS = 16
"""Port channels kept for uplinks: as many as an uplink may have ports."""


def switch_asn(site: Site, draft: FabricDraft, number: int) -> int:
    """Return the ASN of the ``number``-th switch of a fabric: pinned, or counted from the fabric's first."""
    first = draft.asked.first_asn or FIRST_ASN + draft.number * ASNS_A_FABRIC
    return site.pin.asns.get(draft.switch_name(number), first + draft.layout.switches[number].asn)


def _uplinks(site: Site, draft: FabricDraft, number: int) -> Iterator[tuple[str, Uplink, int, Attachment]]:
    """Yield (name, uplink, port number from 0 over all switches, attachment) of one switch's uplink ports."""
    for attachment in draft.layout.attachments_by_switch[number]:
        if attachment.device_port.kind == "uplink":
            uplink = site.external.uplinks[attachment.device_port.device]
            ordinal = number * uplink.ports + int(attachment.device_port.port) - 1
            yield attachment.device_port.device, uplink, ordinal, attachment


def check_uplinks(site: Site, drafts: Iterable[FabricDraft], problems: Problems) -> None:
    """Record every uplink whose prefix has too few addresses for its point-to-point subnets."""
    for draft in drafts:
        for name, uplink in site.external.uplinks.items():
            sessions = uplink.ports * len(draft.layout.switches)
            if uplink.fabric != draft.name or uplink.prefix is None or 2 * sessions <= uplink.prefix.num_addresses:
                continue
            problems.add(
                ("external", "uplinks", name, "prefix"),
                f"{uplink.prefix} has no room for {sessions} point-to-point subnet(s), one a port of each switch",
                f"take a /{32 - (2 * sessions - 1).bit_length()} or larger",
            )


def _point_to_point(prefix: IPv4Network, ordinal: int) -> tuple[str, str]:
    """Return (our address with prefix length, the peer's address) of the ``ordinal``-th /31 (RFC 3021)."""
    ours, theirs = prefix[2 * ordinal], prefix[2 * ordinal + 1]
    return f"{ours}/31", str(theirs)


def switch_bgp(
    site: Site, draft: FabricDraft, number: int, addresses: FabricAddresses, known: dict[int, BgpNeighborIntent]
) -> BgpIntent | None:
    """Return BGP of one switch; None where it has no neighbor.

    Parameters
    ----------
    known
        Number of a switch to the session that others have to it; filled on the way.
    """
    neighbors: dict[str, BgpNeighborIntent] = {}
    for end in draft.layout.isl_ends_by_switch[number]:
        if end.other not in known:
            known[end.other] = _session(draft, end.other)
        neighbors[end.key] = known[end.other]
    for name, uplink, ordinal, attachment in _uplinks(site, draft, number):
        if uplink.attach == "bgp-unnumbered":
            neighbors[attachment.key] = BgpNeighborIntent(name, uplink.asn, bfd=False)
        if uplink.attach == "bgp" and uplink.prefix is not None:
            peer = _point_to_point(uplink.prefix, ordinal)[1]
            neighbors[peer] = BgpNeighborIntent(name, uplink.asn, bfd=False)
    if not neighbors or number not in addresses.loopbacks:
        return None
    return BgpIntent(switch_asn(site, draft, number), addresses.loopbacks[number], neighbors)


def _session(draft: FabricDraft, other: int) -> BgpNeighborIntent:
    """Return the session to another switch of the fabric."""
    inside = draft.layout.consolidated
    return BgpNeighborIntent(
        draft.switch_name(other),
        None,
        evpn=draft.layout.paired,
        bfd=True,
        internal=inside,
        ttl_security_hops=1 if inside else None,
    )


def uplink_ports(site: Site, draft: FabricDraft, number: int) -> Iterator[tuple[str, PortIntent]]:
    """Yield the ports of one switch that networks outside are plugged into."""
    for name, uplink, ordinal, attachment in _uplinks(site, draft, number):
        routed = uplink.attach != "vlan"
        unnumbered = uplink.attach == "bgp-unnumbered"
        yield (
            attachment.key,
            PortIntent(
                description=f"uplink {name} {attachment.device_port.port}",
                speed_gbps=uplink.speed_gbps,
                fec="rs" if uplink.speed_gbps >= 100 else "none",
                mtu_bytes=uplink.mtu_bytes,
                address=_point_to_point(uplink.prefix, ordinal)[0] if uplink.prefix and not unnumbered else None,
                unnumbered=unnumbered,
                port_channel=None if routed else _channel(site, name),
            ),
        )


def _channel(site: Site, name: str) -> int:
    return LAST_CHANNEL - list(site.external.uplinks).index(name)


def uplink_port_channels(site: Site, draft: FabricDraft, number: int) -> dict[int, PortChannelIntent]:
    """Return the bundles of one switch towards networks outside."""
    return {
        _channel(site, name): PortChannelIntent(
            description=f"uplink {name}",
            mtu_bytes=uplink.mtu_bytes,
            tagged_vlans=(uplink.vlan,) if uplink.vlan else (),
            ethernet_segment=segment(draft, number, _channel(site, name)),
        )
        for name, uplink, _, _ in _uplinks(site, draft, number)
        if uplink.attach == "vlan"
    }


def uplink_vlans(site: Site, draft: FabricDraft) -> dict[int, VlanIntent]:
    """Return the VLANs a fabric shares with networks outside."""
    return {
        uplink.vlan: VlanIntent(
            f"uplink {name}",
            uplink.mtu_bytes,
            str(uplink.address) if uplink.address else None,
            vni=vlan_vni(draft, uplink.vlan),
        )
        for name, uplink in site.external.uplinks.items()
        if uplink.fabric == draft.name and uplink.attach == "vlan" and uplink.vlan
    }


def uplink_plans(site: Site, drafts: Iterable[FabricDraft]) -> Iterator[UplinkPlan]:
    """Yield every port that a network outside is plugged into, of switches that are there."""
    for draft in drafts:
        for number, switch in enumerate(draft.layout.switches):
            for name, uplink, ordinal, attachment in _uplinks(site, draft, number) if switch.planned else ():
                numbered = uplink.attach == "bgp" and uplink.prefix is not None
                address, peer = _point_to_point(uplink.prefix, ordinal) if numbered and uplink.prefix else (None, None)
                yield UplinkPlan(
                    name=name,
                    number=int(attachment.device_port.port),
                    fabric=draft.name,
                    switch=draft.switch_name(number),
                    port=draft.port_names(number)[attachment.key],
                    speed_gbps=uplink.speed_gbps,
                    attach=uplink.attach,
                    address=address or (str(uplink.address) if uplink.address else None),
                    peer=peer,
                    asn=uplink.asn,
                    vlan=uplink.vlan,
                    mtu_bytes=uplink.mtu_bytes,
                )
