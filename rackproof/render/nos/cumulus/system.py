"""Host name, NTP, DNS, syslog, LLDP and DHCP relays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rackproof.plan.model.plan import DhcpRelayIntent, ManagementIntent
from rackproof.render.nos.cumulus.names import NUMBERED, natural
from rackproof.render.nos.cumulus.tree import below, put, word

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rackproof.plan.model.plan import SwitchIntent
    from rackproof.render.config_tree import ConfigTree
    from rackproof.render.nos.cumulus.ports import PortNames

MANAGEMENT_VRF: Final = "mgmt"
RELAY: Final = ("service", "dhcp-relay")
SYSLOG: Final = ("system", "syslog", "server")
OF_A_VNI: Final = "_l3"
"""Ends the name of the interface that NVUE makes for the VLAN of a VRF's VNI."""


def write_services(tree: ConfigTree, intent: SwitchIntent) -> None:
    """Add the services; their servers are reached over the management port."""
    put(tree, "system", "hostname", intent.hostname)
    for server in intent.ntp:
        put(tree, "service", "ntp", MANAGEMENT_VRF, "server", server)
    for server in intent.dns:
        put(tree, "service", "dns", MANAGEMENT_VRF, "server", server)
    for server in intent.syslog:
        put(tree, *SYSLOG, server, "vrf", MANAGEMENT_VRF)
    if not intent.lldp:
        put(tree, "service", "lldp", "state", "disabled")


def write_relays(tree: ConfigTree, intent: SwitchIntent, names: PortNames) -> None:
    """Add the DHCP relays."""
    l3_vlans = {vrf.l3_vlan for vrf in intent.vrfs.values()}
    for vrf, relay in intent.dhcp_relays.items():
        for server in relay.servers:
            put(tree, *RELAY, vrf, "server", server)
        for key in relay.ports:
            put(tree, *RELAY, vrf, "interface", names.name_of[key])
        for vlan in relay.vlans:
            put(tree, *RELAY, vrf, "interface", f"vlan{vlan}" + (OF_A_VNI if vlan in l3_vlans else ""))


# --- Back to the intent -------------------------------------------------------------------------------------------


def read_management(tree: ConfigTree) -> ManagementIntent:
    """Return the management port."""
    ip = below(tree, "interface", "eth0", "ip")
    return ManagementIntent(address=word(ip, "address") or "", gateway=word(ip, "gateway"))


def read_servers(tree: ConfigTree, *words: str) -> tuple[str, ...]:
    """Return the servers at a path, in the order of their addresses."""
    return tuple(sorted(below(tree, *words), key=natural))


def read_relays(tree: ConfigTree, key_of: Mapping[str, str]) -> dict[str, DhcpRelayIntent]:
    """Return the DHCP relays by VRF."""
    return {
        vrf: DhcpRelayIntent(
            servers=read_servers(relay, "server"),
            ports=tuple(key_of[name] for name in sorted(below(relay, "interface"), key=natural) if name in key_of),
            vlans=tuple(sorted(_vlans(below(relay, "interface")))),
        )
        for vrf, relay in below(tree, *RELAY).items()
    }


def _vlans(interfaces: ConfigTree) -> Iterator[int]:
    """Yield the VLANs among interfaces."""
    for name in interfaces:
        match = NUMBERED.match(name.removesuffix(OF_A_VNI))
        if match is not None and match["stem"] == "vlan":
            yield int(match["first"])
