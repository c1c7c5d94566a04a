"""Negation of sonic-cli lines: the ``no`` form of a line, and whether a new value replaces the old one.

The ``no`` forms are those of the management framework's command trees (``CLI/clitree/cli-xml``) and of the examples of
the dellemc.enterprise_sonic collection; a line without a row here is negated with ``no`` before it.
"""

import re
from typing import Final, NamedTuple

from rackproof.render.nos.enterprise_sonic.left_alone import entry_for


class Form(NamedTuple):
    """Negation of one kind of line."""

    pattern: re.Pattern[str]
    negation: str
    """Template of the negation; lines of a block with the same negation set the same thing."""
    replaced: bool
    """Whether a new line of the same thing replaces the old one, so that only a last one needs the negation."""


def _form(pattern: str, negation: str, *, replaced: bool = True) -> Form:
    return Form(re.compile(pattern + "$"), negation, replaced)


FORMS: Final = (
    _form(r"no (.+)", r"\1"),
    _form(r"shutdown", "no shutdown"),
    _form(r"interface breakout port (\S+) .*", r"no interface breakout port \1"),
    _form(r"interface (Vlan|PortChannel|Loopback) ?(\d+).*", r"no interface \1 \2", replaced=False),
    _form(r"router bgp \d+", "no router bgp", replaced=False),
    _form(r"roce enable.*", "no roce enable", replaced=False),
    _form(r"buffer init .*", "no buffer init", replaced=False),
    _form(r"buffer profile (\S+) .*", r"no buffer profile \1"),
    _form(r"port-group (\d+) .*", r"no port-group \1 speed"),
    _form(r"(ntp|logging) server (\S+).*", r"no \1 server \2", replaced=False),
    _form(r"ip name-server (\S+).*", r"no ip name-server \1", replaced=False),
    _form(r"ntp vrf .*", "no ntp vrf"),
    _form(r"(lldp (?:timer|multiplier|system-name|system-description)) .*", r"no \1"),
    _form(r"(ip load-share hash (?:seed|algorithm)) .*", r"no \1"),
    _form(r"ip anycast-mac-address .*", "no ip anycast-mac-address"),
    _form(r"ip anycast-address enable", "ip anycast-address disable"),
    _form(r"ip telemetry port .*", "no ip telemetry port"),
    _form(r"(priority-flow-control watchdog (?:polling-interval|action|restore-time)) .*", r"no \1"),
    _form(r"priority-flow-control watchdog on.*", "no priority-flow-control watchdog detect-time"),
    _form(r"(qos-map \S+) .*", r"no \1"),
    _form(r"(queue \d+ wred-policy) .*", r"no \1"),
    _form(r"(threshold (?:queue|priority-group) \d+ \S+) .*", r"no \1"),
    _form(r"(ip prefix-list \S+ seq \d+) .*", r"no \1"),
    _form(r"maximum-prefix .*", "no maximum-prefix"),
    _form(r"switchport access Vlan .*", "no switchport access Vlan"),
    _form(r"ip vrf forwarding .*", "no ip vrf forwarding"),
    _form(r"evpn ethernet-segment .*", "no evpn ethernet-segment", replaced=False),
    _form(r"update-source .*", "no update-source interface"),
    _form(r"timers connect .*", "no timers connect"),
    _form(r"maximum-paths ibgp .*", "no maximum-paths ibgp"),
    _form(
        r"(hostname|description|mtu|speed|fec|unreliable-los|scheduler-policy|cable-length|channel-group|system-mac"
        r"|router-id|weight|type|ecn|green|meter-type|cir|cbs|pir|pbs|source-ip|primary-ip|qos-mode|min-links"
        r"|remote-as|timers|df-preference|ebgp-multihop|advertisement-interval|maximum-paths|autoneg|startup-delay"
        r"|mac-holdtime|neigh-holdtime|df-election-time|es-activation-delay) .*",
        r"no \1",
    ),
)

MANAGEMENT_ADDRESS: Final = _form(r"ip address .*", "no ip address")
"""The management interface has one address, and is unreachable without it: a new one replaces the old."""

NEVER_SENT: Final = re.compile(r"(no )?(interface-naming|buffer pool)\b")
"""The interface naming cannot change during a session; a pool cannot be removed."""


def is_never_sent(line: str, block: str) -> bool:
    """Return whether a line is neither added nor removed: Rackproof leaves it alone, or no session can change it."""
    return NEVER_SENT.match(line) is not None or entry_for(line, block) is not None


def negation_form(line: str, block: str) -> Form | None:
    """Return the negation of ``line`` in the block that ``block`` opens; None: ``no`` before the line."""
    if block.startswith("interface Management") and MANAGEMENT_ADDRESS.pattern.match(line):
        return MANAGEMENT_ADDRESS
    return next((form for form in FORMS if form.pattern.match(line)), None)


def negated(line: str, block: str = "") -> str:
    """Return the line that negates ``line``."""
    form = negation_form(line, block)
    return f"no {line}" if form is None else form.pattern.sub(form.negation, line)


def is_replaced(line: str, block: str, by: set[str]) -> bool:
    """Whether one of the negated new lines ``by`` sets the same thing, so that it replaces ``line``."""
    form = negation_form(line, block)
    return form is not None and form.replaced and negated(line, block) in by
