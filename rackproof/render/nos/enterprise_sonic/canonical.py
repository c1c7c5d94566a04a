"""What ``show running-configuration`` prints, in the form sonic-cli takes as input, without defaults.

Releases print ``interface Vlan10`` and take ``interface Vlan 10``; 3.x prints a port channel's attributes on its line,
4.x below it. Each default that a switch prints of its own accord stands in ``DEFAULTS`` with the place it was seen.
"""

from __future__ import annotations

import re
from typing import Final

from rackproof.render.config_tree import ConfigTree
from rackproof.render.nos.enterprise_sonic.left_alone import entry_for

SPACED = re.compile(r"^interface (Vlan|PortChannel|Loopback|Management) ?(\d+)")
MODE_ACTIVE = " mode active"

COLLECTION: Final = "dellemc.enterprise_sonic 4.1.0, examples of"
FRAMEWORK: Final = "Broadcom's sonic-mgmt-framework, CLI/clitree/cli-xml"
AMD_GUIDE: Final = "running configuration of a Z9664F-ON in AMD's cluster networking guide"
MANAGEMENT_PORT: Final = f"{FRAMEWORK}/interface.xml, configure-if-mgmt-view: as the factory's MGMT_PORT table has it"

DEFAULTS: Final[dict[str, dict[str, str]]] = {
    "": {
        "hardware": AMD_GUIDE,
        "lldp enable": f"{FRAMEWORK}/lldp.xml: on unless switched off",
        "ip telemetry port 8080": f"{COLLECTION} sonic_mgmt_servers: the port is 8080",
    },
    "interface Eth": {
        "unreliable-los auto": AMD_GUIDE,
    },
    "interface Management ": {
        "autoneg on": MANAGEMENT_PORT,
        "mtu 1500": MANAGEMENT_PORT,
        "no shutdown": MANAGEMENT_PORT,
        "speed 1000": MANAGEMENT_PORT,
    },
    "router bgp ": {
        "log-neighbor-changes": f"{COLLECTION} sonic_bgp_af",
        "network import-check": f"{COLLECTION} sonic_bgp_neighbors",
        "timers 60 180": f"{COLLECTION} sonic_bgp_neighbors",
    },
    "neighbor ": {
        "advertisement-interval 0": f"{COLLECTION} sonic_bgp_neighbors",
        "timers connect 30": f"{COLLECTION} sonic_bgp_neighbors",
    },
    "address-family ": {
        "dup-addr-detection": f"{COLLECTION} sonic_bgp_af",
        "maximum-paths ibgp 1": f"{COLLECTION} sonic_bgp_af",
        "send-community both": f"{COLLECTION} sonic_bgp_neighbors",
    },
}
"""Start of a block's line to the lines in it that are left out, each with where it was seen; "" is the top level."""

ADMIN_STATES: Final = ("shutdown", "no shutdown")

OF_UNUSED_PORTS: Final = frozenset(
    {
        "cable-length",
        "fec",
        "mtu",
        "priority-flow-control",
        "qos-map",
        "queue",
        "scheduler-policy",
        "speed",
        "standalone-link-training",
        "unreliable-los",
    }
)
"""First words of lines that mean nothing on a port that has no other line (the plan describes every port it uses).

``mtu``, ``speed`` and ``fec`` are printed for every port (dellemc.enterprise_sonic, sonic_interfaces); the others are
what ``roce enable`` puts on every port of the switch (HLD "QoS buffer and RoCE", 2.2.7).
"""


def owned_tree(tree: ConfigTree) -> ConfigTree:
    """Return ``tree`` in input form: what is managed, without defaults and the settings of ports that carry nothing."""
    owned: ConfigTree = {}
    for line, block in canonical_tree(tree).items():
        if line.startswith("interface Eth") and is_unused_port(block):
            owned[line] = {state: {} for state in ADMIN_STATES if state in block}
        else:
            owned[line] = block
    return owned


def canonical_tree(tree: ConfigTree) -> ConfigTree:
    """Return ``tree`` in input form, without defaults and the lines that are left alone."""
    return {
        canonical_line(line): _canonical_block(canonical_line(line), block)
        for line, block in tree.items()
        if line not in DEFAULTS[""] and entry_for(line) is None
    }


def canonical_line(line: str) -> str:
    """Return a top-level line as it is typed."""
    if line == "roce enable":
        return "roce enable pfc-priority 3,4"
    if line.startswith("interface "):
        return SPACED.sub(r"interface \1 \2", line).removesuffix(MODE_ACTIVE)
    return line


def _canonical_block(line: str, block: ConfigTree) -> ConfigTree:
    """Return the block that ``line`` opens, without defaults and the lines that are left alone."""
    if not block:
        return block
    defaults = _defaults(line)
    return {
        inner if inner != "fec none" else "fec off": _canonical_block(inner, inner_block)
        for inner, inner_block in block.items()
        if inner not in defaults and entry_for(inner, line) is None
    }


def _defaults(line: str) -> dict[str, str]:
    """Return the defaults of the block that ``line`` opens."""
    for start, defaults in DEFAULTS.items():
        if start and line.startswith(start):
            return defaults
    return {}


def is_unused_port(block: ConfigTree) -> bool:
    """Return whether a port has no line besides its admin state and settings of unused ports."""
    return all(line in ADMIN_STATES or line.partition(" ")[0] in OF_UNUSED_PORTS for line in block)
