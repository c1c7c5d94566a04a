"""Secrets in what devices print: their place is marked, they themselves are kept nowhere."""

import re
from typing import Final

HIDDEN: Final = "*"
"""What NVUE itself prints in place of a password."""
SECRETS: Final = re.compile(
    r"""(?mx) ^ (?P<before> \s* (?:
        username \s \S+ \s password
        | (?:tacacs|radius|ldap)-server \s .* \bkey (?:\s+encrypted)?
        | snmp-server \s community
        | snmp-server \s user \s .* \b (?:auth-password|priv-password|auth\s\S+|priv\s\S+)
        | ntp \s authentication-key \s \S+ \s \S+ (?:\s+encrypted)?
        | (?:neighbor \s .*)? \b password (?:\s+encrypted)?
        | ['"]? (?:hashed-|enable-)? (?:password|passphrase|secret|shared-key|auth-key|private-key) ['"]? \s* :
    ) \s+ ) (?P<secret> \S+)
    """
)
"""Lines of Enterprise SONiC, and keys of NVUE's YAML, behind which a secret or its hash stands."""


def without_secrets(text: str) -> str:
    """Return what a device printed, each secret hidden."""
    return SECRETS.sub(_hidden, text)


def _hidden(found: re.Match[str]) -> str:
    """Return a line with its secret hidden; in YAML an asterisk alone would be the name of an anchor."""
    before = found["before"]
    return f"{before}'{HIDDEN}'" if before.rstrip().endswith(":") else f"{before}{HIDDEN}"
