"""No secret of a device, nor its hash, is kept; everything else stays as it was printed."""

from __future__ import annotations

import pytest

from rackproof.facts.redaction import without_secrets

CASES = [
    ("username admin password $6$salt$hash role admin", "username admin password * role admin"),
    (
        "tacacs-server host 10.0.0.1 key encrypted U2FsdGVk port 49",
        "tacacs-server host 10.0.0.1 key encrypted * port 49",
    ),
    ("radius-server key planted", "radius-server key *"),
    ("snmp-server community planted group ro", "snmp-server community * group ro"),
    ("ntp authentication-key 1 md5 planted", "ntp authentication-key 1 md5 *"),
    (" neighbor 10.0.0.1\n  password encrypted planted", " neighbor 10.0.0.1\n  password encrypted *"),
    ("        hashed-password: $6$salt$hash", "        hashed-password: '*'"),
    ("      'secret': planted", "      'secret': '*'"),
    ("  set community 65000:1 additive", "  set community 65000:1 additive"),
    ("bgp community-list standard own permit 65000:1", "bgp community-list standard own permit 65000:1"),
    (" description password-store rail0", " description password-store rail0"),
]


@pytest.mark.parametrize(("said", "kept"), CASES)
def test_secret_is_hidden(said: str, kept: str) -> None:
    assert without_secrets(said) == kept
