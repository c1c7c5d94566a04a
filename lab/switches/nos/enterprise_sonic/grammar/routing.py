"""Static routes, BGP, BFD, VXLAN and EVPN."""

from lab.switches.nos.enterprise_sonic import checks
from lab.switches.nos.enterprise_sonic.rule import Entry, Mode, Rule

_FAMILIES = "ipv4 unicast|ipv6 unicast|l2vpn evpn"


def _families(prefix: str, source: str) -> tuple[Rule, ...]:
    return tuple(
        Rule(
            f"address-family {family}",
            source,
            enters=Entry(f"{prefix}-{family.split()[0]}", f"address-family {family}"),
        )
        for family in _FAMILIES.split("|")
    )


_SESSION = (
    Rule("description <text:text>", "X bgp"),
    Rule("ebgp-multihop <hops:1..255>", "X bgp", no=("no ebgp-multihop [<hops:1..255>]",)),
    Rule(
        "remote-as (internal|external|<asn:1..4294967295>)",
        "X bgp",
        no=("no remote-as [(internal|external|<asn:1..4294967295>)]",),
    ),
    Rule("timers <keepalive:1..3600> <hold:1..3600>", "X bgp", no=("no timers <keepalive:1..3600> <hold:1..3600>",)),
    Rule("timers connect <seconds:1..65535>", "X bgp", no=("no timers connect <seconds:1..65535>",)),
    Rule("advertisement-interval <seconds:0..600>", "X bgp"),
    Rule("bfd", "X bgp", no=("no bfd",)),
    Rule(
        "update-source (interface <name:interface>|<address:ipv4>)",
        "X bgp",
        no=("no update-source interface <name:interface>", "no update-source <address:ipv4>"),
    ),
    Rule("capability extended-nexthop", "X bgp"),
    Rule("capability dynamic", "X bgp"),
    Rule("ttl-security hops <hops:1..254>", "X bgp"),
    Rule("shutdown", "X bgp", no=("no shutdown",)),
    Rule("password <password:word> [encrypted]", "X bgp"),
)

_ROUTER = Mode(
    "bgp",
    "(config-router-bgp)",
    (
        Rule("router-id <address:ipv4>", "X bgp"),
        Rule("log-neighbor-changes", "X bgp"),
        Rule("network import-check", "X bgp"),
        Rule(
            "timers <keepalive:1..3600> <hold:1..3600>", "X bgp", no=("no timers <keepalive:1..3600> <hold:1..3600>",)
        ),
        Rule("bestpath as-path multipath-relax", "X bgp"),
        Rule("graceful-restart enable", "X bgp"),
        *_families("bgp-af", "X bgp"),
        Rule(
            "peer-group <name:long-name>",
            "X bgp",
            no=("no peer-group <name:long-name>",),
            enters=Entry("bgp-group", "peer-group {name}"),
        ),
        Rule(
            "neighbor <address:ipv4>",
            "X bgp",
            no=("no neighbor <address:ipv4>",),
            enters=Entry("bgp-neighbor", "neighbor {address}"),
        ),
        Rule(
            "neighbor interface <name:bgp-interface>",
            "X bgp",
            no=("no neighbor interface <name:bgp-interface>",),
            enters=Entry("bgp-neighbor", "neighbor interface {name}"),
            check=checks.port_exists,
        ),
    ),
    rank=80,
)
_UNICAST = (
    Rule("redistribute (connected|static)", "X bgp_af_ipv4", slot="{line}", no=("no redistribute (connected|static)",)),
    Rule("maximum-paths <paths:1..256>", "X bgp_af_ipv4"),
    Rule("maximum-paths ibgp <paths:1..256>", "X bgp_af_ipv4"),
    Rule("network <prefix:ipv4/len>", "X bgp_af_ipv4", slot="network {prefix}", no=("no network <prefix:ipv4/len>",)),
)
_EVPN = (
    Rule("advertise-all-vni", "X bgp_af_l2vpn"),
    Rule("advertise-default-gw", "X bgp_af_l2vpn"),
    Rule("advertise-svi-ip", "X bgp_af_l2vpn"),
    Rule("advertise (ipv4|ipv6) unicast", "X bgp_af_l2vpn", slot="{line}", no=("no advertise (ipv4|ipv6) unicast",)),
)
_ACTIVATED = (
    Rule("activate", "X bgp_af_ipv4"),
    Rule("allowas-in <count:1..10>", "X bgp_af_ipv4"),
    Rule("next-hop-self", "X bgp_af_ipv4"),
    Rule("route-reflector-client", "X bgp_af_ipv4"),
    Rule("send-community (standard|extended|both|large|all|none)", "X bgp_af_ipv4; D bgp_neighbors_af"),
    Rule("soft-reconfiguration inbound", "X bgp_af_ipv4"),
    Rule(
        "route-map <name:long-name> (in|out)",
        "D bgp_neighbors_af",
        slot="{line}",
        no=("no route-map <name:long-name> (in|out)",),
        check=checks.route_map_exists,
    ),
    Rule(
        "prefix-list <name:long-name> (in|out)",
        "D bgp_neighbors_af",
        slot="{line}",
        no=("no prefix-list <name:long-name> (in|out)",),
    ),
    Rule(
        "maximum-prefix <count:1..4294967295> [<threshold:1..100>] "
        "[(warning-only|discard-extra|restart <minutes:1..65535>)]",
        "D bgp_neighbors_af",
        no=("no maximum-prefix",),
    ),
)
_ROUTE_MAP = Mode(
    "route-map",
    "(config-route-map)",
    (
        Rule(
            "match ip address prefix-list <name:long-name>",
            "D route_maps",
            no=("no match ip address prefix-list [<name:long-name>]",),
            check=checks.prefix_list_exists,
        ),
        Rule("set local-preference <value:0..4294967295>", "D route_maps"),
        Rule("set metric <value:0..4294967295>", "D route_maps"),
    ),
    rank=79,
)


def _family_modes(prefix: str, prompt: str, visible: tuple[str, ...], rank: int) -> tuple[Mode, ...]:
    unicast, evpn = (_UNICAST, _EVPN) if prefix == "bgp-af" else (_ACTIVATED, _ACTIVATED)
    tables = {"ipv4": unicast, "ipv6": unicast, "l2vpn": evpn}
    return tuple(
        Mode(f"{prefix}-{family}", prompt, rules, visible, rank + place)
        for place, (family, rules) in enumerate(tables.items())
    )


_ROUTED = ("bgp", "config")

MODES = (
    _ROUTE_MAP,
    _ROUTER,
    *_family_modes("bgp-af", "(config-router-bgp-af)", _ROUTED, 0),
    Mode("bgp-group", "(config-router-bgp-pg)", (*_SESSION, *_families("bgp-group-af", "X bgp")), _ROUTED, 10),
    *_family_modes("bgp-group-af", "(config-router-bgp-pg-af)", ("bgp-group", *_ROUTED), 0),
    Mode(
        "bgp-neighbor",
        "(config-router-bgp-neighbor)",
        (
            _SESSION[0],
            Rule(
                "peer-group <name:long-name>",
                "X bgp",
                no=("no peer-group [<name:long-name>]",),
                check=checks.peer_group_exists,
            ),
            *_SESSION[1:],
            *_families("bgp-neighbor-af", "X bgp"),
        ),
        _ROUTED,
        20,
    ),
    *_family_modes("bgp-neighbor-af", "(config-router-bgp-neighbor-af)", ("bgp-neighbor", *_ROUTED), 0),
    Mode(
        "vxlan",
        "(config-if-Vxlan-{name})",
        (
            Rule("source-ip <address:ipv4>", "X vxlan"),
            Rule("primary-ip <address:ipv4>", "X vxlan"),
            Rule("qos-mode (uniform|pipe dscp <dscp:0..63>)", "X vxlan", no=("no qos-mode",)),
            Rule(
                "map vni <vni:1..16777215> vlan <vlan:1..4094>",
                "X vxlan",
                slot="map vni {vni} vlan",
                no=("no map vni <vni:1..16777215> vlan <vlan:1..4094>",),
                check=checks.when_set(
                    lambda context: (
                        None
                        if f"interface Vlan{context.arguments['vlan']}" in context.configuration.root.children
                        else checks.MISSING.format(f"Vlan{context.arguments['vlan']}")
                    )
                ),
            ),
            Rule(
                "map vni <vni:1..16777215> vrf <vrf:vrf>",
                "X vxlan",
                slot="map vni {vni} vrf",
                no=("no map vni <vni:1..16777215> vrf <vrf:vrf>",),
            ),
            Rule(
                "suppress vlan-neigh vlan-name <vlan:word>",
                "D vxlans",
                slot="suppress {vlan}",
                no=("no suppress vlan-neigh vlan-name <vlan:word>",),
            ),
        ),
        rank=85,
    ),
    Mode(
        "evpn-multihoming",
        "(config-evpn-esi-mh)",
        tuple(
            Rule(f"{word} <seconds:0..86400>", "D evpn_esi_multihome")
            for word in ("mac-holdtime", "neigh-holdtime", "startup-delay", "df-election-time", "es-activation-delay")
        ),
        rank=84,
    ),
    Mode(
        "link-state-track",
        "(config-link-track)",
        (
            Rule("description <text:text>", "D lst"),
            Rule("timeout <seconds:1..1800>", "D lst"),
            Rule("downstream all-evpn-es", "D lst"),
            Rule("downstream all-mclag", "D lst"),
            Rule("threshold type percentage up <up:0..100> down <down:0..100>", "D lst", no=("no threshold type",)),
        ),
        rank=45,
    ),
    Mode(
        "bfd",
        "(config-bfd)",
        (
            Rule(
                "profile <name:long-name>",
                "D bfd",
                no=("no profile <name:long-name>",),
                enters=Entry("bfd-profile", "profile {name}"),
            ),
        ),
        rank=90,
    ),
    Mode(
        "bfd-profile",
        "(config-bfd-profile)",
        (
            Rule("detect-multiplier <count:2..255>", "X bfd"),
            Rule("receive-interval <ms:10..60000>", "X bfd"),
            Rule("transmit-interval <ms:10..60000>", "X bfd"),
            Rule("echo-mode", "X bfd"),
        ),
        visible=("bfd", "config"),
    ),
)

_ROUTE = (
    "<prefix:ipv4/len> (<gateway:ipv4>|interface <name:interface>|blackhole) "
    "[tag <tag:1..4294967295>] [<distance:1..255>]"
)

RULES = {
    "config": (
        Rule(
            "router bgp <asn:1..4294967295>",
            "X bgp",
            no=("no router bgp",),
            enters=Entry("bgp", "router bgp {asn}"),
            check=checks.one_asn,
        ),
        Rule(
            "interface vxlan <name:vtep>",
            "X vxlan",
            no=("no interface vxlan <name:vtep>",),
            enters=Entry("vxlan", "interface vxlan {name}"),
        ),
        Rule(
            "ip prefix-list <name:long-name> seq <number:1..4294967295> (permit|deny) <prefix:ipv4/len> "
            "[ge <least:1..32>] [le <most:1..32>]",
            "D prefix_lists",
            slot="ip prefix-list {name} seq {number}",
            no=("no ip prefix-list <name:long-name> seq <number:1..4294967295>",),
        ),
        *(
            Rule(
                f"route-map <name:long-name> {action} <number:1..65535>",
                "D route_maps",
                no=(f"no route-map <name:long-name> {action} <number:1..65535>",),
                enters=Entry("route-map", f"route-map {{name}} {action} {{number}}"),
            )
            for action in ("permit", "deny")
        ),
        Rule("evpn esi-multihoming", "D evpn_esi_multihome", enters=Entry("evpn-multihoming", "evpn esi-multihoming")),
        Rule(
            "link state track <group:name>",
            "D lst",
            enters=Entry("link-state-track", "link state track {group}"),
            no=("no link state track <group:name>",),
        ),
        Rule("bfd", "X bfd", enters=Entry("bfd", "bfd")),
        Rule(
            f"ip route vrf mgmt {_ROUTE}",
            "X route_static",
            slot="ip route vrf mgmt {prefix}",
            no=(f"no ip route vrf mgmt {_ROUTE}",),
        ),
        Rule(f"ip route {_ROUTE}", "X route_static", slot="ip route {prefix}", no=(f"no ip route {_ROUTE}",)),
    ),
}
