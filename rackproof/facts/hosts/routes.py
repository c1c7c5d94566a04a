"""Routes of a server, the rules that choose a table, and whether next hops answer.

Sources: ip-route(8), ip-rule(8) with ``-json``; ping(8) of iputils. Every next hop of any route is asked through the
port that the route names, all at once: on a server with eight rails a second in all.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from rackproof.facts.fact import Answers, Fact, command_output
from rackproof.facts.hosts.shell_text import json_objects

ROUTES: Final = "ip -json route show table all"
RULES: Final = "ip -json rule show"
NEXT_HOPS: Final = (
    "ip route show table all | sed -nE 's/.* via ([0-9.]+) dev ([^ ]+).*/\\2 \\1/p' | sort -u | { "
    "while read -r port hop; do "
    '{ ping -n -q -c 3 -i 0.2 -W 1 -I "$port" "$hop" >/dev/null 2>&1 && echo "$port $hop answers" '
    '|| echo "$port $hop silent"; } & done; wait; }'
)
"""One answer of three is enough: the first packet may wait for ARP."""
ANSWERS: Final = "answers"
MAIN: Final = "main"
DEFAULT: Final = "default"


class Route(Struct, frozen=True, gc=False):
    """A route."""

    to: str
    """Prefix, or ``default``."""
    gateway: str
    """Empty: what it leads to is on the link."""
    interface: str
    table: str
    """Number, or ``main``."""
    source: str
    """Address that packets get which have none yet; empty: any."""
    metric: int


class Rule(Struct, frozen=True, gc=False):
    """What sends packets from an address to a table."""

    source: str
    """``all``, or an address."""
    table: str


class Routing(Struct, frozen=True, gc=False):
    """How a server reaches others."""

    routes: tuple[Route, ...]
    rules: tuple[Rule, ...]
    next_hops: Mapping[tuple[str, str], bool]
    """Interface and address of every next hop of a route, to whether it answers."""

    def answers(self, interface: str, gateway: str) -> bool | None:
        """Whether a next hop answers; None: no route goes over it, so it was not asked."""
        return self.next_hops.get((interface, gateway))

    def through(self, to: str, table: str) -> tuple[Route, ...]:
        """Return the routes of a table to a prefix."""
        return tuple(route for route in self.routes if (route.to, route.table) == (to, table))


def parse_routes(answers: Answers) -> Routing:
    """Return how a server reaches others.

    Raises
    ------
    FactError
        ``ip`` did not answer, or the next hops could not be asked.
    """
    said = (line.rpartition(" ") for line in command_output(answers, NEXT_HOPS).splitlines())
    return Routing(
        routes=tuple(route for one in json_objects(answers, ROUTES) for route in _routes(one)),
        rules=tuple(
            Rule(str(one.get("src", "all")), str(one.get("table", ""))) for one in json_objects(answers, RULES)
        ),
        next_hops={_next_hop(hop): word == ANSWERS for hop, _, word in said},
    )


def _next_hop(text: str) -> tuple[str, str]:
    interface, _, address = text.partition(" ")
    return interface, address


def _routes(one: Mapping[str, Any]) -> Iterator[Route]:
    """Yield a route, one for each of its next hops."""
    table = str(one.get("table", MAIN))
    for hop in one.get("nexthops") or [one]:
        yield Route(
            to=str(one.get("dst", "")),
            gateway=str(hop.get("gateway", "")),
            interface=str(hop.get("dev", "")),
            table=table,
            source=str(one.get("prefsrc", "")),
            metric=int(one.get("metric", 0)),
        )


FACT: Final = Fact("routes", (ROUTES, RULES, NEXT_HOPS), parse_routes)
