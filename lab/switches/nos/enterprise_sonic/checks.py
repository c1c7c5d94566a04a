"""What the back end refuses although the syntax is valid: references, limits, missing hardware features.

Where no public source shows the wording, it is ours; that something is refused is what the sources say.
"""

from collections.abc import Callable
from ipaddress import IPv4Interface

from lab.switches.nos.enterprise_sonic.rule import Check, Context

MISSING = "No instance found for '{}'"
"""CVL's answer to a dangling reference (sonic-mgmt-common, cvl_semantics.go)."""


def exists(key: str) -> Check:
    """A top-level block must exist."""

    def check(context: Context) -> str | None:
        if context.negated:
            return None
        wanted = key.format(**context.arguments)
        if wanted in context.configuration.root.children:
            return None
        return MISSING.format(wanted.rpartition(" ")[2])

    return check


def unused(mode: str, slot: str) -> Check:
    """An object that a line of a block refers to cannot be deleted (CVL: dependent data exists)."""

    def check(context: Context) -> str | None:
        name = context.arguments["name"]
        users = (key for key, block in context.configuration.blocks(mode) if _refers(block.lines, slot, name))
        user = next(users, None) if context.negated else None
        return None if user is None else f"'{name}' is in use by {user.removeprefix('interface ')}"

    return check


def _refers(lines: dict[str, tuple[int, str]], slot: str, name: str) -> bool:
    return any(key.startswith(slot) and line.split()[-1] == name for key, (_, line) in lines.items())


def when_set(check: Callable[[Context], str | None]) -> Check:
    """A check of the positive form only."""
    return lambda context: None if context.negated else check(context)


@when_set
def speed_of_port(context: Context) -> str | None:
    """A port is no faster than its cage or its share of it."""
    native = int(context.block.facts["native-speed"])
    speeds = context.arguments.get("speed") or context.arguments.get("speeds") or "0"
    too_fast = [speed for speed in speeds.split(",") if int(speed) > native]
    return f"Unsupported speed {too_fast[0]} for {context.block.facts['name']}" if too_fast else None


@when_set
def two_lossless_priorities(context: Context) -> str | None:
    """At most two priorities are lossless (RoCE HLD, 2.2)."""
    slot = f"priority-flow-control priority {context.arguments['priority']}"
    taken = [key for key in context.block.lines if key.startswith("priority-flow-control priority ")]
    return "Maximum of two lossless priorities are supported" if slot not in taken and len(taken) >= 2 else None


@when_set
def access_vlan(context: Context) -> str | None:
    """An access VLAN exists, and the port is not routed or bundled."""
    if f"interface Vlan{context.arguments['vlan']}" not in context.configuration.root.children:
        return f"Invalid VLAN: {context.arguments['vlan']}"
    return not_routed(context)


@when_set
def trunk_vlans(context: Context) -> str | None:
    """A port with VLANs is not routed."""
    return not_routed(context)


def not_routed(context: Context) -> str | None:
    """A port with an address takes no VLAN and joins no bundle."""
    routed = [slot for slot in context.block.lines if slot.startswith(("ip address", "ipv6 address"))]
    return f"L3 configuration exists for Interface: {context.block.facts['name']}" if routed else None


def _bridged(context: Context) -> bool:
    return "switchport access Vlan" in context.block.lines or bool(context.block.maps.get("switchport trunk"))


@when_set
def address_fits(context: Context) -> str | None:
    """A routed port is in no VLAN and no bundle, and its subnet is nowhere else on the switch."""
    name = context.block.facts.get("name", "")
    if _bridged(context) or "channel-group" in context.block.lines:
        return f"L2 configuration exists for interface: {name}"
    wanted = IPv4Interface(context.arguments["address"])
    for key, block in context.configuration.root.children.items():
        if key == context.path[0]:
            continue
        for slot, (_, line) in block.lines.items():
            if slot.startswith("ip address ") and IPv4Interface(line.split()[2]).network.overlaps(wanted.network):
                return f"IP {wanted} overlaps with IP {line.split()[2]} of interface {key.removeprefix('interface ')}"
    return None


@when_set
def joins_bundle(context: Context) -> str | None:
    """A member's bundle exists; the member has neither addresses nor VLANs."""
    if f"interface PortChannel{context.arguments['id']}" not in context.configuration.root.children:
        return MISSING.format(f"PortChannel{context.arguments['id']}")
    if _bridged(context):
        return f"L2 configuration exists for interface: {context.block.facts['name']}"
    return not_routed(context)


@when_set
def thresholds_ascend(context: Context) -> str | None:
    """WRED's lower threshold is not above the upper one."""
    low, high = int(context.arguments["least"]), int(context.arguments["most"])
    return "Minimum threshold should be less than maximum threshold" if low > high else None


@when_set
def queue_pair_hash(context: Context) -> str | None:
    """Hashing on the queue pair needs an ASIC that can (roce_hash of platform_qos.json)."""
    return None if context.system.spec.hash_queue_pair else "Not supported on this platform"


@when_set
def lossless_mode(context: Context) -> str | None:
    """Buffers can be tuned in lossless mode only (RoCE HLD, 3.6.2.2)."""
    return None if context.system.lossless else "Buffer is not initialized to lossless mode"


@when_set
def one_asn(context: Context) -> str | None:
    """The default VRF has one BGP instance."""
    others = [key for key, _ in context.configuration.blocks("bgp") if key != f"router bgp {context.arguments['asn']}"]
    return f"BGP is already running with AS number {others[0].rpartition(' ')[2]}" if others else None


@when_set
def port_exists(context: Context) -> str | None:
    """A port must be there: by its model and its present breakout."""
    name = context.arguments["name"]
    key = f"interface {name.replace(' ', '')}"
    return None if key in context.configuration.root.children else f"Interface {name} does not exist"


@when_set
def peer_group_exists(context: Context) -> str | None:
    """A neighbour's peer group exists."""
    key = f"peer-group {context.arguments['name']}"
    router = context.configuration.block(context.path[:1])
    return None if router is not None and key in router.children else MISSING.format(context.arguments["name"])


@when_set
def route_map_exists(context: Context) -> str | None:
    """A session refers to a route map that exists (CVL: dangling reference)."""
    name = context.arguments["name"]
    found = any(key.startswith(f"route-map {name} ") for key, _ in context.configuration.blocks("route-map"))
    return None if found else MISSING.format(name)


@when_set
def prefix_list_exists(context: Context) -> str | None:
    """A route map refers to a prefix list that exists (CVL: dangling reference)."""
    name = context.arguments["name"]
    found = any(slot.startswith(f"ip prefix-list {name} ") for slot in context.configuration.root.lines)
    return None if found else MISSING.format(name)
