"""BGP sessions and routes of a switch with Cumulus Linux.

BGP is FRR's, which NVUE configures: one command answers for all VRFs, where NVUE has one for each VRF. Routes are the
kernel's: iproute2's JSON.
"""

import json
from typing import Final

from rackproof.facts.fact import Answers, command_output
from rackproof.facts.models import BgpSession, Route
from rackproof.facts.nos.cumulus import frr
from rackproof.facts.nos.readers import Reader

BGP: Final = "sudo -n vtysh -c 'show bgp vrf all summary json'"
IP_ROUTE: Final = "ip -j route show"
PROTOCOLS: Final = {"kernel": "connected"}


def sessions(answers: Answers) -> dict[str, dict[str, BgpSession]]:
    """Return the BGP sessions of every VRF."""
    return frr.sessions(command_output(answers, BGP))


def routes(answers: Answers) -> dict[str, Route]:
    """Return the kernel's routes; a route holds one next hop itself, or several in ``nexthops``."""
    found: dict[str, Route] = {}
    for route in json.loads(command_output(answers, IP_ROUTE) or "[]"):
        protocol = str(route.get("protocol", ""))
        hops = tuple(str(hop["dev"]) for hop in route.get("nexthops", [route]) if "dev" in hop)
        prefix = full_prefix(str(route["dst"]))
        found[prefix] = Route(prefix, PROTOCOLS.get(protocol, protocol), hops)
    return found


def full_prefix(destination: str) -> str:
    """Return a destination with its prefix length; iproute2 shortens the default route and host routes."""
    if destination == "default":
        return "0.0.0.0/0"
    return destination if "/" in destination else f"{destination}/32"


SESSIONS: Final = Reader(sessions, (BGP,))
ROUTES: Final = Reader(routes, (IP_ROUTE,))
