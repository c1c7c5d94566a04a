"""Scripts that act on one port of a host, found by its MAC address."""

from typing import Final

from lab.hosts.machine import HostNic

_FIND: Final = """port=
for place in /sys/class/net/*/device; do
    name=$(basename "${{place%/device}}")
    if ethtool -P "$name" | grep -qiw {mac}; then port=$name; fi
done
[ -n "$port" ] || {{ echo "no port has the address {mac}" >&2; exit 1; }}
"""
"""A member of a bond has the bond's address; its permanent address stays (ethtool(8), -P)."""
_FIND_DEVICE: Final = """device=$(basename "$(dirname "$(grep -lx "$port" /sys/class/infiniband/*/parent)")")
[ -e "/sys/class/infiniband/$device/parent" ] || { echo "$port has no RDMA device" >&2; exit 1; }
"""
"""The parent of a Soft-RoCE device is its network port (Linux, Documentation/ABI: sysfs-class-infiniband)."""


def at_port(nic: HostNic, script: str) -> str:
    """Return a script with ``$port``: the name that a port has on its host now."""
    return _FIND.format(mac=nic.mac) + script


def at_rdma_device(nic: HostNic, script: str) -> str:
    """Return a script with ``$port`` and ``$device``: the name of the RDMA device that works through the port."""
    return at_port(nic, _FIND_DEVICE + script)
