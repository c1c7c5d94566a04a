"""The script that turns a Linux machine into a storage node: addresses, source routing, NFS and RDMA."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Interface
from typing import Final

RDMA_PORT: Final = 20049
"""NFS over RDMA (IANA: nfsrdma; RFC 8267, 6.3)."""
FIRST_TABLE: Final = 100
"""Routing table of the first port; the others follow (253 to 255 are the kernel's)."""
FOLDER: Final = "/etc/systemd/network"
QUIET: Final = ("ConfigureWithoutCarrier=yes", "LinkLocalAddressing=no", "IPv6AcceptRA=no", "LLDP=no")
"""A port keeps exactly its configured addresses, with or without link."""

_SCRIPT: Final = """set -eu
{files}sysctl --quiet --system
systemctl restart systemd-modules-load
mkdir -p {export}
chmod 0777 {export}
systemctl restart systemd-networkd
systemctl restart nfs-server
exportfs -ra
"""
_FILE: Final = """mkdir -p "$(dirname {path})"
cat >{path} <<'END'
{text}END
"""
_EXPORT: Final = "{export} *(rw,sync,insecure,root_squash,no_subtree_check)\n"
"""All clients, with root squashed: the default export of OneFS (OneFS web administration guide, NFS exports)."""
_NFS: Final = "[nfsd]\nthreads=8\n"
_NFS_RDMA: Final = f"{_NFS}rdma=y\nrdma-port={RDMA_PORT}\n"
"""nfs.conf(5)."""
_MODULE: Final = "rpcrdma\n"
_SYSCTLS: Final = """net.ipv4.conf.all.arp_announce = 2
net.ipv4.conf.all.arp_ignore = 1
net.ipv4.conf.all.rp_filter = 2
"""
"""Ports of one subnet answer for their own addresses only (Linux, Documentation/networking/ip-sysctl.rst)."""


@dataclass(frozen=True, slots=True)
class Served:
    """A port, or several ports in a bond, with the addresses served there."""

    macs: tuple[str, ...]
    addresses: tuple[str, ...]
    """With prefix length; the first is the node's own."""
    gateway: str | None
    mtu_bytes: int | None


def setup_script(served: Sequence[Served], export: str, *, rdma: bool) -> str:
    """Return the script; it is idempotent, and its settings persist over a reboot."""
    files = {
        "/etc/exports": _EXPORT.format(export=export),
        "/etc/nfs.conf.d/rackproof-lab.conf": _NFS_RDMA if rdma else _NFS,
        "/etc/sysctl.d/60-rackproof-lab.conf": _SYSCTLS,
        "/etc/modules-load.d/rackproof-lab.conf": _MODULE if rdma else "",
    }
    for number, one in enumerate(served):
        files.update(_network(one, number))
    written = "".join(_FILE.format(path=path, text=text) for path, text in files.items())
    return _SCRIPT.format(files=written, export=export)


def _network(served: Served, number: int) -> Iterator[tuple[str, str]]:
    """Yield the files of systemd-networkd for one port or bond (systemd.network(5), systemd.netdev(5))."""
    place = f"{FOLDER}/20-serving{number}"
    mtu = [f"MTUBytes={served.mtu_bytes}"] if served.mtu_bytes else []
    match = f"MACAddress={' '.join(served.macs)}"
    if len(served.macs) > 1:
        bond = f"bond{number}"
        # The lab's switches carry no LACP: members of a port channel are single ports (lab/daemon/limitations.py).
        yield f"{place}.netdev", _lines("[NetDev]", f"Name={bond}", "Kind=bond", "", "[Bond]", "Mode=active-backup")
        members = ("[Match]", match, "Type=ether", "", "[Link]", *mtu, "", "[Network]", f"Bond={bond}")
        yield f"{FOLDER}/10-members{number}.network", _lines(*members)
        match = f"Name={bond}"
    addresses = [f"Address={address}" for address in served.addresses]
    routes = _routes(served, FIRST_TABLE + number, default=number == 0)
    yield f"{place}.network", _lines("[Match]", match, "", "[Link]", *mtu, "", "[Network]", *QUIET, *addresses, *routes)


def _routes(served: Served, table: int, *, default: bool) -> Iterator[str]:
    """Yield source routes: packets from an address leave by its port."""
    subnet = IPv4Interface(served.addresses[0]).network
    yield from ("", "[Route]", f"Destination={subnet}", f"Table={table}")
    if served.gateway:
        yield from ("", "[Route]", f"Gateway={served.gateway}", f"Table={table}")
        if default:
            yield from ("", "[Route]", f"Gateway={served.gateway}")
    for address in served.addresses:
        yield from ("", "[RoutingPolicyRule]", f"From={IPv4Interface(address).ip}", f"Table={table}")


def _lines(*lines: str) -> str:
    return "".join(f"{line}\n" for line in lines)
