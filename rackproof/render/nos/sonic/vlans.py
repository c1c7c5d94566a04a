"""VLANs, port channels, loopback, EVPN and VXLAN."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rackproof.plan.model.plan import EthernetSegmentIntent, PortChannelIntent, VlanIntent, VxlanIntent
from rackproof.render.nos.sonic.database import ConfigDb, Fields, key, row_fields, rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rackproof.plan.model.plan import PortIntent, SwitchIntent

TUNNEL = "vtep1"
OVERLAY = "nvo1"


def vlan_name(vlan: int) -> str:
    """Return the name of a VLAN."""
    return f"Vlan{vlan}"


def channel_name(number: int) -> str:
    """Return the name of a port channel."""
    return f"PortChannel{number}"


def write_vlans(intent: SwitchIntent, names: Mapping[str, str]) -> ConfigDb:
    """Return the tables of VLANs and their members; ``names`` is port key to name."""
    database: ConfigDb = {"VLAN": {}, "VLAN_INTERFACE": {}, "VLAN_MEMBER": {}, "SAG": {}}
    for number, vlan in intent.vlans.items():
        name = vlan_name(number)
        database["VLAN"][name] = {
            "vlanid": str(number),
            "mtu": str(vlan.mtu_bytes),
            "admin_status": "up",
            **({"description": vlan.description} if vlan.description else {}),
        }
        database["VLAN_INTERFACE"] |= _vlan_addresses(name, vlan)
    members: dict[str, PortIntent | PortChannelIntent] = {
        **{names[port]: used for port, used in intent.ports.items()},
        **{channel_name(number): channel for number, channel in intent.port_channels.items()},
    }
    for member, used in members.items():
        database["VLAN_MEMBER"] |= dict(_memberships(member, used))
    if intent.anycast_mac:
        database["SAG"]["GLOBAL"] = {"gateway_mac": intent.anycast_mac}
    return database


def _vlan_addresses(name: str, vlan: VlanIntent) -> dict[str, Fields]:
    """Return the rows of a VLAN's interface; beside an anycast gateway the switch's own address is secondary."""
    if vlan.anycast_gateway:
        rows_of = {name: {"static_anycast_gateway": "true"}, key(name, vlan.anycast_gateway): {}}
        return rows_of | ({key(name, vlan.address): {"secondary": "true"}} if vlan.address else {})
    return {name: {}, key(name, vlan.address): {}} if vlan.address else {}


def _memberships(member: str, used: PortIntent | PortChannelIntent) -> Iterator[tuple[str, Fields]]:
    """Yield the VLAN_MEMBER rows of a port or port channel."""
    if used.vlan is not None:
        yield key(vlan_name(used.vlan), member), {"tagging_mode": "untagged"}
    for vlan in used.tagged_vlans:
        yield key(vlan_name(vlan), member), {"tagging_mode": "tagged"}


def write_port_channels(intent: SwitchIntent, names: Mapping[str, str]) -> ConfigDb:
    """Return the tables of port channels, and of the EVPN segments on them."""
    database: ConfigDb = {"PORTCHANNEL": {}, "PORTCHANNEL_INTERFACE": {}, "EVPN_ETHERNET_SEGMENT": {}}
    for number, channel in intent.port_channels.items():
        name, segment = channel_name(number), channel.ethernet_segment
        database["PORTCHANNEL"][name] = {
            "mtu": str(channel.mtu_bytes),
            "admin_status": "up",
            **({"description": channel.description} if channel.description else {}),
            **({"system_mac": segment.system_mac} if segment else {}),
            **({"fallback": "true"} if channel.lacp_bypass else {}),
        }
        if channel.address:
            database["PORTCHANNEL_INTERFACE"] |= {name: {}, key(name, channel.address): {}}
        if segment:
            fields = {"esi": "AUTO", "type": "TYPE_3_MAC_BASED", "df_pref": str(segment.df_preference)}
            database["EVPN_ETHERNET_SEGMENT"][name] = fields
    members = {
        key(channel_name(port.port_channel), names[port_key]): dict[str, str]()
        for port_key, port in intent.ports.items()
        if port.port_channel is not None
    }
    return database | {"PORTCHANNEL_MEMBER": members}


def write_overlay(intent: SwitchIntent) -> ConfigDb:
    """Return the loopback and the VXLAN tables."""
    database: ConfigDb = {}
    if intent.loopback:
        database["LOOPBACK_INTERFACE"] = {"Loopback0": {}, key("Loopback0", intent.loopback): {}}
    if intent.vxlan:
        database["VXLAN_TUNNEL"] = {TUNNEL: {"src_ip": intent.vxlan.source_address}}
        database["VXLAN_EVPN_NVO"] = {OVERLAY: {"source_vtep": TUNNEL}}
        database["VXLAN_TUNNEL_MAP"] = {
            key(TUNNEL, f"map_{vlan.vni}_{vlan_name(number)}"): {"vlan": vlan_name(number), "vni": str(vlan.vni)}
            for number, vlan in intent.vlans.items()
            if vlan.vni is not None
        }
    return database


def read_vlans(database: ConfigDb) -> dict[int, VlanIntent]:
    """Return the VLANs by number."""
    vnis = {fields.get("vlan"): int(fields.get("vni", 0)) for _, fields in rows(database, "VXLAN_TUNNEL_MAP", 2)}
    vlans = {}
    for name, fields in database.get("VLAN", {}).items():
        anycast = row_fields(database, "VLAN_INTERFACE", name).get("static_anycast_gateway") == "true"
        addresses = [(row[1], of) for row, of in rows(database, "VLAN_INTERFACE", 2) if row[0] == name]
        primary = next((address for address, of in addresses if of.get("secondary") != "true"), None)
        secondary = next((address for address, of in addresses if of.get("secondary") == "true"), None)
        vlans[int(fields.get("vlanid", 0))] = VlanIntent(
            description=fields.get("description", ""),
            mtu_bytes=int(fields.get("mtu", 0)),
            address=secondary if anycast else primary,
            anycast_gateway=primary if anycast else None,
            vni=vnis.get(name),
        )
    return vlans


def read_memberships(database: ConfigDb) -> tuple[dict[str, int], dict[str, tuple[int, ...]]]:
    """Return member to untagged VLAN, and member to tagged VLANs."""
    untagged: dict[str, int] = {}
    tagged: dict[str, list[int]] = {}
    for (vlan, member), fields in rows(database, "VLAN_MEMBER", 2):
        number = int(vlan.removeprefix("Vlan"))
        if fields.get("tagging_mode") == "untagged":
            untagged[member] = number
        else:
            tagged.setdefault(member, []).append(number)
    return untagged, {member: tuple(sorted(vlans)) for member, vlans in tagged.items()}


def read_port_channels(database: ConfigDb) -> dict[int, PortChannelIntent]:
    """Return the port channels by number."""
    untagged, tagged = read_memberships(database)
    addresses = {name: address for (name, address), _ in rows(database, "PORTCHANNEL_INTERFACE", 2)}
    return {
        int(name.removeprefix("PortChannel")): PortChannelIntent(
            description=fields.get("description", ""),
            mtu_bytes=int(fields.get("mtu", 0)),
            vlan=untagged.get(name),
            tagged_vlans=tagged.get(name, ()),
            address=addresses.get(name),
            ethernet_segment=_read_segment(database, name, fields),
            lacp_bypass=fields.get("fallback") == "true",
        )
        for name, fields in database.get("PORTCHANNEL", {}).items()
    }


def _read_segment(database: ConfigDb, name: str, fields: Fields) -> EthernetSegmentIntent | None:
    """Return the EVPN segment of a port channel."""
    segment = row_fields(database, "EVPN_ETHERNET_SEGMENT", name)
    return EthernetSegmentIntent(fields.get("system_mac", ""), int(segment.get("df_pref", 0))) if segment else None


def read_bundled(database: ConfigDb) -> dict[str, int]:
    """Return port name to the number of its port channel."""
    return {
        port: int(channel.removeprefix("PortChannel")) for (channel, port), _ in rows(database, "PORTCHANNEL_MEMBER", 2)
    }


def read_loopback(database: ConfigDb) -> str | None:
    """Return the loopback's address."""
    return next((address for (_, address), _ in rows(database, "LOOPBACK_INTERFACE", 2)), None)


def read_vxlan(database: ConfigDb) -> VxlanIntent | None:
    """Return the tunnel end point."""
    for fields in database.get("VXLAN_TUNNEL", {}).values():
        return VxlanIntent(fields.get("src_ip", ""))
    return None
