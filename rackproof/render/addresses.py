"""The address plan as CSV: every subnet and every assigned address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rackproof.render.csv_text import csv_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rackproof.plan.model.plan import Plan, ServerPlan, SwitchIntent

COLUMNS = ("kind", "fabric", "device", "interface", "vlan", "address", "gateway", "mtu_bytes", "range")

Row = tuple[object, ...]


def addresses_csv(plan: Plan) -> Iterator[bytes]:
    """Yield the address plan: subnets, then switches, servers, storage and PDUs."""
    return csv_lines(COLUMNS, _rows(plan))


def _rows(plan: Plan) -> Iterator[Row]:
    """Yield every line of the address plan."""
    for fabric in plan.fabrics.values():
        for subnet in fabric.subnets:
            yield (
                "subnet",
                subnet.fabric,
                None,
                subnet.name,
                subnet.vlan,
                subnet.prefix,
                subnet.gateway,
                None,
                subnet.hosts,
            )
    for name, intent in plan.intents().items():
        yield from _switch_rows(name, plan.switches[name].fabric, intent)
    for server in plan.hosts().values():
        yield from _server_rows(server)
    for name, pdu in plan.pdus.items():
        if pdu.address:
            yield ("pdu", None, name, "mgmt", None, pdu.address, None, None, None)


def _switch_rows(name: str, fabric: str, intent: SwitchIntent) -> Iterator[Row]:
    """Yield the addresses of one switch."""
    management = intent.management
    yield ("management", None, name, "mgmt", None, management.address, management.gateway, None, None)
    if intent.loopback:
        yield ("loopback", fabric, name, "loopback", None, intent.loopback, None, None, None)
    for number, vlan in intent.vlans.items():
        if vlan.address:
            yield ("vlan", fabric, name, f"vlan{number}", number, vlan.address, None, vlan.mtu_bytes, None)
        if vlan.anycast_gateway:
            gateway = vlan.anycast_gateway
            yield ("anycast-gateway", fabric, name, f"vlan{number}", number, gateway, None, vlan.mtu_bytes, None)
    for key, port in intent.ports.items():
        if port.address:
            yield ("link", fabric, name, f"port {key}", None, port.address, None, port.mtu_bytes, None)


def _server_rows(server: ServerPlan) -> Iterator[Row]:
    """Yield the addresses of one server."""
    for name, port in server.ports.items():
        if port.address:
            yield (
                "server",
                port.fabric,
                server.name,
                name,
                port.vlan,
                port.address,
                port.gateway,
                port.mtu_bytes,
                None,
            )
    for name, bond in server.bonds.items():
        member = server.ports[bond.members[0]]
        yield (
            "bond",
            member.fabric,
            server.name,
            name,
            member.vlan,
            bond.address,
            bond.gateway,
            member.mtu_bytes,
            None,
        )
    for name, vlan in server.vlans.items():
        yield ("vlan", vlan.fabric, server.name, name, vlan.vlan, vlan.address, vlan.gateway, vlan.mtu_bytes, None)
