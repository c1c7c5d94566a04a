"""NFS 4.1 over RDMA between two hosts: one exports a folder, the other mounts it, writes and reads (RFC 8166, 8881)."""

from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import Final

from lab.errors import LabError
from lab.traffic.host import Host
from lab.traffic.rail_route import rail_route

RDMA_PORT: Final = 20049
"""Assigned to NFS over RDMA (IANA: nfsrdma)."""
WRITTEN_MB: Final = 8
_FOLDER: Final = "/srv/rackproof-traffic"
_MOUNT: Final = "/run/rackproof-traffic"

_EXPORT: Final = """modprobe rpcrdma
systemctl start nfs-server
mkdir -p {folder}
exportfs -o rw,no_root_squash,insecure,no_subtree_check,fsid=77 {client}:{folder}
grep -q '^rdma {port}$' /proc/fs/nfsd/portlist || echo rdma {port} >/proc/fs/nfsd/portlist
"""
_WITHDRAW: Final = """exportfs -u {client}:{folder}
rm -rf {folder}
"""
_USE: Final = """modprobe rpcrdma
mkdir -p {mount}
timeout 60 mount -t nfs -o vers=4.1,proto=rdma,port={port},hard {server}:{folder} {mount}
trap 'umount {mount}; rmdir {mount}' EXIT
dd if=/dev/zero of={mount}/data bs=1M count={megabytes} conv=fsync status=none
dd if={mount}/data of=/dev/null bs=1M status=none
sed -n '/mounted on .*rackproof-traffic /,/^device/p' /proc/self/mountstats
"""


@dataclass(frozen=True, slots=True)
class NfsResult:
    """Result of the mount."""

    server: str
    client: str
    transport: str
    """Transport in the client's mount statistics: ``rdma``."""
    version: str
    """NFS version in the client's mount statistics: ``4.1``."""
    error: str = ""

    @property
    def carried(self) -> bool:
        """Whether it was NFS 4.1 and RDMA."""
        return not self.error and (self.transport, self.version) == ("rdma", "4.1")


async def mounted(server: Host, at: IPv4Address, client: Host, client_at: IPv4Address) -> NfsResult:
    """Export on one host, mount on the other, write, read and remove everything; errors are in the result."""
    words = {"folder": _FOLDER, "client": client_at, "port": RDMA_PORT}
    use = _USE.format(**words, mount=_MOUNT, server=at, megabytes=WRITTEN_MB)
    try:
        async with rail_route(server, at, client, client_at):
            await server.run(_EXPORT.format(**words))
            try:
                stats = await client.run(use)
            finally:
                await server.run(_WITHDRAW.format(**words))
    except LabError as error:
        return NfsResult(server.name, client.name, "", "", error.message)
    return NfsResult(server.name, client.name, *transport_and_version(stats))


def transport_and_version(mountstats: str) -> tuple[str, str]:
    """Return transport and version of a mount, from the client's statistics (Linux, net/sunrpc/xprtrdma: ``xprt:``)."""
    lines = [line.split() for line in mountstats.splitlines()]
    transport = next((words[1] for words in lines if words[:1] == ["xprt:"]), "")
    options = next((words[1] for words in lines if words[:1] == ["opts:"]), "")
    version = next((word.removeprefix("vers=") for word in options.split(",") if word.startswith("vers=")), "")
    return transport, version
