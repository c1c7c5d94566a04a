"""Interfaces: front panel ports, VLANs, loopbacks, port channels, the management port."""

from lab.switches.nos.enterprise_sonic import checks
from lab.switches.nos.enterprise_sonic.rule import Entry, Mode, Rule, Spread

_SPEEDS = "10|100|1000|2500|5000|10000|20000|25000|40000|50000|100000|200000|400000|800000"
_VLANS = "list 1..4094"

_DESCRIPTION = Rule("description <text:text>", "X interface")
_ADDRESS_6 = Rule(
    "ipv6 address <address:ipv6/len>",
    "X ipv6",
    slot="ipv6 address {address}",
    no=("no ipv6 address [<address:ipv6/len>]",),
)
_IPV6 = Rule("ipv6 enable", "X ipv6; A")
_VRF = Rule("ip vrf forwarding <vrf:vrf>", "X vrf")


def _mtu(default: int) -> Rule:
    return Rule("mtu <mtu:1312..9216>", "X interface (RANGE_MTU)", default=f"mtu {default}" if default else "")


def _shutdown(default: str) -> tuple[Rule, Rule]:
    return (
        Rule("shutdown", "X interface", slot="shutdown", no=(), default=default),
        Rule("no shutdown", "X interface", slot="shutdown", no=()),
    )


def _address() -> Rule:
    return Rule(
        "ip address <address:ipv4/len> [secondary]",
        "X ipv4",
        slot="ip address {address}",
        no=("no ip address [<address:ipv4/len> [secondary]]",),
        check=checks.address_fits,
    )


_SWITCHPORT = (
    Rule("switchport access Vlan <vlan:1..4094>", "X interface", check=checks.access_vlan),
    Rule(
        f"switchport trunk allowed Vlan [add] <values:{_VLANS}>",
        "X interface",
        slot="switchport trunk",
        no=(
            f"no switchport trunk allowed Vlan <values:{_VLANS}>",
            f"switchport trunk allowed Vlan remove <values:{_VLANS}>",
            "no switchport allowed Vlan",
        ),
        spread=Spread("values"),
        check=checks.trunk_vlans,
    ),
)

_MAP_KINDS = ("dscp-tc", "dot1p-tc", "tc-queue", "tc-pg", "pfc-priority-queue", "pfc-priority-pg")

_PORT_QOS = (
    Rule(
        "queue <queue:0..7> wred-policy <policy:name>",
        "X qos_interface",
        slot="queue {queue}",
        no=("no queue <queue:0..7> wred-policy",),
        check=checks.exists("qos wred-policy {policy}"),
    ),
    Rule("scheduler-policy <policy:name>", "X qos_interface", check=checks.exists("qos scheduler-policy {policy}")),
    Rule("cable-length (5m|40m|300m)", "D qos_interfaces"),
    *(
        Rule(
            f"qos-map {kind} <map:name>",
            "X qos_interface; pfc-priority-pg: D qos_interfaces",
            check=checks.exists(f"qos map {kind} {{map}}"),
        )
        for kind in _MAP_KINDS
    ),
    Rule(
        "priority-flow-control priority <priority:0..7>",
        "X qos_interface",
        slot="priority-flow-control priority {priority}",
        no=("no priority-flow-control priority [<priority:0..7>]",),
        check=checks.two_lossless_priorities,
    ),
    Rule("priority-flow-control asymmetric", "X qos_interface"),
    Rule(
        "priority-flow-control watchdog action (drop|forward|alert)",
        "X qos_interface",
        no=("no priority-flow-control watchdog action",),
    ),
    Rule(
        "priority-flow-control watchdog on detect-time <ms:100..5000>",
        "D qos_interfaces; A; range: X qos_pfc",
        slot="priority-flow-control watchdog on",
        no=("no priority-flow-control watchdog detect-time", "priority-flow-control watchdog off"),
    ),
    Rule(
        "priority-flow-control watchdog restore-time <ms:100..60000>",
        "D qos_interfaces; range: X qos_pfc",
        no=("no priority-flow-control watchdog restore-time",),
    ),
    Rule(
        "buffer priority-group <groups:list 0..7> <profile:name>",
        "S; H 3.6.2.2.7",
        slot="buffer priority-group {groups}",
        no=(),
        check=checks.lossless_mode,
    ),
    Rule(
        "buffer queue <queues:list 0..19> <profile:name>",
        "S; H 3.6.2.2.9",
        slot="buffer queue {queues}",
        no=(),
        check=checks.lossless_mode,
    ),
    Rule(
        "no buffer default-lossless-buffer-profile",
        "S; H 3.6.2.2.11",
        slot="default-lossless-buffer-profile",
        no=("buffer default-lossless-buffer-profile",),
    ),
    Rule(
        "threshold priority-group <group:0..7> (headroom|shared) <percent:1..100>",
        "X threshold",
        slot="threshold priority-group {group}",
        no=("no threshold priority-group <group:0..7> (headroom|shared)",),
    ),
    Rule(
        "threshold queue <queue:0..7> (unicast|multicast) <percent:1..100>",
        "X threshold",
        slot="threshold queue {queue}",
        no=("no threshold queue <queue:0..7> (unicast|multicast)",),
    ),
    Rule("no lldp enable", "X lldp", slot="lldp enable", no=("lldp enable",)),
    Rule("lldp (receive|transmit)", "X lldp", slot="lldp mode", no=("no lldp (receive|transmit)",)),
    Rule("no dcbx enable", "D dcbx", slot="dcbx enable", no=("dcbx enable",)),
)

_ETHERNET = Mode(
    "ethernet",
    "(config-if-{name})",
    (
        _DESCRIPTION,
        _mtu(9100),
        Rule(
            f"speed (auto [<speeds:speeds>]|<speed:{_SPEEDS}>)",
            "X interface; values and auto: D interfaces",
            default="speed {native-speed}",
            check=checks.speed_of_port,
        ),
        Rule("fec (RS|FC|off|none|AUTO)", "X interface (RS, FC, off); D interfaces (AUTO, none)"),
        Rule("standalone-link-training", "A"),
        Rule("unreliable-los (auto|on|off)", "D interfaces; A", default="unreliable-los auto"),
        Rule("channel-group <id:1..256>", "X interface", check=checks.joins_bundle),
        *_shutdown("shutdown"),
        *_SWITCHPORT,
        _VRF,
        _address(),
        _ADDRESS_6,
        _IPV6,
        Rule(
            "link state track <group:name> (upstream|downstream)",
            "D lst",
            slot="link state track {group}",
            no=("no link state track <group:name> (upstream|downstream)",),
            check=checks.exists("link state track {group}"),
        ),
        *_PORT_QOS,
    ),
    rank=60,
)
_VLAN = Mode(
    "vlan",
    "(config-if-{name})",
    (
        _DESCRIPTION,
        _mtu(0),
        Rule("no autostate", "X interface: on unless switched off", slot="autostate", no=("autostate",)),
        _VRF,
        _address(),
        Rule(
            "ip anycast-address <address:ipv4/len>",
            "X sag",
            slot="ip anycast-address {address}",
            no=("no ip anycast-address <address:ipv4/len>",),
        ),
        _ADDRESS_6,
        _IPV6,
    ),
    rank=40,
)
_LOOPBACK = Mode("loopback", "(config-if-{short})", (_DESCRIPTION, _address(), _ADDRESS_6), rank=41)
_PORT_CHANNEL = Mode(
    "port-channel",
    "(config-if-{short})",
    (
        _DESCRIPTION,
        _mtu(9100),
        Rule("min-links <links:1..255>", "X interface; as a line: D lag_interfaces"),
        Rule("fast_rate", "X interface; as a line: D lag_interfaces"),
        Rule("fallback", "X interface; as a line: D lag_interfaces"),
        Rule("graceful-shutdown", "X interface"),
        *_shutdown("no shutdown"),
        *_SWITCHPORT,
        _VRF,
        _address(),
        _ADDRESS_6,
        _IPV6,
        Rule("system-mac <mac:mac>", "D lag_interfaces"),
        Rule(
            "evpn ethernet-segment <identifier:auto-lacp|auto-system-mac>",
            "D lag_interfaces",
            enters=Entry("ethernet-segment", "evpn ethernet-segment {identifier}"),
            no=("no evpn ethernet-segment [<identifier:auto-lacp|auto-system-mac>]",),
        ),
    ),
    rank=50,
)
_ETHERNET_SEGMENT = Mode(
    "ethernet-segment",
    "(config-if-{short}-es)",
    (Rule("df-preference <value:1..65535>", "D lag_interfaces"),),
    visible=("port-channel", "config"),
)
_MANAGEMENT = Mode(
    "management",
    "(config-if-{short})",
    (
        _DESCRIPTION,
        Rule("mtu <mtu:1500..9216>", "X interface (MGMT_RANGE_MTU)"),
        Rule("autoneg (on|off)", "X interface"),
        Rule("speed (10|100|1000|auto)", "X interface"),
        *_shutdown("no shutdown"),
        Rule(
            "ip address <address:ipv4/len> [gwaddr <gateway:ipv4>]",
            "X ipv4",
            slot="ip address",
            no=("no ip address", "no ip address <address:ipv4/len>"),
        ),
        Rule(
            "ipv6 address <address:ipv6/len>",
            "X ipv6",
            slot="ipv6 address",
            no=("no ipv6 address", "no ipv6 address <address:ipv6/len>"),
        ),
    ),
    rank=55,
)

MODES = (_ETHERNET, _VLAN, _LOOPBACK, _PORT_CHANNEL, _ETHERNET_SEGMENT, _MANAGEMENT)

RULES = {
    "config": (
        Rule(
            "interface <name:eth>",
            "X interface",
            no=(),
            check=checks.port_exists,
            enters=Entry("ethernet", "interface {name}", create=False),
        ),
        Rule(
            "interface <name:vlan>",
            "X interface",
            no=("no interface <name:vlan>",),
            enters=Entry("vlan", "interface {name}"),
        ),
        Rule(
            "interface <name:loopback>",
            "X interface",
            no=("no interface <name:loopback>",),
            enters=Entry("loopback", "interface {name}"),
        ),
        Rule(
            "interface <name:port-channel> [mode active]",
            "X interface; U",
            no=("no interface <name:port-channel>",),
            enters=Entry("port-channel", "interface {name}"),
        ),
        Rule("interface <name:management>", "X interface", no=(), enters=Entry("management", "interface {name}")),
        Rule(
            "ip anycast-mac-address <mac:mac>",
            "X sag",
            no=("no ip anycast-mac-address <mac:mac>", "no ip anycast-mac-address"),
        ),
        Rule(
            "ip anycast-address enable",
            "X sag; D system",
            no=("ip anycast-address disable", "no ip anycast-address enable"),
        ),
    ),
}
