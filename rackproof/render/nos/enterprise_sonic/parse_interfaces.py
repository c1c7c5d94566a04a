"""Interfaces of a configuration tree: front panel ports, port channels, VLANs."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from rackproof.plan.model.plan import EthernetSegmentIntent, PortChannelIntent, PortIntent, VlanIntent
from rackproof.render.config_tree import ConfigTree, blocks, value, values
from rackproof.render.nos.enterprise_sonic.canonical import is_unused_port
from rackproof.render.nos.enterprise_sonic.context import TRACK_GROUP
from rackproof.render.nos.enterprise_sonic.words import FEC_WORDS, unquoted
from rackproof.render.ranges import expand

if TYPE_CHECKING:
    from collections.abc import Mapping

NUMBER = re.compile(r"\d+")
VLAN_LIST = re.compile(r"\d+(-\d+)?(,\d+(-\d+)?)*")


def number(text: str | None, otherwise: int = 0) -> int:
    """Return the first number in ``text``."""
    match = NUMBER.search(text or "")
    return int(match.group()) if match else otherwise


def optional_number(text: str | None) -> int | None:
    """Return the first number in ``text``, where there is one."""
    return number(text) if text and NUMBER.search(text) else None


def tagged_vlans(block: ConfigTree) -> tuple[int, ...]:
    """Return the VLANs of a trunk."""
    text = value(block, "switchport trunk allowed Vlan") or ""
    return expand(text) if VLAN_LIST.fullmatch(text) else ()


def port_intents(tree: ConfigTree, keys: Mapping[str, str]) -> dict[str, PortIntent]:
    """Return the ports in use, by port key."""
    used = ((keys.get(name), block) for name, block in blocks(tree, "interface"))
    return {key: _port_intent(block) for key, block in used if key is not None and not is_unused_port(block)}


def _port_intent(block: ConfigTree) -> PortIntent:
    """Return what the block of a port states."""
    return PortIntent(
        description=unquoted(value(block, "description") or ""),
        speed_gbps=number(value(block, "speed")) // 1000,
        fec=FEC_WORDS.get(value(block, "fec") or "off", "none"),
        mtu_bytes=number(value(block, "mtu")),
        vlan=optional_number(value(block, "switchport access Vlan")),
        tagged_vlans=tagged_vlans(block),
        address=value(block, "ip address"),
        unnumbered="ipv6 enable" in block,
        port_channel=optional_number(value(block, "channel-group")),
        lossless=value(block, "priority-flow-control priority") is not None,
        cable_length_m=optional_number(value(block, "cable-length")),
        multihoming_uplink=f"link state track {TRACK_GROUP} upstream" in block,
    )


def port_channel_intents(tree: ConfigTree) -> dict[int, PortChannelIntent]:
    """Return the port channels by number."""
    return {
        number(name): PortChannelIntent(
            description=unquoted(value(block, "description") or ""),
            mtu_bytes=number(value(block, "mtu")),
            vlan=optional_number(value(block, "switchport access Vlan")),
            tagged_vlans=tagged_vlans(block),
            address=value(block, "ip address"),
            ethernet_segment=_ethernet_segment(block),
            lacp_bypass="fallback" in block,
        )
        for name, block in blocks(tree, "interface PortChannel")
    }


def _ethernet_segment(block: ConfigTree) -> EthernetSegmentIntent | None:
    """Return the EVPN segment of a port channel."""
    segment = block.get("evpn ethernet-segment auto-system-mac")
    if segment is None:
        return None
    return EthernetSegmentIntent(
        system_mac=value(block, "system-mac") or "", df_preference=number(value(segment, "df-preference"))
    )


def vlan_intents(tree: ConfigTree) -> dict[int, VlanIntent]:
    """Return the VLANs by number, with the VNI that the tunnel end point maps them to."""
    mappings = chain.from_iterable(values(tunnel, "map vni") for _, tunnel in blocks(tree, "interface vxlan"))
    pairs = (text.partition(" vlan ")[::2] for text in mappings)
    vnis = {number(vlan): number(vni) for vni, vlan in pairs if vlan}
    return {
        number(name): VlanIntent(
            description=unquoted(value(block, "description") or ""),
            mtu_bytes=number(value(block, "mtu")),
            address=value(block, "ip address"),
            anycast_gateway=value(block, "ip anycast-address"),
            vni=vnis.get(number(name)),
        )
        for name, block in blocks(tree, "interface Vlan")
    }
