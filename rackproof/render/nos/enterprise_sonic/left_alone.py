"""Lines of Enterprise SONiC that Rackproof neither compares nor changes, and the text without its banners."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from rackproof.render.ownership import LeftAlone, LeftAloneTable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rackproof.render.config_tree import ConfigTree

COLLECTION: Final = "dellemc.enterprise_sonic 4.1.0, examples of"
SPYTEST: Final = "sonic-net/sonic-mgmt, spytest/apis"
GUIDE: Final = "Enterprise SONiC user guide; unverified: how 4.x prints it"
VTY: Final = "SONiC HLD of ACLs, 3.6.2.8.3 (line vty); AMD's cluster networking guide"

LEFT_ALONE: Final = (
    LeftAlone("username", "users", f"{COLLECTION} sonic_users", factory=r"username admin\b.*"),
    LeftAlone("aaa", "AAA", f"{COLLECTION} sonic_mfa; {GUIDE}"),
    LeftAlone("tacacs-server", "TACACS+", f"{SPYTEST}/security/tacacs.py"),
    LeftAlone("radius-server", "RADIUS", f"{COLLECTION} sonic_radius_server"),
    LeftAlone("ldap-server", "LDAP", f"{COLLECTION} sonic_ldap"),
    LeftAlone("login", "login limits", f"{COLLECTION} sonic_login_lockout, sonic_system"),
    LeftAlone("ip ssh", "SSH server", f"{COLLECTION} sonic_ssh, sonic_ssh_server"),
    LeftAlone("ip rest", "REST server", f"{COLLECTION} sonic_mgmt_servers"),
    LeftAlone("crypto", "certificates", f"{COLLECTION} sonic_pki"),
    LeftAlone("auditd-system", "audit", f"{COLLECTION} sonic_system"),
    LeftAlone("snmp-server", "SNMP", "playbook sonic_config of dellemc.enterprise_sonic 4.1.0"),
    LeftAlone("ztp", "zero-touch provisioning", "sonic-ztp, no ztp enable in sonic-cli"),
    LeftAlone("banner", "banner", f"{COLLECTION} sonic_system", factory=r"banner (login|motd) disable"),
    LeftAlone("clock timezone", "time zone", GUIDE, factory=r"clock timezone (Etc/)?UTC"),
    LeftAlone("line", "management ACL", VTY, factory="line vty"),
    LeftAlone("ip access-group", "management ACL", VTY, block="line"),
    LeftAlone("ip access-group", "management ACL", f"{COLLECTION} sonic_acl_interfaces", block="interface Management"),
    LeftAlone(
        "ipv6 access-group", "management ACL", f"{COLLECTION} sonic_acl_interfaces", block="interface Management"
    ),
    LeftAlone("ip access-list", "ACL definitions", f"{COLLECTION} sonic_l3_acls"),
    LeftAlone("ipv6 access-list", "ACL definitions", f"{COLLECTION} sonic_l3_acls"),
    LeftAlone("mac access-list", "ACL definitions", f"{COLLECTION} sonic_l2_acls"),
)
"""The site file cannot express these lines, and a switch without them may lock its users out or hide from monitoring.

An ACL is left alone where it protects the switch. One that is bound to a front panel port is an unexpected line.
"""

BANNER: Final = re.compile(r"(?P<head>banner (?:login|motd)) (?!disable$)(?P<sign>\S)(?P<rest>.*)")
"""First line of a banner: its text stands between two equal signs, on lines of its own (sonic_system)."""


TABLE: Final = LeftAloneTable(LEFT_ALONE)


def entry_for(line: str, block: str = "") -> LeftAlone | None:
    """Return the entry that a line of a block belongs to; None: Rackproof manages it. ``no`` changes nothing."""
    return TABLE.find(line.removeprefix("no ").split(" "), block)


def left_alone_lines(tree: ConfigTree, block: str = "") -> Iterator[tuple[LeftAlone, str]]:
    """Yield the lines that are left alone, each with its entry."""
    for line, inner in tree.items():
        entry = entry_for(line, block)
        if entry is not None:
            yield entry, line
        yield from left_alone_lines(inner, line)


def without_banner_texts(text: str) -> str:
    """Return a configuration without the texts of its banners, so that no line of a text reads as configuration.

    The text of a banner that has no end stays: the configuration was cut off, or this is no banner.
    """
    kept: list[str] = []
    rest = iter(lines := text.splitlines())
    for number, line in enumerate(rest, start=1):
        match = BANNER.match(line)
        kept.append(match["head"] if match else line)
        if match and not match["rest"].endswith(match["sign"]):
            for _ in range(text_length(lines[number:], match["sign"])):
                next(rest)
    return "\n".join(kept) + "\n"


def text_length(lines: Sequence[str], sign: str) -> int:
    """Return the number of lines up to the one that ends with ``sign``; 0: there is none."""
    return next((number for number, line in enumerate(lines, start=1) if line.rstrip().endswith(sign)), 0)
