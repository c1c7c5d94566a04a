"""The intent of each switch, which templates render and deploy compares."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from rackproof.errors import Problems
from rackproof.plan.fabric.draft import FabricDraft
from rackproof.plan.fabric.server_ports import ServerDraft
from rackproof.plan.model.plan import (
    BgpIntent,
    BgpNeighborIntent,
    ManagementIntent,
    PortChannelIntent,
    PortIntent,
    RoceIntent,
    SubnetPlan,
    SwitchIntent,
    TelemetryIntent,
    VlanIntent,
    VxlanIntent,
)
from rackproof.plan.model.port_names import in_panel_order
from rackproof.plan.network.adaptive_routing import isl_speed_gbps, routes_adaptively
from rackproof.plan.network.addressing import Endpoint, FabricAddresses, endpoints
from rackproof.plan.network.edge_policy import edge_policy
from rackproof.plan.network.mtu import host_mtu_bytes, switch_mtu_bytes
from rackproof.plan.network.nos_syntax import NosVersion
from rackproof.plan.network.overlay import ANYCAST_MAC, segment, segment_number, vlan_vni
from rackproof.plan.network.roce import length_class_m
from rackproof.plan.network.service_vlans import service_vlan_members
from rackproof.plan.network.underlay import (
    LAST_CHANNEL,
    UPLINK_CHANNELS,
    switch_bgp,
    uplink_gateway,
    uplink_port_channels,
    uplink_ports,
    uplink_vlans,
)
from rackproof.plan.physical.cabling import Cabling, Plug
from rackproof.site.derived import is_bonded
from rackproof.site.models import Site
from rackproof.types import Fec

GNMI_PORT = 8080
"""Telemetry server's port of Enterprise SONiC (sonic-telemetry.yang: gnmi/port)."""


@dataclass(frozen=True, slots=True)
class FabricContext:
    """Everything the intents of one fabric's switches are derived from."""

    site: Site
    draft: FabricDraft
    addresses: FabricAddresses
    cabling: Cabling
    roce: RoceIntent | None
    dialect: str | None
    """How its NOS writes in the release of this site."""
    gnmi: bool
    """Whether that release has a gNMI server."""
    channels: Mapping[tuple[str, str], int]
    """(server, port) to the port channel its bond has."""
    bonds: Mapping[tuple[str, str], Endpoint]
    """(server, port) to its bond."""
    subnets: Mapping[str, Sequence[SubnetPlan]]
    """Switch to the layer 2 subnets it serves."""
    tagged: Mapping[str, tuple[int, ...]]
    """Device to the VLANs that its bond carries tagged."""
    isl_ports: dict[tuple[int, Fec, float], PortIntent] = field(default_factory=dict)
    """Number of a switch, FEC and cable length to the port of another switch towards it: many have the same one."""
    neighbors: dict[int, BgpNeighborIntent] = field(default_factory=dict)
    """Number of a switch to the session of another switch to it, likewise."""


@dataclass(frozen=True, slots=True)
class SwitchContext:
    """Everything one switch's intent is derived from."""

    fabric: FabricContext
    number: int
    name: str
    management: ManagementIntent

    @property
    def draft(self) -> FabricDraft:
        """The fabric's draft."""
        return self.fabric.draft


def fabric_context(
    site: Site,
    draft: FabricDraft,
    server_drafts: Sequence[ServerDraft],
    addresses: FabricAddresses,
    cabling: Cabling,
    roce: RoceIntent | None,
    version: NosVersion,
) -> FabricContext:
    """Gather what all switches of a fabric share."""
    numbered = bond_numbers(draft, server_drafts).values()
    channels: dict[tuple[str, str], int] = {}
    bonds: dict[tuple[str, str], Endpoint] = {}
    for number, bond in numbered:
        members = [(member.device, member.port) for member in bond.members]
        channels |= dict.fromkeys(members, number)
        bonds |= dict.fromkeys(members, bond)
    subnets: dict[str, list[SubnetPlan]] = {}
    for subnet in addresses.subnets:
        for switch in subnet.switches:
            subnets.setdefault(switch, []).append(subnet)
    served = service_vlan_members(draft, server_drafts, addresses.subnets)
    tagged = {one.device: (one.subnet.vlan,) for one in served if one.subnet.vlan is not None}
    return FabricContext(
        site=site,
        draft=draft,
        addresses=addresses,
        cabling=cabling,
        roce=roce,
        dialect=version.dialect,
        gnmi=not version.lacks("gnmi"),
        channels=channels,
        bonds=bonds,
        subnets=subnets,
        tagged=tagged,
    )


def bond_numbers(draft: FabricDraft, server_drafts: Sequence[ServerDraft]) -> dict[str, tuple[int, Endpoint]]:
    """Return endpoint to (port channel number, endpoint) of every bond, growth included so that none is renumbered."""
    if not is_bonded(draft.name, draft.asked):
        return {}
    attached = [server_draft for server_draft in server_drafts if server_draft.ports_on(draft.name)]
    rows = chain.from_iterable(endpoints(draft, server_draft) for server_draft in attached)
    every = [endpoint for endpoint in rows if endpoint.bonded]
    planned = {server_draft.name for server_draft in attached if server_draft.planned}
    numbered = {}
    last: Counter[int] = Counter()
    for endpoint in every:
        leaf = 0 if draft.layout.paired else min(_bond_switches(draft, endpoint), default=0)
        last[leaf] += 1
        numbered[endpoint.key] = (last[leaf], endpoint)
    if draft.layout.consolidated:
        keys = {(a.device_port.device, a.device_port.port): a.key for a in draft.layout.attachments}
        first = {endpoint.key: (endpoint.members[0].device, endpoint.members[0].port) for endpoint in every}
        numbered = {e.key: (segment_number(keys[first[e.key]]), e) for e in every if first[e.key] in keys}
    return {key: row for key, row in numbered.items() if row[1].device in planned}


def _bond_switches(draft: FabricDraft, bond: Endpoint) -> frozenset[int]:
    """Return the numbers of the switches that a bond has links to."""
    switches = draft.layout.port_switches
    members = ((member.device, member.port) for member in bond.members)
    return frozenset(switches[member] for member in members if member in switches)


def check_bonds(drafts: Sequence[FabricDraft], server_drafts: Sequence[ServerDraft], problems: Problems) -> None:
    """Record every fabric with a switch that has more bonds than port channels, uplinks left aside.

    Record bonds whose links end on one leaf of several (as a warning), or on switches that share no Ethernet segment.
    """
    for draft in drafts:
        numbered = bond_numbers(draft, server_drafts).values()
        _check_bond_switches(draft, [bond for _, bond in numbered], problems)
        numbers = [number for number, _ in numbered]
        if numbers and not draft.layout.consolidated and max(numbers) > LAST_CHANNEL - UPLINK_CHANNELS:
            problems.add(
                (*draft.path, "nic_ports"),
                f"{max(numbers)} bonds are more than the {LAST_CHANNEL - UPLINK_CHANNELS} port channels of a switch",
                "attach fewer servers, or set nic_ports: two-subnets",
            )


def _check_bond_switches(draft: FabricDraft, bonds: Sequence[Endpoint], problems: Problems) -> None:
    """Record the first bond of a fabric that a lost leaf takes down, or that cannot form."""
    leaves = sum(switch.role == "leaf" for switch in draft.layout.switches)
    if draft.layout.paired or leaves == 1:
        return
    apart = next((bond for bond in bonds if len(_bond_switches(draft, bond)) > 1), None)
    if apart is not None:
        message = f"the ports of {apart.key} are on switches without EVPN multihoming, which form no bond together"
        problems.add((*draft.path, "nic_ports"), message, "set nic_ports: two-subnets, or topology: redundant-pair")
        return
    if bonds:
        message = f"both links of {bonds[0].key} end on one leaf: hosts leave fabric {draft.name} when it is lost"
        hint = "choose redundant-pair, whose hosts are on two switches, where one pair is large enough"
        problems.warn((*draft.path, "topology"), message, hint)


def _host_ports(context: SwitchContext) -> Iterator[tuple[str, PortIntent]]:
    """Yield the ports that servers and out-of-band devices are plugged into."""
    fabric, mtu_bytes = context.fabric, switch_mtu_bytes(context.draft)
    hosts, plugs = fabric.addresses.hosts, fabric.cabling.plugs.get(context.name, {})
    for attachment in context.draft.layout.attachments_by_switch[context.number]:
        device_port, plug = attachment.device_port, plugs.get(attachment.key)
        if not device_port.planned or plug is None:
            continue
        channel = fabric.channels.get((device_port.device, device_port.port))
        host = None if channel else hosts.get(f"{device_port.device}:{device_port.port}")
        yield (
            attachment.key,
            PortIntent(
                description=f"{device_port.device} {device_port.port}",
                speed_gbps=device_port.speed_gbps,
                fec=plug.fec,
                mtu_bytes=mtu_bytes,
                vlan=host.vlan if host else None,
                port_channel=channel,
                lossless=fabric.roce is not None,
                cable_length_m=_length_class(context, plug),
            ),
        )


def _length_class(context: SwitchContext, plug: Plug) -> int | None:
    """Return the cable length that is configured for the headroom of a port; None where nothing is lossless."""
    return None if context.fabric.roce is None else length_class_m(plug.length_m, context.draft.nos)


def _access_vlan(context: SwitchContext, device: str, port: str) -> int | None:
    host = context.fabric.addresses.hosts.get(f"{device}:{port}")
    return host.vlan if host else None


def _isl_ports(context: SwitchContext) -> Iterator[tuple[str, PortIntent]]:
    """Yield the routed, unnumbered ports towards the other switches of the fabric."""
    plugs, known = context.fabric.cabling.plugs.get(context.name, {}), context.fabric.isl_ports
    for end in context.draft.layout.isl_ends_by_switch[context.number]:
        plug = plugs.get(end.key)
        if plug is None:
            continue
        alike = (end.other, plug.fec, plug.length_m)
        if alike not in known:
            known[alike] = _isl_port(context, end.other, plug)
        yield end.key, known[alike]


def _isl_port(context: SwitchContext, other: int, plug: Plug) -> PortIntent:
    """Return a port towards one other switch of the fabric."""
    return PortIntent(
        description=context.draft.switch_name(other),
        speed_gbps=isl_speed_gbps(context.draft),
        fec=plug.fec,
        mtu_bytes=switch_mtu_bytes(context.draft),
        unnumbered=True,
        lossless=context.fabric.roce is not None,
        cable_length_m=_length_class(context, plug),
        adaptive_routing=routes_adaptively(context.draft),
    )


def _port_channels(context: SwitchContext) -> Iterator[tuple[int, PortChannelIntent]]:
    """Yield the bundles towards servers that have a member on this switch."""
    channels, bonds = context.fabric.channels, context.fabric.bonds
    device_ports = (attachment.device_port for attachment in context.draft.layout.attachments_by_switch[context.number])
    members = ((device_port.device, device_port.port) for device_port in device_ports)
    here = {channels[member]: bonds[member] for member in members if member in channels}
    for number, endpoint in here.items():
        yield (
            number,
            PortChannelIntent(
                description=f"{endpoint.device} {endpoint.name}",
                mtu_bytes=switch_mtu_bytes(context.draft),
                vlan=_access_vlan(context, endpoint.device, endpoint.name),
                tagged_vlans=context.fabric.tagged.get(endpoint.device, ()),
                lacp_bypass=True,
                ethernet_segment=segment(context.draft, context.number, number),
            ),
        )


def _vlans(context: SwitchContext) -> Iterator[tuple[int, VlanIntent]]:
    paired = context.draft.layout.paired
    for subnet in context.fabric.subnets.get(context.name, ()):
        if subnet.vlan is None or subnet.gateway is None:
            continue
        yield subnet.vlan, _vlan(context, subnet, paired=paired)


def _vlan(context: SwitchContext, subnet: SubnetPlan, *, paired: bool) -> VlanIntent:
    length = subnet.prefix.partition("/")[2]
    base, _, last = str(subnet.gateway).rpartition(".")
    own = f"{base}.{int(last) + 1 + context.number}/{length}"
    return VlanIntent(
        description=f"{context.draft.name} {subnet.name}",
        mtu_bytes=host_mtu_bytes(context.draft),
        address=own if paired else f"{subnet.gateway}/{length}",
        anycast_gateway=f"{subnet.gateway}/{length}" if paired else None,
        vni=vlan_vni(context.draft, subnet.vlan or 0),
    )


def _loopback(context: SwitchContext, bgp: BgpIntent | None) -> str | None:
    address = context.fabric.addresses.loopbacks.get(context.number)
    return f"{address}/32" if bgp and address else None


def build_intent(context: SwitchContext) -> SwitchIntent:
    """Return all that Rackproof owns on one switch."""
    draft, site, number = context.draft, context.fabric.site, context.number
    bgp = switch_bgp(site, draft, number, context.fabric.addresses, context.fabric.neighbors)
    loopback = _loopback(context, bgp)
    ports = {
        **dict(_host_ports(context)),
        **dict(_isl_ports(context)),
        **dict(uplink_ports(site, draft, number)),
    }
    channels = dict(_port_channels(context)) | uplink_port_channels(site, draft, number)
    vlans = dict(_vlans(context)) | uplink_vlans(site, draft, number)
    paired = draft.layout.paired
    return SwitchIntent(
        hostname=context.name,
        management=context.management,
        ntp=tuple(str(address) for address in sorted(site.external.ntp)),
        dns=tuple(str(address) for address in sorted(site.external.dns)),
        syslog=tuple(str(address) for address in sorted(site.external.syslog)),
        breakouts=draft.breakouts(number),
        ports={key: ports[key] for key in in_panel_order(tuple(ports))},
        port_channels=dict(sorted(channels.items())),
        vlans=dict(sorted(vlans.items())),
        loopback=loopback,
        anycast_mac=ANYCAST_MAC if paired else None,
        bgp=bgp,
        vxlan=VxlanIntent(loopback.partition("/")[0]) if paired and loopback else None,
        roce=context.fabric.roce,
        telemetry=TelemetryIntent(GNMI_PORT) if context.fabric.gnmi else None,
        policy=edge_policy(site, context.fabric.addresses, bgp.neighbors.values()) if bgp else None,
        default_route=uplink_gateway(site, draft, number),
        dialect=context.fabric.dialect,
    )
