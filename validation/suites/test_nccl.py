"""NCCL on servers: collectives use RDMA on every rail, with the DSCP of the fabric."""

from ipaddress import IPv4Interface
from typing import Final

from rackproof.facts.fact import FactError
from rackproof.facts.hosts.nccl import FACT as NCCL
from rackproof.facts.hosts.nccl import NcclSettings
from rackproof.facts.hosts.rdma import FACT as RDMA
from rackproof.facts.hosts.rdma import RdmaDevices, find_device
from rackproof.plan.model.host import RocePort
from validation.expected.fixtures import Judge, Server, applies_to
from validation.expected.server_ports import fact_or_error, port_subject, up_remedy

TRAFFIC_CLASS: Final = "NCCL_IB_TC"
DEVICES: Final = "NCCL_IB_HCA"
GID_INDEX: Final = "NCCL_IB_GID_INDEX"
FOUND: Final = "-1"
"""NCCL finds the index by itself (NCCL documentation: NCCL_IB_GID_INDEX)."""
TURNS_OFF: Final = {"NCCL_IB_DISABLE": ("1",), "NCCL_NET": ("Socket",)}
"""Settings that keep NCCL off RDMA."""


def rails(server: Server) -> tuple[RocePort, ...]:
    """Return the rails of a server that carry RoCE."""
    roce = server.intent.roce
    return tuple(port for port in roce.ports if port.rail is not None) if roce else ()


pytestmark = applies_to(lambda server: server.intent.gpus.count > 0 and bool(rails(server)))


def setting_text(settings: NcclSettings, name: str) -> str:
    """Return a setting with its file, in words."""
    found = settings.get(name)
    return f"{name}={found.value} in {found.file}" if found else f"{name} is not set"


def test_traffic_class_is_that_of_the_fabric(server: Server, judge: Judge) -> None:
    """NCCL marks its packets with the DSCP of the fabric.

    Without the setting NCCL marks nothing, and its packets are lossy.
    """
    settings = server.fact(NCCL)
    found = settings.get(TRAFFIC_CLASS)
    dscp = server.intent.roce.dscp if server.intent.roce else 0
    marked = int(found.value) >> 2 if found and found.value.isdigit() else None
    judge.expect(
        server.name,
        marked == dscp,
        expected=f"{TRAFFIC_CLASS}={dscp << 2} (DSCP {dscp})",
        actual=setting_text(settings, TRAFFIC_CLASS) + ("" if marked is None else f" (DSCP {marked})"),
        remedy=up_remedy(server),
    )


def test_devices_are_the_rails(server: Server, judge: Judge) -> None:
    """NCCL uses the RDMA devices of all rails, and no others."""
    found = server.fact(NCCL).get(DEVICES)
    judge.expect_equal(
        server.name,
        expected=f"={','.join(port.rdma_device for port in rails(server))}",
        actual=without_ports(found.value) if found else "not set",
        remedy=up_remedy(server),
    )


def without_ports(devices: str) -> str:
    """Return a list of devices without the number of their one port: ``=rdma_rail0:1``."""
    return ",".join(device.removesuffix(":1") for device in devices.split(","))


def test_nothing_keeps_it_off_rdma(server: Server, judge: Judge) -> None:
    """No setting of NCCL disables RDMA."""
    settings = server.fact(NCCL)
    off = [
        setting_text(settings, name)
        for name, values in TURNS_OFF.items()
        if name in settings and settings[name].value in values
    ]
    judge.expect_equal(server.name, expected=(), actual=tuple(off), remedy="take the line out of that file")


def test_no_gid_index_is_assumed(server: Server, judge: Judge) -> None:
    """A GID index set for NCCL, if any, is the index of every rail's address.

    The index of an address changes when addresses are added or removed.
    """
    settings = server.fact(NCCL)
    told, devices = settings.get(GID_INDEX), server.fact(RDMA)
    addresses = {port.name: str(IPv4Interface(port.address).ip) for port in server.intent.addresses}
    for port in rails(server):
        subject = port_subject(server, port.name)
        index = fact_or_error(judge, subject, gid_index, devices, port, addresses[port.name])
        if index is None:
            continue
        judge.expect(
            subject,
            told is None or told.value in {FOUND, str(index)},
            expected=f"{GID_INDEX} not set, or {index}: the index of {addresses[port.name]} with RoCE v2",
            actual=setting_text(settings, GID_INDEX),
            rail=port.rail,
            values={"GID index": str(index)},
            remedy=f"take {GID_INDEX} out of that file: NCCL finds it",
        )


def gid_index(devices: RdmaDevices, port: RocePort, address: str) -> int:
    """Return the GID index of a port's address.

    Raises
    ------
    FactError
        It has none with RoCE v2.
    """
    found = find_device(devices, port.rdma_device).gids_for(address)
    if not found:
        raise FactError(f"{port.rdma_device} has no RoCE v2 GID for {address}", "does the port have its address?")
    return found[0].index
