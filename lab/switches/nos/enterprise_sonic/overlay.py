"""The VXLAN overlay, from the configuration: VNIs of VLANs, and Ethernet segments."""

from collections.abc import Iterator
from typing import Final

from lab.switches.device_state import Network, Overlay, Segment
from lab.switches.nos.enterprise_sonic.tree import Block, Configuration

_SEGMENT: Final = "evpn ethernet-segment auto-system-mac"
_PREFERENCE: Final = "32767"
"""Of a segment without one (EVPN VXLAN multihoming design of SONiC)."""


def overlay(configuration: Configuration) -> Overlay | None:
    """Return the overlay of a switch; None without a tunnel address, or before BGP advertises it."""
    tunnel = next((block for _, block in configuration.blocks("vxlan")), None)
    address = None if tunnel is None else tunnel.argument("source-ip")
    told = any("advertise-all-vni" in _evpn(router).lines for _, router in configuration.blocks("bgp"))
    if tunnel is None or address is None or not told:
        return None
    return Overlay(address, tuple(_networks(configuration, tunnel)), tuple(_segments(configuration)))


def _evpn(router: Block) -> Block:
    return router.children.get("address-family l2vpn evpn", Block(""))


def _networks(configuration: Configuration, tunnel: Block) -> Iterator[Network]:
    for slot, (_, line) in tunnel.lines.items():
        if slot.startswith("map vni ") and slot.endswith(" vlan"):
            _, _, number, _, vlan = line.split()
            own = configuration.root.children.get(f"interface Vlan{vlan}")
            vrf = None if own is None else own.argument("ip vrf forwarding")
            yield Network(int(number), int(vlan), vrf, own is not None)


def _segments(configuration: Configuration) -> Iterator[Segment]:
    """Yield the segments of type 3 (RFC 7432, 5): MAC address and number of the port channel.

    ``auto-lacp``, which LACP's partner decides, is not supported.
    """
    for key, block in configuration.blocks("port-channel"):
        number, mac, own = key.rpartition("PortChannel")[2].strip(), block.argument("system-mac"), block.children
        if mac is None or _SEGMENT not in own:
            continue
        ports = configuration.blocks("ethernet")
        members = tuple(one.facts["name"] for _, one in ports if one.argument("channel-group") == number)
        esi = f"03:{mac}:{int(number).to_bytes(3, 'big').hex(':')}".lower()
        preference = int(own[_SEGMENT].argument("df-preference") or _PREFERENCE)
        yield Segment(esi, f"PortChannel{number}", members, preference)
