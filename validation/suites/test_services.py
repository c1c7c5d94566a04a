"""External services: default route, DNS, NTP and syslog."""

import re
from typing import Final

from rackproof.facts.hosts.routes import DEFAULT, MAIN
from rackproof.facts.hosts.routes import FACT as ROUTES
from rackproof.facts.hosts.services import FACT as SERVICES
from rackproof.facts.hosts.services import clock_state
from rackproof.results import Threshold
from rackproof.site.models import External
from validation.expected.fixtures import Judge, Server, SiteUnderTest, Switch, applies_to, requirements
from validation.expected.server_ports import up_remedy

OFFSET: Final = Threshold(
    0.05,
    "s",
    "at most",
    "Prometheus node_exporter, docs/node-mixin: NodeClockSkewDetected",
    "what its alert calls a skewed clock",
)
ADDRESS: Final = re.compile(r"\b\d+\.\d+\.\d+\.\d+\b")
NO_SERVICES: Final = "the lab has no external network: no {} can answer"


def external(server: Server) -> External:
    """Return what the site file says of the services around the site."""
    return server.site.planned.loaded.site.external


def in_a_lab(site: SiteUnderTest) -> bool:
    """Whether what is outside the site cannot be there."""
    return site.evidence.rehearsal and not site.evidence.replayed


@applies_to(lambda server: any(port.default_route and port.gateway for port in server.intent.addresses))
def test_default_route_is_the_one_of_the_plan(server: Server, judge: Judge) -> None:
    """The default route is the planned one.

    It leads through the first port towards clients.
    """
    routes = server.fact(ROUTES).through(DEFAULT, MAIN)
    port = next(one for one in server.intent.addresses if one.default_route and one.gateway)
    judge.expect_equal(
        server.name,
        expected=(f"{port.gateway} on {port.name}",),
        actual=tuple(sorted({f"{route.gateway or 'the link'} on {route.interface}" for route in routes})),
        remedy=up_remedy(server),
    )


@applies_to(lambda server: bool(external(server).dns))
def test_name_servers_are_those_of_the_site(server: Server, judge: Judge) -> None:
    """Servers use the name servers of the site, and no others."""
    judge.expect_equal(
        server.name,
        expected=tuple(sorted(str(address) for address in external(server).dns)),
        actual=tuple(sorted(server.fact(SERVICES).name_servers)),
        remedy=up_remedy(server),
    )


@applies_to(lambda server: bool(external(server).dns))
def test_name_servers_answer(server: Server, judge: Judge) -> None:
    """Every name server of the site answers every server."""
    found = server.fact(SERVICES).name_servers
    for address in map(str, external(server).dns):
        if in_a_lab(server.site) and not found.get(address):
            judge.skip(server.name, NO_SERVICES.format("name server"))
            continue
        judge.expect(
            server.name,
            found.get(address, False),
            expected=f"{address} answers",
            actual="it answers" if found.get(address) else "no answer" if address in found else "it is not asked",
            remedy="does the default route lead to it, and does its firewall take queries (UDP 53) from this address?",
        )


@applies_to(lambda server: bool(external(server).ntp))
def test_time_servers_of_the_site_are_asked(server: Server, judge: Judge) -> None:
    """Servers use every time server of the site.

    They may use those of the distribution too.
    """
    asked = {source.address for source in clock_state(server.fact(SERVICES)).sources}
    wanted = {str(address) for address in external(server).ntp}
    judge.expect_equal(
        server.name,
        expected=tuple(sorted(wanted)),
        actual=tuple(sorted(wanted & asked)),
        values={"all that are asked": ", ".join(sorted(asked)) or "none"},
        remedy=up_remedy(server),
    )


@applies_to(lambda server: bool(external(server).ntp))
def test_clock_follows_a_time_server(server: Server, judge: Judge) -> None:
    """The clock is synchronised to a time server of the site."""
    clock = clock_state(server.fact(SERVICES))
    answering = sorted(source.address for source in clock.sources if source.answers)
    if in_a_lab(server.site) and not answering:
        judge.skip(server.name, NO_SERVICES.format("time server"))
        return
    chosen = [source.address for source in clock.sources if source.chosen]
    ours = {str(address) for address in external(server).ntp}
    heard = f"{', '.join(answering) or 'no time server'} answers"
    judge.expect(
        server.name,
        clock.synchronised and bool(ours.intersection(chosen)),
        expected="synchronised to a time server of the site",
        actual=f"synchronised to {chosen[0]}" if chosen and clock.synchronised else f"not synchronised; {heard}",
        remedy="does the default route lead to it, and does its firewall take UDP 123? `chronyc sources` says more",
    )


@applies_to(lambda server: bool(external(server).ntp))
def test_clock_is_right(server: Server, judge: Judge) -> None:
    """The offset of the clock from its time server is within the limit."""
    clock = clock_state(server.fact(SERVICES))
    if in_a_lab(server.site) and not any(source.answers for source in clock.sources):
        judge.skip(server.name, NO_SERVICES.format("time server"))
    elif clock.offset_s is None or not any(source.chosen for source in clock.sources):
        judge.error(server.name, "its time service reports no offset of the clock", "chrony reports it")
    else:
        judge.expect_within(
            server.name, clock.offset_s, OFFSET, remedy="`chronyc tracking` says why; `chronyc makestep` sets"
        )


@applies_to(lambda switch: bool(switch.intent.syslog))
@requirements("OBS14")
def test_switches_send_their_logs(switch: Switch, judge: Judge) -> None:
    """Every switch sends its logs to the servers of the site, and to no others."""
    judge.expect_equal(
        switch.name,
        expected=tuple(sorted(switch.intent.syslog)),
        actual=tuple(sorted(log_servers(switch.facts.running()))),
        remedy=f"`rackproof up {switch.site.plan.site} --only {switch.name}` sets it",
    )


def log_servers(running: str) -> set[str]:
    """Return the log servers in a running configuration: a line each, or what is indented below ``syslog:``."""
    found: set[str] = set()
    depth: int | None = None
    for line in running.splitlines():
        indent, words = len(line) - len(line.lstrip()), line.strip()
        depth = None if depth is not None and indent <= depth else depth
        depth = indent if words == "syslog:" else depth
        if depth is not None or words.startswith("logging server "):
            found.update(ADDRESS.findall(words))
    return found
