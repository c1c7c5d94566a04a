"""Host name, time, logging, names, LLDP, hashing: the lines of the global block."""

from lab.switches.nos.enterprise_sonic import checks
from lab.switches.nos.enterprise_sonic.rule import Mode, Rule

_SOURCE_INTERFACE = "<interface:interface>"

_SERVICES = (
    Rule("hostname <name:host-name>", "X hostname; shown by 4.x: D system"),
    Rule("interface-naming standard", "X alias; D system", no=()),
    Rule("ip vrf mgmt", "X vrf; not there from the start: M", no=("no ip vrf mgmt",)),
    Rule(
        "ip name-server <server:host> [vrf mgmt]",
        "X dns",
        slot="ip name-server {server}",
        no=("no ip name-server <server:host>",),
    ),
    Rule(f"ip name-server source-interface {_SOURCE_INTERFACE}", "X dns"),
    Rule(
        "ntp server <server:host> [key <key:1..65535>] [minpoll <least:4..17> maxpoll <most:4..17>] "
        "[prefer (true|false)]",
        "X ntp; prefer: D ntp",
        slot="ntp server {server}",
        no=("no ntp server <server:host>",),
    ),
    Rule(
        f"ntp source-interface {_SOURCE_INTERFACE}",
        "X ntp",
        slot="ntp source-interface {interface}",
        no=(f"no ntp source-interface {_SOURCE_INTERFACE}",),
    ),
    Rule("ntp vrf (mgmt|default)", "X ntp"),
    Rule(
        f"logging server <server:host> [remote-port <port:1..65535>] [source-interface {_SOURCE_INTERFACE}] "
        "[vrf (mgmt|<vrf:vrf>)] [severity (debug|informational|info|notice|warning|error|critical|alert|emergency)] "
        "[message-type (log|event|audit)] [protocol (udp|tcp|tls)]",
        "X logging; the last three words: D logging",
        slot="logging server {server}",
        no=("no logging server <server:host>",),
    ),
    Rule(
        "username <name:word> password <password:word> role <role:word>",
        "D users; M",
        slot="username {name}",
        no=("no username <name:word>",),
    ),
)

_LLDP = (
    Rule("no lldp enable", "X lldp: on unless switched off", slot="lldp enable", no=("lldp enable",)),
    Rule("lldp (receive|transmit)", "X lldp", slot="lldp mode", no=("no lldp (receive|transmit)",)),
    Rule("lldp timer <seconds:5..254>", "X lldp"),
    Rule("lldp multiplier <count:1..10>", "X lldp"),
    Rule("lldp system-name <name:text>", "X lldp"),
    Rule("lldp system-description <text:text>", "X lldp"),
    Rule(
        "no lldp tlv-select <tlv:management-address|system-capabilities>",
        "X lldp",
        slot="lldp tlv-select {tlv}",
        no=("lldp tlv-select <tlv:management-address|system-capabilities>",),
    ),
)

_IPV4_FIELDS = "ipv4-src-ip|ipv4-dst-ip|ipv4-ip-proto|ipv4-l4-src-port|ipv4-l4-dst-port|symmetric"
_IPV6_FIELDS = "ipv6-src-ip|ipv6-dst-ip|ipv6-next-hdr|ipv6-l4-src-port|ipv6-l4-dst-port|symmetric"
_ALGORITHMS = "CRC|CRC_32HI|CRC_32LO|CRC_CCITT|CRC_XOR|JENKINS_HASH_HI|JENKINS_HASH_LO|RANDOM|XOR"

_HASHING = (
    Rule("ip load-share hash offset flow-based", "D ecmp_load_share"),
    Rule("ip load-share hash seed <seed:0..16777215>", "X loadshare"),
    Rule(
        f"ip load-share hash ipv4 <field:{_IPV4_FIELDS}>",
        "X loadshare",
        slot="ip load-share hash ipv4 {field}",
        no=(f"no ip load-share hash ipv4 <field:{_IPV4_FIELDS}>",),
    ),
    Rule(
        f"ip load-share hash ipv6 <field:{_IPV6_FIELDS}>",
        "X loadshare",
        slot="ip load-share hash ipv6 {field}",
        no=(f"no ip load-share hash ipv6 <field:{_IPV6_FIELDS}>",),
    ),
    Rule(f"ip load-share hash algorithm <algorithm:{_ALGORITHMS}>", "D ecmp_load_share"),
    Rule("ip load-share hash ingress-port", "D ecmp_load_share"),
    Rule("ip load-share hash roce qpn", "D ecmp_load_share; platform_qos.json roce_hash", check=checks.queue_pair_hash),
)

_TELEMETRY = (
    Rule("ip telemetry port <port:1..65535>", "U"),
    Rule("ip telemetry vrf mgmt", "U"),
    Rule("ip telemetry authentication <kinds:authentication>", "U"),
    Rule("ip telemetry min-sample-interval <seconds:1..3600>", "U; its range is ours"),
)

MODES = (Mode("config", "(config)", (*_SERVICES, *_LLDP, *_HASHING, *_TELEMETRY), visible=()),)
