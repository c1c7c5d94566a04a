"""RDMA and NFS traffic between two hosts of a lab, as the plan has their rails, and its result."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from ipaddress import IPv4Interface
from pathlib import Path

from lab.daemon import client
from lab.daemon.messages import LabStatus, PortCount
from lab.errors import LabError, LabNotRunningError
from lab.spec.models import LabEnd, port_mac
from lab.traffic.bandwidth import RailEnd, RailPair, RailResult, measure
from lab.traffic.host import Host, connected_hosts
from lab.traffic.nfs import NfsResult, mounted
from lab.traffic.rails import rdma_ports
from rackproof.cli.output import ExitStatus, Output
from rackproof.plan.model.plan import FabricPlan, HostPort, Plan

MEGA = 1_000_000
BEST_EFFORT = (0, 0)
"""DSCP and queue of unmarked packets (RFC 2474, section 4.1)."""


def status_with_hosts(folder: Path) -> LabStatus:
    """Return the status of a running lab that has two or more hosts.

    Raises
    ------
    LabError
        No lab is running, or it has fewer than two hosts.
    """
    status = client.status(folder)
    if not status.running:
        raise LabNotRunningError
    if sum(host.kind == "server" for host in status.hosts) < 2:
        raise LabError(
            "traffic needs two hosts, and this lab has fewer", "start it again: `rackproof lab up <site> --hosts 2`"
        )
    return status


def rail_pairs(plan: Plan, servers: Sequence[str]) -> tuple[RailPair, ...]:
    """Return each rail with its first and last host, in the order of rails."""
    rails: dict[int, list[tuple[str, HostPort]]] = {}
    for server in servers:
        for rail, port in _rails(plan, server):
            rails.setdefault(rail, []).append((server, port))
    return tuple(_rail_pair(plan, rail, ports) for rail, ports in sorted(rails.items()) if len(ports) > 1)


def _rail_pair(plan: Plan, rail: int, ports: Sequence[tuple[str, HostPort]]) -> RailPair:
    dscp, queue = _dscp_and_queue(plan.fabrics[ports[0][1].fabric])
    return RailPair(rail, _rail_end(*ports[0]), _rail_end(*ports[-1]), dscp, queue)


def _rails(plan: Plan, server: str) -> Iterator[tuple[int, HostPort]]:
    """Yield the rail ports of a server that have an address and a switch port, each with its rail."""
    if server in plan.servers:
        for port in plan.servers[server].ports.values():
            if port.rail is not None and port.address and port.switch and port.switch_port:
                yield port.rail, port


def _rail_end(server: str, port: HostPort) -> RailEnd:
    end = LabEnd(server, port.name)
    at = LabEnd(port.switch or "", port.switch_port or "")
    return RailEnd(server, port.name, port_mac(end), IPv4Interface(port.address or "").ip, at)


def _dscp_and_queue(fabric: FabricPlan) -> tuple[int, int]:
    """Return the DSCP that hosts mark RDMA with and its queue; best effort where the fabric has no RoCE.

    Raises
    ------
    LabError
        The fabric has RoCE, and no lossless class for that DSCP.
    """
    if fabric.roce is None or fabric.host_dscp is None:
        return BEST_EFFORT
    if fabric.host_priority is None:
        message = f"hosts of {fabric.name} mark RoCE data with DSCP {fabric.host_dscp}, which is in no lossless class"
        raise LabError(message, "`rackproof check <site>` lists the lossless classes")
    return fabric.host_dscp, fabric.host_priority


async def send(
    pairs: Sequence[RailPair], machines: Mapping[str, Host], folder: Path, output: Output
) -> list[RailResult]:
    """Send over each rail in turn, and return what was measured."""

    async def count() -> dict[LabEnd, PortCount]:
        return await asyncio.to_thread(client.counters, folder)

    names = sorted({pair.sender.host for pair in pairs} | {pair.receiver.host for pair in pairs})
    ports = dict(zip(names, await asyncio.gather(*(rdma_ports(machines[name]) for name in names)), strict=True))
    results = []
    with output.progress("sending over each rail", len(pairs)) as advance:
        for pair in pairs:
            results.append(await measure(pair, machines, ports, count))
            advance()
    return results


async def mount(pairs: Sequence[RailPair], machines: Mapping[str, Host]) -> NfsResult:
    """Mount NFS over RDMA: the first host of the first rail serves, the last one mounts."""
    first = pairs[0]
    server, client = first.sender, first.receiver
    return await mounted(machines[server.host], server.address, machines[client.host], client.address)


def send_traffic(plan: Plan, folder: Path, output: Output) -> None:
    """Send RDMA over each rail, mount NFS, and print the result.

    Raises
    ------
    LabError
        The lab has no two hosts on a rail, or a host does not answer.
    """
    status = status_with_hosts(folder)
    pairs = rail_pairs(plan, [host.name for host in status.hosts])
    if not pairs:
        raise LabError("no rail has two hosts of this lab on it", "the site plans its rails in a fabric called backend")

    async def everything() -> tuple[list[RailResult], NfsResult]:
        async with connected_hosts(folder, status) as machines:
            return await send(pairs, machines, folder, output), await mount(pairs, machines)

    rails, nfs = asyncio.run(everything())
    show_traffic(rails, nfs, output)
    output.result(rails=[rail_record(one) for one in rails], nfs={**asdict(nfs), "carried": nfs.carried})
    if not (nfs.carried and all(one.carried for one in rails)):
        output.status = ExitStatus.FAILED


def show_traffic(rails: Sequence[RailResult], nfs: NfsResult, output: Output) -> None:
    """Print what every rail carried."""
    columns = ("rail", "from", "to", "path", "MB in", "MB out", "in lossless queue", "Gb/s", "")
    title = "RDMA over each rail (ib_write_bw; the speed is this machine's)"
    output.table(title, columns, [_row(one) for one in rails])
    for one in rails:
        if not one.carried:
            output.line(f"rail {one.pair.rail} does not carry traffic: {one.error or missing_count(one)}", "red")
    if nfs.carried:
        what = f"NFS {nfs.version} over {nfs.transport}"
        output.line(f"{what}: {nfs.client} wrote to {nfs.server} and read back", "green")
    else:
        said = nfs.error or f"the client says transport {nfs.transport!r}, version {nfs.version!r}"
        output.line(f"NFS over RDMA from {nfs.server} to {nfs.client} failed: {said}", "red")


def missing_count(result: RailResult) -> str:
    """Return which counter of the switches did not rise as expected."""
    if not result.lossless_packets:
        return f"no packet with DSCP {result.pair.dscp} left {result.pair.receiver.at} in queue {result.pair.queue}"
    return "the switches counted fewer bytes than were sent"


def _row(one: RailResult) -> tuple[object, ...]:
    near, far = one.pair.sender.at, one.pair.receiver.at
    spines = ", ".join(f"{switch} {count / MEGA:.1f} MB" for switch, count in one.spines.items())
    path = " → ".join(step for step in (str(near), spines, str(far)) if step)
    return (
        one.pair.rail,
        one.pair.sender.host,
        one.pair.receiver.host,
        path,
        round(one.into_fabric_bytes / MEGA, 1),
        round(one.out_of_fabric_bytes / MEGA, 1),
        one.lossless_packets,
        round(one.gbps, 2),
        "carries" if one.carried else "does not carry",
    )


def rail_record(one: RailResult) -> dict[str, object]:
    """Return one rail as a program reads it."""
    return {
        "rail": one.pair.rail,
        "from": one.pair.sender.host,
        "to": one.pair.receiver.host,
        "gbps": one.gbps,
        "into_fabric_bytes": one.into_fabric_bytes,
        "out_of_fabric_bytes": one.out_of_fabric_bytes,
        "lossless_packets": one.lossless_packets,
        "between": {str(end): count for end, count in one.between.items()},
        "carried": one.carried,
        "error": one.error,
    }
