"""What `rackproof lab traffic` sends, by the plan, and how it tells what came of it."""

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


def with_hosts(folder: Path) -> LabStatus:
    """Return the status of a running lab whose hosts are machines.

    Raises
    ------
    LabError
        No lab is running, or it has fewer than two hosts.
    """
    status = client.status(folder)
    if not status.running:
        raise LabNotRunningError
    if sum(host.kind == "server" for host in status.hosts) < 2:
        raise LabError("traffic takes two hosts that are machines", "`rackproof lab up --hosts 2` makes them")
    return status


def rail_pairs(plan: Plan, servers: Sequence[str]) -> tuple[RailPair, ...]:
    """Return every rail with the first and the last host that is on it, in the order of rails."""
    ports = [(server, port) for server in servers for port in _rails(plan, server)]
    pairs = []
    for rail in sorted({port.rail for _, port in ports if port.rail is not None}):
        on_it = [(server, port) for server, port in ports if port.rail == rail]
        if len(on_it) > 1:
            dscp, queue = _dscp_and_queue(plan.fabrics[on_it[0][1].fabric])
            pairs.append(RailPair(rail, _end(*on_it[0]), _end(*on_it[-1]), dscp, queue))
    return tuple(pairs)


def _rails(plan: Plan, server: str) -> Iterator[HostPort]:
    """Yield the rail ports of a server that have an address and lead to a switch."""
    if server in plan.servers:
        for port in plan.servers[server].ports.values():
            if port.rail is not None and port.address and port.switch and port.switch_port:
                yield port


def _end(server: str, port: HostPort) -> RailEnd:
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
    """Send over every rail, one after the other."""

    async def count() -> dict[LabEnd, PortCount]:
        return await asyncio.to_thread(client.counters, folder)

    names = sorted({end.host for pair in pairs for end in (pair.sender, pair.receiver)})
    ports = dict(zip(names, await asyncio.gather(*(rdma_ports(machines[name]) for name in names)), strict=True))
    results = []
    with output.progress("sending over each rail", len(pairs)) as advance:
        for pair in pairs:
            results.append(await measure(pair, machines, ports, count))
            advance()
    return results


async def mount(pairs: Sequence[RailPair], machines: Mapping[str, Host]) -> NfsResult:
    """Mount NFS over RDMA from the first host on the last, over the first rail."""
    first = pairs[0]
    server, client = first.sender, first.receiver
    return await mounted(machines[server.host], server.address, machines[client.host], client.address)


def traffic(plan: Plan, folder: Path, output: Output) -> None:
    """Send, mount, and tell.

    Raises
    ------
    LabError
        There is nothing to send between, or a host does not answer.
    """
    status = with_hosts(folder)
    pairs = rail_pairs(plan, [host.name for host in status.hosts])
    if not pairs:
        raise LabError("no rail has two hosts of this lab on it", "the site plans its rails in a fabric called backend")

    async def everything() -> tuple[list[RailResult], NfsResult]:
        async with connected_hosts(folder, status) as machines:
            return await send(pairs, machines, folder, output), await mount(pairs, machines)

    rails, nfs = asyncio.run(everything())
    tell(rails, nfs, output)
    output.result(rails=[record(one) for one in rails], nfs={**asdict(nfs), "carried": nfs.carried})
    if not (nfs.carried and all(one.carried for one in rails)):
        output.status = ExitStatus.FAILED


def tell(rails: Sequence[RailResult], nfs: NfsResult, output: Output) -> None:
    """Tell a person what every rail carried."""
    columns = ("rail", "from", "to", "way", "MB in", "MB out", "in lossless queue", "Gb/s", "")
    title = "RDMA over each rail (ib_write_bw; the speed is this machine's)"
    output.table(title, columns, [_row(one) for one in rails])
    for one in rails:
        if not one.carried:
            output.line(f"rail {one.pair.rail} does not carry: {one.error or why(one)}", "red")
    if nfs.carried:
        what = f"NFS {nfs.version} over {nfs.transport}"
        output.line(f"{what}: {nfs.client} wrote to {nfs.server} and read back", "green")
    else:
        said = nfs.error or f"the client says transport {nfs.transport!r}, version {nfs.version!r}"
        output.line(f"NFS over RDMA from {nfs.server} to {nfs.client} failed: {said}", "red")


def why(result: RailResult) -> str:
    """Return what the switches did not count."""
    if not result.lossless_packets:
        return f"no packet with DSCP {result.pair.dscp} left {result.pair.receiver.at} in queue {result.pair.queue}"
    return "the switches between counted less than was sent"


def _row(one: RailResult) -> tuple[object, ...]:
    near, far = one.pair.sender.at, one.pair.receiver.at
    spines = ", ".join(f"{switch} {count / MEGA:.1f} MB" for switch, count in one.spines.items())
    way = " → ".join(step for step in (str(near), spines, str(far)) if step)
    return (
        one.pair.rail,
        one.pair.sender.host,
        one.pair.receiver.host,
        way,
        round(one.into_fabric_bytes / MEGA, 1),
        round(one.out_of_fabric_bytes / MEGA, 1),
        one.lossless_packets,
        round(one.gbps, 2),
        "carries" if one.carried else "does not carry",
    )


def record(one: RailResult) -> dict[str, object]:
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
