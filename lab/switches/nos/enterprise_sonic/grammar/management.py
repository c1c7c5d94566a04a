"""Access to the switch itself: AAA, SNMP, banners, time zone, zero-touch provisioning, ACLs of the management plane."""

from lab.switches.nos.enterprise_sonic.rule import Entry, Mode, Rule


def _any(word: str, source: str) -> Rule:
    """Return the rule of lines of which no public source shows the whole grammar: each line is kept as it is typed."""
    return Rule(f"{word} <rest:line>", source, slot="{line}", no=(f"no {word} <rest:line>",))


_LOGIN = (
    _any("aaa", "D mfa; U"),
    _any("tacacs-server", "S security/tacacs"),
    _any("radius-server", "D radius_server"),
    _any("ldap-server", "D ldap"),
    _any("login", "D login_lockout, system"),
    _any("ip ssh", "D ssh, ssh_server"),
    _any("snmp-server", "D config; U"),
    Rule("clock timezone <zone:word>", "U"),
    Rule("no ztp enable", "sonic-ztp (no ztp enable): on unless switched off", slot="ztp enable", no=("ztp enable",)),
    Rule("banner (login|motd) <text:banner>", "D system", slot="{line}", no=("no banner (login|motd)",)),
)

_ACL_NAME = "<name:long-name>"
_BINDINGS = tuple(
    Rule(
        f"{family} access-group {_ACL_NAME} in",
        "D acl_interfaces; line vty: SONiC HLD of ACLs, 3.6.2.8.3",
        slot=f"{family} access-group",
        no=(f"no {family} access-group {_ACL_NAME} in",),
    )
    for family in ("ip", "ipv6")
)
_ACL_RULES = (
    Rule("remark <text:text>", "D l3_acls"),
    Rule(
        "seq <number:1..65535> (permit|deny) <rest:line>",
        "D l3_acls",
        slot="seq {number}",
        no=("no seq <number:1..65535>",),
    ),
)

MODES = (
    Mode("line-vty", "(config-line-vty)", _BINDINGS, rank=95),
    Mode("ipv4-acl", "(config-ipv4-acl)", _ACL_RULES, rank=5),
    Mode("ipv6-acl", "(config-ipv6-acl)", _ACL_RULES, rank=6),
)
RULES = {
    "config": (
        *_LOGIN,
        Rule("line vty", "SONiC HLD of ACLs, 3.6.2.8.3; A", no=(), enters=Entry("line-vty", "line vty")),
        *(
            Rule(
                f"{family} access-list {_ACL_NAME}",
                "D l3_acls",
                no=(f"no {family} access-list {_ACL_NAME}",),
                enters=Entry(mode, f"{family} access-list {{name}}"),
            )
            for family, mode in (("ip", "ipv4-acl"), ("ipv6", "ipv6-acl"))
        ),
    ),
    "management": _BINDINGS,
}
