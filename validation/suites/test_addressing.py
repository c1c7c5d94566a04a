"""Addressing of servers: addresses, MTU, source routing and reachable next hops on every rail."""

from rackproof.facts.hosts.interfaces import FACT as INTERFACES
from rackproof.facts.hosts.interfaces import find_interface
from rackproof.facts.hosts.routes import FACT as ROUTES
from rackproof.facts.hosts.routes import Routing
from rackproof.plan.model.host import AddressedPort
from validation.expected.fixtures import Judge, Server, applies_to, requirements
from validation.expected.server_ports import fact_or_error, port_subject, up_remedy


def has_next_hop(port: AddressedPort) -> bool:
    """Whether something is reached over a port's gateway."""
    return port.gateway is not None and bool(port.to or port.default_route)


@applies_to(lambda server: bool(server.intent.addresses))
def test_every_port_has_its_address_alone(server: Server, judge: Judge) -> None:
    """Every port has the address of the plan, and no other."""
    interfaces = server.fact(INTERFACES)
    for port in server.intent.addresses:
        subject = port_subject(server, port.name)
        found = fact_or_error(judge, subject, find_interface, interfaces, port.name)
        if found is not None:
            judge.expect_equal(
                subject, expected=(port.address,), actual=found.addresses, rail=port.rail, remedy=up_remedy(server)
            )


@applies_to(lambda server: any(port.mtu_bytes for port in server.intent.addresses))
def test_mtu_is_that_of_the_fabric(server: Server, judge: Judge) -> None:
    """Every port has the MTU of its fabric."""
    interfaces = server.fact(INTERFACES)
    for port in server.intent.addresses:
        subject = port_subject(server, port.name)
        found = fact_or_error(judge, subject, find_interface, interfaces, port.name)
        if found is not None and port.mtu_bytes is not None:
            judge.expect_equal(
                subject,
                expected=port.mtu_bytes,
                actual=found.mtu_bytes,
                unit="bytes",
                rail=port.rail,
                remedy=up_remedy(server),
            )


@applies_to(lambda server: any(port.table for port in server.intent.addresses))
def test_what_leaves_from_an_address_leaves_through_its_port(server: Server, judge: Judge) -> None:
    """Packets from the address of a rail leave through the port of that rail, by its own routing table."""
    routing = server.fact(ROUTES)
    for port in (one for one in server.intent.addresses if one.table):
        judge.expect_equal(
            port_subject(server, port.name),
            expected=tuple(expected_ways(port)),
            actual=tuple(found_ways(routing, port)),
            rail=port.rail,
            remedy=up_remedy(server),
        )


def expected_ways(port: AddressedPort) -> list[str]:
    """Return where packets from a port's address must go, in words."""
    source = port.address.partition("/")[0]
    beyond = [f"{prefix} via {port.gateway} on {port.name}" for prefix in port.to if port.gateway]
    return [f"from {source} by table {port.table}", *beyond]


def found_ways(routing: Routing, port: AddressedPort) -> list[str]:
    """Return where packets from a port's address go, as far as the plan says something of it."""
    source = port.address.partition("/")[0]
    tables = [rule.table for rule in routing.rules if rule.source == source]
    routes = [route for prefix in port.to for route in routing.through(prefix, str(port.table))]
    ways = [f"{route.to} via {route.gateway or 'the link'} on {route.interface}" for route in routes]
    return [*(f"from {source} by table {table}" for table in tables), *ways]


@applies_to(lambda server: any(has_next_hop(port) for port in server.intent.addresses))
@requirements("BMAAS06")
def test_next_hop_answers(server: Server, judge: Judge) -> None:
    """The gateway of every rail, and of the default route, answers through its own port."""
    routing = server.fact(ROUTES)
    for port in filter(has_next_hop, server.intent.addresses):
        answers = routing.answers(port.name, port.gateway or "")
        said = {True: "it answers", False: "no answer", None: "not asked: no route uses it"}
        judge.expect(
            port_subject(server, port.name),
            answers is True,
            expected=f"{port.gateway} answers through {port.name}",
            actual=said[answers],
            rail=port.rail,
            remedy="is the cable in the port of the plan, and the switch's VLAN and address set? see cabling and links",
        )
