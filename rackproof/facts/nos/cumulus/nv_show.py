"""Output of ``nv show ... -o json`` on Cumulus Linux.

The shapes are those of the NVUE reference (Show Commands) and of read-outs of 5.x switches in public drivers: an
interface with its ``link``; LLDP neighbours by their name, each with ``chassis`` and ``port``; the summary of BGP
neighbours that 5.12 and later print.
"""

import json
import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from rackproof.facts.models import BgpSession, LldpNeighbour, PortStatus

PORT_NAME = re.compile(r"(swp\d+(s\d+)?|bond\S+)\Z")
SPEED = re.compile(r"(?P<number>\d+)(?P<unit>[GM])\Z")
MBPS = {"G": 1000, "M": 1}
ESTABLISHED = "established"
FAMILIES = {"l2vpn-evpn": "evpn", "ipv4-unicast": "ipv4"}


def parse_interfaces(text: str) -> tuple[PortStatus, ...]:
    """Return the ports and bonds of ``nv show interface``.

    Raises
    ------
    ValueError
        The text is not JSON.
    """
    return tuple(
        port_status(name, part(found, "link")) for name, found in objects(text).items() if PORT_NAME.match(name)
    )


def port_status(name: str, link: Mapping[str, Any]) -> PortStatus:
    """Return the state of one port."""
    mtu = link.get("mtu")
    reason = "admin-down" if link.get("admin-status") == "down" else f"link-{link.get('oper-status', 'unknown')}"
    return PortStatus(
        name, link.get("oper-status") == "up", reason, speed_mbps(link.get("speed")), mtu if mtu is None else int(mtu)
    )


def speed_mbps(text: str | None) -> int | None:
    """Return a speed such as ``400G``; None where it is not reported, as for a port that is down."""
    match = SPEED.match(text or "")
    return int(match["number"]) * MBPS[match["unit"]] if match else None


def parse_lldp(text: str) -> tuple[LldpNeighbour, ...]:
    """Return the neighbours of ``nv show interface --view lldp-detail``.

    Raises
    ------
    ValueError
        The text is not JSON.
    """
    found = [
        port_neighbors(name, part(one, "lldp", "neighbor"))
        for name, one in objects(text).items()
        if PORT_NAME.match(name)
    ]
    return tuple(chain.from_iterable(found))


def port_neighbors(port: str, neighbours: Mapping[str, Any]) -> Iterator[LldpNeighbour]:
    """Yield the LLDP neighbors of one port."""
    for key, found in neighbours.items():
        chassis = part(found, "chassis")
        device, mac = chassis.get("system-name") or key, chassis.get("chassis-id") or ""
        yield LldpNeighbour(port, str(device), str(part(found, "port").get("name") or ""), str(mac).lower())


def parse_bgp(text: str) -> tuple[BgpSession, ...]:
    """Return the sessions of ``nv show vrf <vrf> router bgp neighbor``; nothing when BGP is not configured.

    Raises
    ------
    ValueError
        The text is not JSON.
    """
    return tuple(session(name, found) for name, found in objects(text).items())


def session(name: str, found: Mapping[str, Any]) -> BgpSession:
    """Return one session."""
    asn = str(found.get("remote-as", ""))
    families = part(found, "afi-safi")
    established = str(found.get("state", "")).lower() == ESTABLISHED
    carried = tuple(name for key, name in FAMILIES.items() if key in families)
    prefixes = sum(int(family.get("pfx-rcvd", 0)) for family in families.values()) if established else 0
    return BgpSession(name, int(asn) if asn.isdigit() else None, established, prefixes, carried)


def objects(text: str) -> Mapping[str, Any]:
    """Return the named objects of a read-out; an empty text, or an empty list, holds none."""
    found = json.loads(text) if text.strip() else {}
    if not isinstance(found, dict):
        return {}
    return {name: below for name, below in found.items() if isinstance(below, dict)}


def part(found: Mapping[str, Any], *words: str) -> Mapping[str, Any]:
    """Return the object below some keys; empty where there is none."""
    for word in words:
        below = found.get(word)
        found = below if isinstance(below, Mapping) else {}
    return found
