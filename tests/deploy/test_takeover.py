"""A running switch is taken over: what Rackproof leaves alone is there afterwards, and is no difference."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, NamedTuple

import pytest

from rackproof.deploy.protocol import Outcome
from rackproof.render.switch import left_alone
from tests.deploy.nos_words import FRONTEND

if TYPE_CHECKING:
    from tests.deploy.conftest import Bench

pytestmark = pytest.mark.lab


class Before(NamedTuple):
    """What somebody configured on a switch before Rackproof."""

    typed: tuple[str, ...]
    printed: tuple[str, ...]
    """Parts of the running configuration that show it."""
    topics: tuple[str, ...]


ENTERPRISE_SONIC: Final = Before(
    typed=(
        "username operator password $6$planted role operator",
        "aaa authentication login default group tacacs+ local",
        "tacacs-server host 192.0.2.9 key U2FsdGVkX1 encrypted",
        "radius-server host 192.0.2.10 auth-port 1812",
        "snmp-server user noc group ro auth sha auth-password U2FsdGVkX2 encrypted",
        "snmp-server host 192.0.2.11 user noc traps",
        "no ztp enable",
        "clock timezone Europe/Berlin",
        "banner login @no ntp server 10.0.0.1@",
        "ip access-list MGMT",
        "seq 10 permit tcp 192.0.2.0/24 any eq 22",
        "exit",
        "line vty",
        "ip access-group MGMT in",
        "exit",
        "interface Management 0",
        "ip access-group MGMT in",
        "exit",
        "ntp server 192.0.2.99",
    ),
    printed=(
        "username operator password $6$planted role operator",
        "aaa authentication login default group tacacs+ local",
        "tacacs-server host 192.0.2.9 key U2FsdGVkX1 encrypted",
        "radius-server host 192.0.2.10 auth-port 1812",
        "snmp-server user noc group ro auth sha auth-password U2FsdGVkX2 encrypted",
        "snmp-server host 192.0.2.11 user noc traps",
        "no ztp enable",
        "clock timezone Europe/Berlin",
        "banner login @\nno ntp server 10.0.0.1\n@",
        "ip access-list MGMT\n seq 10 permit tcp 192.0.2.0/24 any eq 22",
        "line vty\n ip access-group MGMT in",
    ),
    topics=(
        "AAA",
        "ACL definitions",
        "banner",
        "management ACL",
        "RADIUS",
        "SNMP",
        "TACACS+",
        "time zone",
        "users",
        "zero-touch provisioning",
    ),
)
CUMULUS: Final = Before(
    typed=(
        "nv set system aaa user operator role nvue-monitor",
        "nv set system aaa authentication-order 5 tacacs",
        "nv set system aaa tacacs server 192.0.2.9 secret planted",
        "nv set system aaa radius server 192.0.2.10 secret planted",
        "nv set service snmp-server username noc auth-sha planted",
        "nv set system timezone Europe/Berlin",
        "nv set system message pre-login 'Keep out'",
        "nv set acl MGMT type ipv4",
        "nv set acl MGMT rule 10 action permit",
        "nv set interface eth0 acl MGMT inbound",
        "nv set interface swp2 acl MGMT inbound control-plane",
        "nv set service ntp mgmt server 192.0.2.99",
    ),
    printed=(
        "operator:",
        "tacacs:",
        "192.0.2.9:",
        "192.0.2.10:",
        "noc:",
        "Europe/Berlin",
        "Keep out",
        "MGMT:\n",
        "control-plane: {}",
    ),
    topics=(
        "AAA",
        "ACL definitions",
        "banner",
        "control-plane ACL",
        "management ACL",
        "RADIUS",
        "SNMP",
        "TACACS+",
        "time zone",
        "users",
    ),
)
BEFORE: Final = {"enterprise-sonic": ENTERPRISE_SONIC, "cumulus": CUMULUS}


def test_a_running_switch_is_taken_over_with_what_protects_it(any_nos: Bench) -> None:
    nos = any_nos.planned.plan.switches[FRONTEND].nos
    before = BEFORE[nos]
    any_nos.type(FRONTEND, *before.typed)

    changes = any_nos.compared(FRONTEND)[FRONTEND].changes
    assert any("192.0.2.99" in change.text for change in changes), "what Rackproof manages is a difference"
    assert not [change.text for change in changes if "MGMT" in change.text or "planted" in change.text]

    result = any_nos.up(FRONTEND)[FRONTEND]
    assert result.outcome is Outcome.CHANGED, result
    running = any_nos.machine(FRONTEND).running
    assert not [part for part in before.printed if part not in running]
    assert "192.0.2.99" not in running
    assert left_alone(nos, running) == before.topics
    assert not any_nos.compared(FRONTEND)[FRONTEND].changes

    asyncio.run(any_nos.steps(FRONTEND)[FRONTEND].remove())
    removed = any_nos.machine(FRONTEND).running
    assert not [part for part in before.printed if part not in removed]
    assert left_alone(nos, removed) == before.topics


def test_a_new_switch_has_nothing_to_name(any_nos: Bench) -> None:
    nos = any_nos.planned.plan.switches[FRONTEND].nos
    assert left_alone(nos, any_nos.machine(FRONTEND).running) == ()
