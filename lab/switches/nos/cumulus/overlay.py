"""The VXLAN overlay, from the configuration: VNIs of VLANs and VRFs, and Ethernet segments."""

from collections.abc import Iterator
from typing import Final

from lab.switches.device_state import Network, Overlay, Segment
from lab.switches.nos.cumulus.checks import is_on
from lab.switches.nos.cumulus.tree import Tree, at, value

_PREFERENCE: Final = "32767"
"""Of a segment without one (EVPN-Multihoming)."""


def overlay(tree: Tree) -> Overlay | None:
    """Return the overlay of a switch; None without EVPN, or without a tunnel address."""
    address = value(tree, "nve", "vxlan", "source", "address")
    if not is_on(tree, "evpn") or not is_on(tree, "nve", "vxlan") or address is None:
        return None
    segments = tuple(_segments(tree)) if is_on(tree, "evpn", "multihoming") else ()
    return Overlay(address, (*_of_vlans(tree), *_of_vrfs(tree)), segments)


def _of_vlans(tree: Tree) -> Iterator[Network]:
    interfaces = at(tree, "interface")
    for bridge in at(tree, "bridge", "domain").values():
        for vlan, block in at(bridge, "vlan").items():
            own = at(interfaces, f"vlan{vlan}")
            vrf = value(own, "ip", "vrf") or value(own, "vrf")
            yield from (Network(int(vni), int(vlan), vrf, bool(own)) for vni in at(block, "vni"))


def _of_vrfs(tree: Tree) -> Iterator[Network]:
    for name, block in at(tree, "vrf").items():
        if is_on(block, "evpn"):
            yield from (Network(int(vni), vrf=name) for vni in at(block, "evpn", "vni"))


def _segments(tree: Tree) -> Iterator[Segment]:
    general = at(tree, "evpn", "multihoming", "segment")
    for name, block in at(tree, "interface").items():
        own = at(block, "evpn", "multihoming", "segment")
        esi = _esi(general, own) if is_on(own) else None
        if esi is not None:
            preference = value(own, "df-preference") or value(general, "df-preference") or _PREFERENCE
            yield Segment(esi, name, tuple(at(block, "bond", "member")), int(preference))


def _esi(general: Tree, own: Tree) -> str | None:
    """Return the identifier: ten bytes as they stand, or type 3: MAC address and local number (RFC 7432, 5)."""
    whole = value(own, "identifier")
    mac, number = value(own, "mac-address") or value(general, "mac-address"), value(own, "local-id")
    if whole is not None or mac is None or number is None:
        return whole
    return f"03:{mac}:{int(number).to_bytes(3, 'big').hex(':')}".lower()
