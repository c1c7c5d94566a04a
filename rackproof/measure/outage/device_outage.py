"""Duration of an outage, measured by pings from other hosts while a device or a leg is down."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from rackproof.plan.model.plan import Plan, ServerPlan

INTERVAL_S: Final = 0.2
"""The shortest that ping(8) allows to all users."""
LEG_DOWN_S: Final = 10.0
"""How long a leg is down: several times a bond's detection time."""
ANSWER: Final = re.compile(r"icmp_seq=(\d+) ttl=")


@dataclass(frozen=True, slots=True)
class Watch:
    """One host that pings another during an outage."""

    host: str
    own: str
    """Source address of the pings."""
    other: str
    """The host that is pinged."""
    address: str

    def __str__(self) -> str:
        return f"{self.host} > {self.other}"


def ping_command(watch: Watch, seconds: float) -> list[str]:
    """Return the command that pings for some seconds."""
    count = str(round(seconds / INTERVAL_S))
    return ["ping", "-n", "-c", count, "-i", str(INTERVAL_S), "-W", "1", "-I", watch.own, watch.address]


def longest_outage_s(text: str, seconds: float) -> float:
    """Return the longest time without an answer, in multiples of the interval."""
    sent = round(seconds / INTERVAL_S)
    answered = sorted({int(number) for number in ANSWER.findall(text)})
    places = [0, *answered, sent + 1]
    gap = max(after - before - 1 for before, after in pairwise(places))
    return round(gap * INTERVAL_S, 3)


def bond_addresses(plan: Plan, servers: frozenset[str], fabric: str) -> dict[str, str]:
    """Return server to the address of its bond on a fabric, of bonds with legs on two switches."""
    found: dict[str, str] = {}
    for name in sorted(servers):
        found.update((name, address) for address in _addresses(plan.servers[name], fabric))
    return found


def _addresses(server: ServerPlan, fabric: str) -> Iterator[str]:
    for bond in server.bonds.values():
        ports = [server.ports[member] for member in bond.members]
        if all(port.fabric == fabric for port in ports) and len({port.switch for port in ports}) > 1:
            yield bond.address.partition("/")[0]


def ring(addresses: Mapping[str, str]) -> tuple[Watch, ...]:
    """Return watches in which each host pings the next one."""
    names = sorted(addresses)
    following = [*names[1:], *names[:1]] if len(names) > 1 else []
    return tuple(
        Watch(one, addresses[one], other, addresses[other])
        for one, other in zip(names, following, strict=bool(following))
    )


def bond_ports(plan: Plan, server: str, fabric: str) -> tuple[str, ...]:
    """Return the ports of a server's bond on a fabric."""
    found = plan.servers[server].bonds.values()
    ports = plan.servers[server].ports
    return next((bond.members for bond in found if all(ports[one].fabric == fabric for one in bond.members)), ())
