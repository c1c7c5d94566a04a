"""BGP sessions and routes of a switch with Enterprise SONiC.

Sessions are those of the default VRF: others are not configured on this NOS (render/extensions.py refuses them).
"""

import re
from typing import Final

from rackproof.facts.fact import Answers
from rackproof.facts.models import BgpSession, Route
from rackproof.facts.nos.enterprise_sonic.shows import show_output, show_reader
from rackproof.facts.nos.enterprise_sonic.sonic_cli import parse_bgp_summary
from rackproof.facts.nos.readers import DEFAULT_VRF

BGP: Final = "show bgp ipv4 unicast summary"
EVPN: Final = "show bgp l2vpn evpn summary"
IP_ROUTE: Final = "show ip route"
ROUTE: Final = re.compile(
    r"^\s*(?P<code>[A-Z]\S*)\s+(?P<prefix>\d+\.\d+\.\d+\.\d+/\d+)\s+(?:via\s+\S+|Direct)\s+(?P<port>\S+)"
)
NEXT_HOP: Final = re.compile(r"^\s*\S*\s+via\s+\S+\s+(?P<port>\S+)")
PROTOCOLS: Final = {"B": "bgp", "C": "connected", "S": "static"}


def sessions(answers: Answers) -> dict[str, dict[str, BgpSession]]:
    """Parse the summaries of both families; a session of both is established when it is in each."""
    found = {one.neighbour: one for one in parse_bgp_summary(show_output(answers, BGP))}
    for one in parse_bgp_summary(show_output(answers, EVPN), "evpn"):
        before = found.get(one.neighbour)
        up = one.established and (before is None or before.established)
        families = (*one.families, *(before.families if before else ()))
        found[one.neighbour] = (before or one)._replace(established=up, families=families)
    return {DEFAULT_VRF: found}


def routes(answers: Answers) -> dict[str, Route]:
    """Parse ``show ip route``: a line a route, then one for each further next hop; only selected routes count."""
    found: dict[str, Route] = {}
    last = ""
    for line in show_output(answers, IP_ROUTE).splitlines():
        if match := ROUTE.match(line):
            last = match["prefix"] if ">" in match["code"] else ""
            if last:
                protocol = PROTOCOLS.get(match["code"][0], match["code"][0])
                found[last] = Route(last, protocol, (match["port"],))
        elif last and (further := NEXT_HOP.match(line)):
            found[last] = found[last]._replace(next_hops=(*found[last].next_hops, further["port"]))
    return found


SESSIONS: Final = show_reader(sessions, BGP, EVPN)
ROUTES: Final = show_reader(routes, IP_ROUTE)
