"""Ports, bonds, VLANs and the addresses of the switch itself."""

from __future__ import annotations

from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from rackproof.plan.model.plan import PortIntent
from rackproof.render.nos.cumulus import qos, telemetry
from rackproof.render.nos.cumulus.grouping import Members
from rackproof.render.nos.cumulus.ports import FEC_WORDS, PortNames, PortNature
from rackproof.render.nos.cumulus.tree import put

if TYPE_CHECKING:
    from rackproof.plan.model.plan import PortChannelIntent, SwitchIntent, VlanIntent
    from rackproof.render.config_tree import ConfigTree
    from rackproof.render.nos.cumulus.grouping import Groups

BRIDGE: Final = ("bridge", "domain", "br_default")
OWN_MTU_BYTES: Final = 9216
"""Default of an interface (NVUE reference, Interface)."""

OWN_DF_PREFERENCE: Final = 32767
"""Default of an Ethernet segment (EVPN-Multihoming)."""


SETTINGS: Final = (
    "speed_gbps",
    "fec",
    "mtu_bytes",
    "vlan",
    "tagged_vlans",
    "address",
    "unnumbered",
    "lossless",
    "cable_length_m",
    "vrf",
    "adaptive_routing",
    "multihoming_uplink",
)
"""Everything that ports may have in common."""

_settings = attrgetter(*SETTINGS)


def write_ports(groups: Groups, intent: SwitchIntent, names: PortNames) -> None:
    """Add how ports are split, and every port that is there then; those that nothing uses are down."""
    groups["interface",] = members = Members(list(names.split))
    histograms = intent.telemetry is not None and intent.telemetry.histograms
    ports, described = intent.ports, members.described
    for nature, pairs in names.of_nature:
        alike: dict[tuple[object, ...], list[str]] = {}
        unused: list[str] = []
        for name, key in pairs:
            port = ports.get(key)
            if port is None:
                unused.append(name)
                continue
            alike.setdefault(_settings(port), []).append(name)
            if port.description:
                described.setdefault(port.description, []).append(name)
        members.common += [(some, _used(nature, histograms, *settings)) for settings, some in alike.items()]
        if unused:
            members.common.append((unused, _unused(nature)))


@lru_cache(maxsize=1 << 10)
def _unused(nature: PortNature) -> ConfigTree:
    """Return a port that nothing uses."""
    block: ConfigTree = {"type": {"swp": {}}}
    if nature.asked_speed_gbps != nature.speed_gbps:
        put(block, "link", "speed", f"{nature.asked_speed_gbps}G")
    put(block, "link", "state", "down")
    return block


@lru_cache(maxsize=1 << 10)
def _used(nature: PortNature, histograms: bool, *settings: Any) -> ConfigTree:  # noqa: ANN401, FBT001 a key of the cache
    """Return a port without its description; nothing is added to it afterwards.

    Parameters
    ----------
    settings
        The values of ``SETTINGS``.
    """
    port = PortIntent(description="", **dict(zip(SETTINGS, settings, strict=True)))
    block: ConfigTree = {"type": {"swp": {}}}
    if port.speed_gbps != nature.speed_gbps:
        put(block, "link", "speed", f"{port.speed_gbps}G")
        lanes = nature.reduced_lanes(port.speed_gbps)
        if lanes is not None:
            put(block, "link", "lanes", str(lanes))
    if nature.fec(port.speed_gbps) != port.fec:
        put(block, "link", "fec", FEC_WORDS[port.fec])
    _described(block, "", port.mtu_bytes)
    _bridged(block, port.vlan, port.tagged_vlans)
    if port.address:
        put(block, "ip", "address", port.address)
    if port.vrf:
        put(block, "ip", "vrf", port.vrf)
    if port.adaptive_routing:
        put(block, "router", "adaptive-routing", "enable", "on")
    if port.multihoming_uplink:
        put(block, "evpn", "multihoming", "uplink", "on")
    qos.write_port(block, port)
    if histograms:
        telemetry.write_port(block)
    return block


def _described(interface: ConfigTree, description: str, mtu_bytes: int) -> None:
    """Add what any interface says of itself."""
    if description:
        put(interface, "description", description)
    if mtu_bytes != OWN_MTU_BYTES:
        put(interface, "link", "mtu", str(mtu_bytes))


def _bridged(interface: ConfigTree, vlan: int | None, tagged: tuple[int, ...]) -> None:
    """Add the VLANs of a switched interface; with tagged ones it is a trunk."""
    if vlan is not None and not tagged:
        put(interface, *BRIDGE, "access", str(vlan))
    if tagged:
        put(interface, *BRIDGE, "untagged", str(vlan) if vlan is not None else "none")
    for number in tagged:
        put(interface, *BRIDGE, "vlan", str(number))


def write_bonds(tree: ConfigTree, intent: SwitchIntent, names: PortNames) -> None:
    """Add the LACP bundles."""
    members: dict[int, list[str]] = {number: [] for number in intent.port_channels}
    for key, port in intent.ports.items():
        if port.port_channel is not None:
            members[port.port_channel].append(names.name_of[key])
    for number, channel in intent.port_channels.items():
        interface = tree.setdefault("interface", {}).setdefault(f"bond{number}", {})
        put(interface, "type", "bond")
        for name in members[number]:
            put(interface, "bond", "member", name)
        _bond(interface, number, channel)


def _bond(interface: ConfigTree, number: int, channel: PortChannelIntent) -> None:
    """Add what a bundle is used for."""
    _described(interface, channel.description, channel.mtu_bytes)
    _bridged(interface, channel.vlan, channel.tagged_vlans)
    if channel.address:
        put(interface, "ip", "address", channel.address)
    if channel.lacp_bypass:
        put(interface, "bond", "lacp-bypass", "on")
    segment = channel.ethernet_segment
    if segment is None:
        return
    at = ("evpn", "multihoming", "segment")
    put(interface, *at, "enable", "on")
    put(interface, *at, "local-id", str(segment.number if segment.number is not None else number))
    put(interface, *at, "mac-address", segment.system_mac)
    if segment.df_preference != OWN_DF_PREFERENCE:
        put(interface, *at, "df-preference", str(segment.df_preference))


def write_vlans(tree: ConfigTree, intent: SwitchIntent) -> None:
    """Add the VLANs, their interfaces and their gateways."""
    if not intent.vlans:
        return
    put(tree, *BRIDGE, "type", "vlan-aware")
    for number, vlan in intent.vlans.items():
        put(tree, *BRIDGE, "vlan", str(number), *(("vni", str(vlan.vni)) if vlan.vni is not None else ()))
        interface = tree.setdefault("interface", {}).setdefault(f"vlan{number}", {})
        put(interface, "type", "svi")
        put(interface, "vlan", str(number))
        _svi(interface, vlan)
    if intent.anycast_mac:
        put(tree, "system", "global", "anycast-mac", intent.anycast_mac)
    if any(vlan.anycast_gateway for vlan in intent.vlans.values()):
        put(tree, "router", "vrr", "enable", "on")


def _svi(interface: ConfigTree, vlan: VlanIntent) -> None:
    """Add what a VLAN's interface is used for."""
    _described(interface, vlan.description, vlan.mtu_bytes)
    if vlan.address:
        put(interface, "ip", "address", vlan.address)
    if vlan.vrf:
        put(interface, "ip", "vrf", vlan.vrf)
    if vlan.anycast_gateway:
        put(interface, "ip", "vrr", "address", vlan.anycast_gateway)
        put(interface, "ip", "vrr", "enable", "on")
        put(interface, "ip", "vrr", "state", "up")


def write_own_addresses(tree: ConfigTree, intent: SwitchIntent) -> None:
    """Add the management port and the loopback."""
    management = tree.setdefault("interface", {}).setdefault("eth0", {})
    put(management, "type", "eth")
    put(management, "ip", "vrf", "mgmt")
    put(management, "ip", "address", intent.management.address)
    if intent.management.gateway:
        put(management, "ip", "gateway", intent.management.gateway)
    if intent.loopback:
        put(tree, "interface", "lo", "type", "loopback")
        put(tree, "interface", "lo", "ip", "address", intent.loopback)
