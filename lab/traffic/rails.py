"""The RDMA devices of a host and the GID index of its RoCE address."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from typing import Final

from lab.errors import LabError
from lab.traffic.host import Host

ROCE_V2: Final = "RoCE v2"
"""The kernel's name (Linux, Documentation/ABI/stable/sysfs-class-infiniband: gid_attrs/types)."""

_LOOK: Final = """python3 - <<'END'
import json, pathlib

def text(path):
    try:
        return path.read_text().strip()
    except OSError:
        return ""

def gids(port):
    for file in sorted((port / "gids").iterdir(), key=lambda file: int(file.name)):
        kind = text(port / "gid_attrs" / "types" / file.name)
        if kind:
            yield {"index": int(file.name), "gid": text(file), "kind": kind}

found = []
for device in pathlib.Path("/sys/class/infiniband").iterdir():
    name = text(device / "parent")
    if name:
        mac = text(pathlib.Path("/sys/class/net") / name / "address")
        found.append({"device": device.name, "netdev": name, "mac": mac, "gids": list(gids(device / "ports" / "1"))})
print(json.dumps(found))
END
"""


@dataclass(frozen=True, slots=True)
class RdmaPort:
    """An RDMA device on a network port."""

    device: str
    netdev: str
    gids: Mapping[int, tuple[IPv6Address, str]]
    """Index to address and kind."""

    def roce_v2_index(self, address: IPv4Address) -> int | None:
        """Return the index of the RoCE v2 address that stands for an IPv4 address, or None.

        Index 0 is the link-local address, which no router forwards; so the index is always looked up.
        """
        wanted = IPv6Address(f"::ffff:{address}")
        return next((index for index, found in self.gids.items() if found == (wanted, ROCE_V2)), None)


async def rdma_ports(machine: Host) -> Mapping[str, RdmaPort]:
    """Return the RDMA devices of a host by the MAC address of their port.

    Raises
    ------
    LabError
        The host does not answer.
    """
    return parse_rdma_ports(await machine.run(_LOOK))


def parse_rdma_ports(text: str) -> Mapping[str, RdmaPort]:
    """Return the RDMA devices in the output of a host, by MAC address."""
    return {
        row["mac"]: RdmaPort(
            row["device"],
            row["netdev"],
            {gid["index"]: (IPv6Address(gid["gid"]), gid["kind"]) for gid in row["gids"]},
        )
        for row in json.loads(text)
    }


def gid_index(machine: str, rail: str, port: RdmaPort | None, address: IPv4Address) -> tuple[str, int]:
    """Return the RDMA device of a rail and the index of its RoCE address.

    Raises
    ------
    LabError
        The host has no such port, no RDMA device on it, or not the address of the plan.
    """
    hint = "`rackproof up` brings hosts up once the switches are configured"
    if port is None:
        raise LabError(f"{machine}: no RDMA device on the port that is {rail}", "`rdma link` on the host shows them")
    index = port.roce_v2_index(address)
    if index is None:
        raise LabError(f"{machine}: {rail} ({port.netdev}) has not the address {address}, or is down", hint)
    return port.device, index
