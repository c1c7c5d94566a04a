"""A configuration tree of Enterprise SONiC to its intent; what the intent cannot express is left to the comparison."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING

from rackproof.plan.model.plan import ManagementIntent, SwitchIntent, TelemetryIntent, VxlanIntent
from rackproof.plan.model.port_names import port_keys
from rackproof.render.config_tree import ConfigTree, blocks, value, values
from rackproof.render.nos.enterprise_sonic.context import DEFAULT_GNMI_PORT
from rackproof.render.nos.enterprise_sonic.parse_bgp import bgp_intent, routing_policy
from rackproof.render.nos.enterprise_sonic.parse_interfaces import (
    number,
    port_channel_intents,
    port_intents,
    vlan_intents,
)
from rackproof.render.nos.enterprise_sonic.parse_roce import roce_intent

if TYPE_CHECKING:
    from rackproof.hardware.models import NosModel, SwitchModel

MODE = " mode "


def switch_intent(nos: NosModel, model: SwitchModel, tree: ConfigTree) -> SwitchIntent:
    """Return the intent that a canonical tree states.

    What the tree lacks is empty or 0 in the intent; nothing is guessed.
    """
    breakouts = _breakouts(model, tree)
    keys = port_keys(nos, model, breakouts)
    return SwitchIntent(
        hostname=value(tree, "hostname") or "",
        management=_management(tree.get("interface Management 0", {})),
        ntp=_addresses(tree, "ntp server"),
        dns=_addresses(tree, "ip name-server"),
        syslog=_addresses(tree, "logging server"),
        breakouts=breakouts,
        ports=port_intents(tree, keys),
        port_channels=port_channel_intents(tree),
        vlans=vlan_intents(tree),
        loopback=value(tree.get("interface Loopback 0", {}), "ip address"),
        anycast_mac=value(tree, "ip anycast-mac-address"),
        bgp=bgp_intent(tree, keys),
        policy=routing_policy(tree),
        vxlan=_vxlan(tree),
        roce=roce_intent(tree),
        telemetry=TelemetryIntent(gnmi_port=number(value(tree, "ip telemetry port"), DEFAULT_GNMI_PORT)),
        lldp="no lldp enable" not in tree,
        default_route=value(tree, "ip route 0.0.0.0/0"),
    )


def _breakouts(model: SwitchModel, tree: ConfigTree) -> dict[str, str]:
    """Return the splits that the switch model has."""
    found = (text.partition(MODE)[::2] for text in values(tree, "interface breakout port"))
    modes = {port.removeprefix("1/"): mode for port, mode in found}
    known: dict[str, frozenset[str]] = {}
    for ports in model.ports:
        offered = frozenset(breakout.mode for breakout in ports.breakouts)
        known |= dict.fromkeys(map(str, range(ports.first, ports.last + 1)), offered)
    return {port: mode for port, mode in modes.items() if mode in known.get(port, ())}


def _management(block: ConfigTree) -> ManagementIntent:
    """Return the management address and gateway."""
    address, _, gateway = (value(block, "ip address") or "").partition(" gwaddr ")
    return ManagementIntent(address=address, gateway=gateway or None)


def _addresses(tree: ConfigTree, words: str) -> tuple[str, ...]:
    """Return the servers named after ``words`` in the order of their addresses: switches keep no other."""
    found = {text.partition(" ")[0] for text in values(tree, words)}
    return tuple(sorted(found, key=_address_order))


def _address_order(server: str) -> tuple[int, int, str]:
    """Sort key: addresses by number, names after them."""
    try:
        return (0, int(ip_address(server)), "")
    except ValueError:
        return (1, 0, server)


def _vxlan(tree: ConfigTree) -> VxlanIntent | None:
    """Return the tunnel end point."""
    for _, block in blocks(tree, "interface vxlan"):
        return VxlanIntent(source_address=value(block, "source-ip") or "")
    return None
