"""The configured state of ports and BGP, from the configuration."""

from collections.abc import Iterator
from ipaddress import ip_interface
from itertools import chain

from lab.spec.models import SwitchSpec
from lab.switches.device_state import RS_FROM_MBPS, BgpPeer, BgpSpeaker, DeviceState, PortState
from lab.switches.nos.cumulus.checks import is_on, mbps
from lab.switches.nos.cumulus.overlay import overlay
from lab.switches.nos.cumulus.ports import Port, front_panel_ports
from lab.switches.nos.cumulus.tree import Tree, at, bond_by_member, value

_FEC = {"rs": "rs", "baser": "fc", "off": "none"}
_RS_FROM_LANE_MBPS = 50_000
"""Lanes of 50 Gb/s and more are PAM4 and always have RS-FEC (IEEE 802.3cd, 802.3ck)."""
_MTU_BYTES = 9216
"""Of an interface without a setting (NVUE reference, Interface)."""
_FAMILIES = {"ipv4-unicast": "ipv4 unicast", "l2vpn-evpn": "l2vpn evpn"}


def host_name(tree: Tree) -> str:
    """Return the configured host name."""
    return value(tree, "system", "hostname") or "cumulus"


def device_state(tree: Tree, spec: SwitchSpec, version: str, *, ports_usable: bool, frr_up: bool) -> DeviceState:
    """Return the configured state of a switch, with the services that run now."""
    lldp = "disabled" not in {value(tree, "service", "lldp", "state"), value(tree, "system", "lldp", "state")}
    groups = bond_by_member(tree)
    return DeviceState(
        name=host_name(tree),
        ports={
            port.name: _port(port, at(tree, "interface", port.name), groups, lldp=lldp, usable=ports_usable)
            for port in front_panel_ports(spec, tree)
        },
        bgp=_bgp(tree) if frr_up else None,
        chassis_mac=spec.management_mac,
        description=f"Cumulus Linux version {version} running on {spec.product}",
        management_address=next(iter(addresses(at(tree, "interface", "eth0"))), "").partition("/")[0] or None,
        overlay=overlay(tree),
    )


def _port(port: Port, block: Tree, groups: dict[str, str], *, lldp: bool, usable: bool) -> PortState:
    stated = value(block, "link", "speed")
    speed_mbps = mbps(stated) if stated and stated != "auto" else port.speed_mbps
    return PortState(
        name=port.name,
        native_name=port.name,
        # A port that NVUE does not configure is not in /etc/network/interfaces and stays down.
        admin_up=(bool(block) or port.name in groups) and "down" not in at(block, "link", "state"),
        usable=usable,
        speed_mbps=speed_mbps,
        fec=_FEC.get(value(block, "link", "fec") or "", _own_fec(speed_mbps, port.lanes)),
        mtu_bytes=int(value(block, "link", "mtu") or _MTU_BYTES),
        description=value(block, "description") or "",
        lldp=lldp,
        ipv6_link_local=value(block, "ip", "ipv6", "enable") != "off",
        addresses=tuple(addresses(block)),
        autonegotiation=value(block, "link", "auto-negotiate") != "off",
        group=groups.get(port.name),
    )


def _own_fec(speed_mbps: int, lanes: int) -> str:
    """Return the FEC of a port without a setting."""
    return "rs" if speed_mbps >= RS_FROM_MBPS or speed_mbps // lanes >= _RS_FROM_LANE_MBPS else "none"


def addresses(block: Tree) -> Iterator[str]:
    """Yield the IPv4 addresses of an interface, in the syntax of any release."""
    for family in ("ip", "ipv4"):
        yield from (address for address in at(block, family, "address") if "." in address)


def _bgp(tree: Tree) -> BgpSpeaker | None:
    asn = value(tree, "router", "bgp", "autonomous-system") or ""
    if not is_on(tree, "router", "bgp") or not asn.isdigit():
        return None
    interfaces = at(tree, "interface").items()
    own = (addresses(block) for name, block in interfaces if name == "lo" or name.startswith(("vlan", "bond")))
    loopbacks = (at(vrf, "loopback", "ip", "address") for vrf in at(tree, "vrf").values())
    return BgpSpeaker(
        asn=int(asn),
        router_id=value(tree, "router", "bgp", "router-id") or "0.0.0.0",  # noqa: S104 what FRR shows when none is set
        peers=tuple(chain.from_iterable(peers(tree, name) for name in at(tree, "vrf"))),
        addresses=tuple(address.partition("/")[0] for address in chain.from_iterable((*own, *loopbacks))),
        networks=tuple(_advertised_prefixes(tree)),
    )


def _advertised_prefixes(tree: Tree) -> Iterator[str]:
    """Yield the prefixes of the default VRF that BGP advertises."""
    family = at(tree, "vrf", "default", "router", "bgp", "address-family", "ipv4-unicast")
    yield from at(family, "network")
    if is_on(family, "redistribute", "connected"):
        interfaces = at(tree, "interface").items()
        default = (block for name, block in interfaces if name != "eth0" and interface_vrf(block) is None)
        held = chain.from_iterable(addresses(block) for block in default)
        own = (address for address in at(tree, "vrf", "default", "loopback", "ip", "address") if "." in address)
        yield from dict.fromkeys(str(ip_interface(address).network) for address in (*held, *own))


def interface_vrf(block: Tree) -> str | None:
    """Return the VRF of an interface; None: the default one."""
    found = value(block, "ip", "vrf") or value(block, "vrf")
    return None if found == "default" else found


def peers(tree: Tree, vrf: str) -> Iterator[BgpPeer]:
    """Yield the BGP neighbours of a VRF."""
    bgp = at(tree, "vrf", vrf, "router", "bgp")
    if not is_on(bgp):
        return
    for name, block in at(bgp, "neighbor").items():
        group = at(bgp, "peer-group", value(block, "peer-group") or "")
        remote = value(block, "remote-as") or value(group, "remote-as") or ""
        shutdown = {value(block, "shutdown"), value(group, "shutdown")} & {"on", "enabled"}
        yield BgpPeer(name, remote, frozenset(_families(bgp, group, block)), bool(shutdown))


def _families(bgp: Tree, group: Tree, own: Tree) -> Iterator[str]:
    """Yield the families in use: IPv4 unless it is switched off, others where both speaker and neighbour have them."""
    for family, shown in _FAMILIES.items():
        ours = _says(bgp, family)
        theirs = _says(own, family) if _says(own, family) is not None else _says(group, family)
        default = family == "ipv4-unicast"
        if (default if ours is None else ours) and (default if theirs is None else theirs):
            yield shown


def _says(block: Tree, family: str) -> bool | None:
    found = at(block, "address-family", family)
    if not {"enable", "state"} & found.keys():
        return None
    return is_on(found)
