"""Tables of a site: devices, subnets, storage networks, uplinks, ASNs, redundancy groups and notices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rackproof.render.documents import power
from rackproof.render.documents.record import File
from rackproof.render.documents.spreadsheet import workbook
from rackproof.render.documents.table import Row, Table, columns, csv_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rackproof.render.documents.record import Record

PATH: Final = "site-tables.xlsx"


def files(record: Record) -> Iterator[File]:
    """Yield each table as CSV, and all of them with the power report as one spreadsheet."""
    own = (devices, subnets, storage_pools, uplinks, asns, subnet_managers, redundancy_groups, notices)
    for table in own:
        yield csv_file(table(record))
    sheets = (*(table(record) for table in own), *power.tables(record))
    yield File(PATH, workbook(f"{record.plan.site}: tables", sheets))


def devices(record: Record) -> Table:
    """Return every device: what it is, where it stands, where it is managed."""
    titles = columns(("Device", 22), ("Kind", 8), ("Group", 14), ("Model", 40), ("Place", 12), ("Management", 20))
    rows = (
        (device.name, device.kind, device.group, device.title, device.place, device.address)
        for device in record.devices.values()
    )
    return Table("devices", "Devices", titles, rows)


def subnets(record: Record) -> Table:
    """Return the subnets of every fabric."""
    titles = (
        *columns(("Fabric", 14), ("Subnet", 20), ("VLAN", 6), ("Prefix", 18), ("Gateway", 15), ("Hosts", 32)),
        *columns(("Pods", 32), ("Switches", 40)),
    )
    rows = (
        (
            *(fabric.name, subnet.name, subnet.vlan, subnet.prefix, subnet.gateway, subnet.hosts, subnet.pods),
            ", ".join(subnet.switches) or None,
        )
        for fabric in record.plan.fabrics.values()
        for subnet in fabric.subnets
    )
    return Table("subnets", "Subnets", titles, rows)


def storage_pools(record: Record) -> Table:
    """Return what the administrator of each storage cluster sets up: subnets, SmartConnect pools, service addresses."""
    titles = (
        *columns(("Cluster", 14), ("Fabric", 14), ("Subnet", 12), ("Use", 10), ("VLAN", 6), ("Prefix", 18)),
        *columns(("Gateway", 15), ("MTU", 6), ("Service address", 15), ("Zone", 28), ("Pool ranges", 34)),
        *columns(("Interfaces", 28), ("Allocation", 10)),
    )
    rows = (
        (
            *(cluster.name, pool.fabric, pool.subnet, "clients" if pool.serves else "management", pool.vlan),
            *(pool.prefix, pool.gateway, pool.mtu_bytes, pool.service_address, cluster.zone if pool.serves else None),
            *(", ".join(pool.ranges), ", ".join(pool.interfaces), pool.allocation),
        )
        for cluster in record.plan.storage.values()
        for pool in cluster.pools
    )
    return Table("storage-pools", "Storage networks (SmartConnect)", titles, rows)


def uplinks(record: Record) -> Table:
    """Return every port towards networks outside, for the operator of the other end."""
    titles = (
        *columns(("Network", 16), ("Number", 7), ("Switch", 22), ("Port", 12), ("Place", 12), ("Gb/s", 6)),
        *columns(("Attached by", 15), ("Our address", 18), ("Their address", 16), ("Their ASN", 11), ("VLAN", 6)),
        *columns(("MTU", 6)),
    )
    rows = (
        (
            *(uplink.name, uplink.number, uplink.switch, uplink.port, record.place(uplink.switch), uplink.speed_gbps),
            *(uplink.attach, uplink.address, uplink.peer, uplink.asn, uplink.vlan, uplink.mtu_bytes),
        )
        for uplink in record.plan.uplinks
    )
    return Table("uplinks", "Networks outside", titles, rows)


def asns(record: Record) -> Table:
    """Return the ASN and router ID of every switch that runs BGP."""
    titles = columns(("Switch", 22), ("Fabric", 14), ("Role", 12), ("ASN", 12), ("Router ID", 16), ("Neighbours", 11))
    rows = (
        (name, switch.fabric, switch.role, bgp.asn, bgp.router_id, len(bgp.neighbors))
        for name, switch in record.plan.switches.items()
        if switch.intent and (bgp := switch.intent.bgp)
    )
    return Table("asns", "ASNs", titles, rows)


def subnet_managers(record: Record) -> Table:
    """Return what manages each InfiniBand subnet."""
    titles = columns(("Fabric", 14), ("Server", 22), ("Port", 10), ("Software", 10), ("State", 10), ("Priority", 9))
    rows = (
        (fabric.name, manager.server, manager.port, manager.software, manager.state, manager.priority)
        for fabric in record.plan.fabrics.values()
        for manager in fabric.subnet_managers
    )
    return Table("subnet-managers", "Subnet managers (InfiniBand)", titles, rows)


def redundancy_groups(record: Record) -> Table:
    """Return which switches are never changed at the same time."""
    rows = ((name, len(members), ", ".join(members)) for name, members in record.plan.redundancy_groups.items())
    titles = columns(("Group", 24), ("Switches", 9), ("Members", 100))
    return Table("redundancy-groups", "Redundancy groups", titles, rows)


def notices(record: Record) -> Table:
    """Return warnings, what is left out, what was assumed, and what a NOS cannot say exactly as asked."""
    titles = columns(("Kind", 11), ("Subject", 30), ("What", 110))
    kinds = ("warning", "left-out", "export-only", "reachability", "assumed", "recommended", "normalised")
    order = {kind: place for place, kind in enumerate(kinds)}
    rows: list[Row] = [(notice.kind, notice.subject or "the site", notice.text) for notice in record.plan.notices]
    return Table("notices", "Notices", titles, sorted(rows, key=lambda row: order[str(row[0])]))
