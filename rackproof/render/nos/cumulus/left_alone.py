"""Paths of NVUE that Rackproof neither compares nor changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rackproof.render.ownership import LeftAlone, LeftAloneTable

if TYPE_CHECKING:
    from rackproof.render.nos.cumulus.tree import Words

GUIDE: Final = "Cumulus Linux 5.12,"
STARTUP: Final = "the default startup file of Cumulus Linux 5.13, as NVIDIA's enterprise-ras 3.0.0 exports it"
ANY: Final = ".*"
OWN_USERS: Final = (
    r"system aaa (class (nvapply|nvshow|sudo)|role (nvue-admin|nvue-monitor|system-admin)|user cumulus)\b.*"
)
ACLS: Final = f"{GUIDE} Access-Control-List-Configuration"
OWN_ACLS: Final = r"system control-plane acl acl-default-(dos|whitelist)\b.*"

LEFT_ALONE: Final = (
    LeftAlone("system aaa tacacs", "TACACS+", f"{GUIDE} TACACS"),
    LeftAlone("system aaa radius", "RADIUS", f"{GUIDE} RADIUS-AAA"),
    LeftAlone("system aaa ldap", "LDAP", f"{GUIDE} LDAP-Authentication-and-Authorization"),
    LeftAlone("system aaa authentication-order", "AAA", f"{GUIDE} TACACS"),
    LeftAlone("system aaa", "users", f"{GUIDE} User-Accounts; {STARTUP}", factory=OWN_USERS),
    LeftAlone("service snmp-server", "SNMP", "list of all NVUE commands up to 5.14"),
    LeftAlone("system snmp-server", "SNMP", "What's New of Cumulus Linux 5.10 and later: moved from service"),
    LeftAlone("system message", "banner", STARTUP),
    LeftAlone("system timezone", "time zone", f"{GUIDE} Setting-Date-and-Time", factory=r"system timezone Etc/UTC"),
    LeftAlone("system control-plane", "control-plane ACL", STARTUP, factory=OWN_ACLS),
    LeftAlone("system security", "password rules", f"{GUIDE} User-Accounts"),
    LeftAlone("system ssh-server", "SSH server", STARTUP, factory="system ssh-server state enabled"),
    LeftAlone("acl", "ACL definitions", ACLS),
    LeftAlone("interface eth0 acl", "management ACL", ACLS),
    LeftAlone("interface * acl * inbound control-plane", "control-plane ACL", ACLS),
    LeftAlone("interface * acl * outbound control-plane", "control-plane ACL", ACLS),
    LeftAlone("system api", "NVUE API", STARTUP, factory=ANY),
    LeftAlone("system config", "NVUE settings", STARTUP, factory=ANY),
    LeftAlone("system reboot", "restart mode", STARTUP, factory=ANY),
    LeftAlone("system wjh", "What Just Happened", STARTUP, factory=ANY),
)
"""The site file cannot express these paths; zero-touch provisioning is no part of NVUE's configuration.

An ACL is left alone where it protects the switch. One that filters the traffic of a port is an unexpected path.
"""

TABLE: Final = LeftAloneTable(LEFT_ALONE)


def entry_for(words: Words) -> LeftAlone | None:
    """Return the entry that a path belongs to; None: Rackproof manages it."""
    return TABLE.find(words)
