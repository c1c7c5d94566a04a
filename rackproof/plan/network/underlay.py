"""BGP between switches and towards networks outside, and the ports those networks are plugged into."""

from collections.abc import Iterable, Iterator, Sequence
from ipaddress import IPv4Network

from rackproof.errors import Problems
from rackproof.plan.fabric.draft import FabricDraft
from rackproof.plan.fabric.port_allocation import Attachment
from rackproof.plan.model.plan import BgpIntent, BgpNeighborIntent, PortChannelIntent, PortIntent, VlanIntent
from rackproof.plan.model.uplink import UplinkPlan
from rackproof.plan.network.addressing import FabricAddresses
from rackproof.plan.network.edge_policy import edge_session
from rackproof.plan.network.overlay import segment, vlan_vni
from rackproof.site.models import Site, Uplink

FIRST_ASN = 4200000000
"""Private four-byte range (RFC 6996)."""
ASNS_A_FABRIC = 1000
ASNS_OF_LEAVES = 100000
"""Kept for the leaves of a Clos, which count from 1000 within their fabric: three tiers of 128 cages join 8192."""
CLOS = ("tor-clos", "rail-optimized")
"""Topologies whose leaves have an ASN each."""
LAST_CHANNEL = 256
"""Uplinks' port channels count down from here, clear of the servers' bonds (Enterprise SONiC: channel-group 1..256)."""

POINT_TO_POINT = 31
"""Prefix length from which on a subnet has no broadcast address (RFC 3021)."""
UPLINK_CHANNELS = 16
"""Port channels kept for uplinks: as many as an uplink may have ports."""


def switch_asn(site: Site, draft: FabricDraft, number: int) -> int:
    """Return the ASN of the ``number``-th switch of a fabric: pinned, or counted from the fabric's first."""
    first = draft.asked.first_asn or _first_asn(site, draft.number)
    return site.pin.asns.get(draft.switch_name(number), first + draft.layout.switches[number].asn)


def _first_asn(site: Site, number: int) -> int:
    """Return where the ASNs of the ``number``-th fabric count from: behind the leaves of every Clos before it."""
    before = list(site.fabrics.values())[:number]
    return FIRST_ASN + number * ASNS_A_FABRIC + ASNS_OF_LEAVES * sum(fabric.topology in CLOS for fabric in before)


def _uplinks(site: Site, draft: FabricDraft, number: int) -> Iterator[tuple[str, Uplink, int, Attachment]]:
    """Yield (name, uplink, port number from 0 over all switches, attachment) of one switch's uplink ports."""
    for attachment in draft.layout.attachments_by_switch[number]:
        if attachment.device_port.kind == "uplink":
            uplink = site.external.uplinks[attachment.device_port.device]
            ordinal = number * uplink.ports + int(attachment.device_port.port) - 1
            yield attachment.device_port.device, uplink, ordinal, attachment


def uplink_switches(draft: FabricDraft, name: str) -> tuple[int, ...]:
    """Return the numbers of the switches that have a port for an uplink."""
    rows = draft.layout.attachments_by_switch.items()
    return tuple(number for number, row in rows if any(_is_for(attachment, name) for attachment in row))


def _is_for(attachment: Attachment, uplink: str) -> bool:
    return attachment.device_port.kind == "uplink" and attachment.device_port.device == uplink


def check_uplinks(site: Site, drafts: Iterable[FabricDraft], problems: Problems) -> None:
    """Record every uplink with too few addresses for the switches that it leads out of."""
    for draft in drafts:
        for name, uplink in site.external.uplinks.items():
            if uplink.fabric == draft.name:
                switches = uplink_switches(draft, name)
                _check_prefix(name, uplink, len(switches), problems)
                _check_addresses(name, uplink, switches, problems)


def _check_prefix(name: str, uplink: Uplink, switches: int, problems: Problems) -> None:
    """Record a prefix that has too few addresses for its point-to-point subnets."""
    sessions = uplink.ports * switches
    if uplink.prefix is not None and 2 * sessions > uplink.prefix.num_addresses:
        problems.add(
            ("external", "uplinks", name, "prefix"),
            f"{uplink.prefix} has no room for {sessions} point-to-point subnet(s), one a port of each switch",
            f"take a /{32 - (2 * sessions - 1).bit_length()} or larger",
        )


def _check_addresses(name: str, uplink: Uplink, switches: Sequence[int], problems: Problems) -> None:
    """Record switch addresses in an uplink's VLAN that leave its subnet, or that its gateway has."""
    if uplink.address is None or not switches:
        return
    subnet, last = uplink.address.network, uplink.address + switches[-1]
    path = ("external", "uplinks", name, "address")
    if last.ip not in subnet or (subnet.prefixlen < POINT_TO_POINT and last.ip == subnet.broadcast_address):
        message = f"{subnet} has no room for {len(switches)} switches from {uplink.address.ip} on"
        problems.add(path, message, "every switch takes the next address; begin lower, or take a larger subnet")
    elif uplink.gateway is not None and uplink.address.ip <= uplink.gateway <= last.ip:
        message = f"the gateway {uplink.gateway} is an address of a switch: they take {uplink.address.ip} to {last.ip}"
        problems.add(path, message, "begin above the gateway")


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
            neighbors[attachment.key] = edge_session(draft, name, uplink)
        if uplink.attach == "bgp" and uplink.prefix is not None:
            neighbors[_point_to_point(uplink.prefix, ordinal)[1]] = edge_session(draft, name, uplink)
    router_id = _router_id(draft, number, addresses)
    if not neighbors or router_id is None:
        return None
    return BgpIntent(switch_asn(site, draft, number), router_id, neighbors)


def _router_id(draft: FabricDraft, number: int, addresses: FabricAddresses) -> str | None:
    """Return the loopback of a switch; out of band, where leaves have none, the gateway that it is (RFC 4271, 4.2).

    None: the fabric could not be numbered, which is an error of its own.
    """
    name = draft.switch_name(number)
    gateways = (subnet.gateway for subnet in addresses.subnets if name in subnet.switches and subnet.gateway)
    return addresses.loopbacks.get(number) or next(gateways, None)


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


def _own_address(uplink: Uplink, number: int) -> str | None:
    """Return the address of the ``number``-th switch in an uplink's VLAN, with prefix length."""
    address = uplink.address
    return f"{address.ip + number}/{address.network.prefixlen}" if address else None


def uplink_vlans(site: Site, draft: FabricDraft, number: int) -> dict[int, VlanIntent]:
    """Return the VLANs that one switch of a fabric shares with networks outside."""
    return {
        uplink.vlan: VlanIntent(
            f"uplink {name}", uplink.mtu_bytes, _own_address(uplink, number), vni=vlan_vni(draft, uplink.vlan)
        )
        for name, uplink, _, _ in _uplinks(site, draft, number)
        if uplink.attach == "vlan" and uplink.vlan
    }


def uplink_gateway(site: Site, draft: FabricDraft, number: int) -> str | None:
    """Return the next hop of one switch's default route: the gateway of the first of its uplinks that has one."""
    gateways = (uplink.gateway for _, uplink, _, _ in _uplinks(site, draft, number) if uplink.attach == "vlan")
    return next((str(gateway) for gateway in gateways if gateway is not None), None)


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
                    address=address or _own_address(uplink, number),
                    peer=peer or (str(uplink.gateway) if uplink.gateway else None),
                    asn=uplink.asn,
                    vlan=uplink.vlan,
                    mtu_bytes=uplink.mtu_bytes,
                )
