"""RDMA devices of a server: state, what they run over, their GIDs, and what connections are marked with.

Sources: rdma-link(8); Linux, Documentation/ABI/stable/sysfs-class-infiniband (gids, gid_attrs, rate) and
Documentation/ABI/testing/configfs-rdma_cm (default_roce_mode, default_roce_tos, which ``cma_roce_tos`` writes too);
ibv_devinfo(1) of rdma-core, for the MTU, which the kernel shows nowhere else.
"""

import re
from collections.abc import Iterator, Mapping
from ipaddress import IPv6Address
from typing import Any, Final

from msgspec import Struct

from rackproof.facts.fact import Answers, Fact, command_output, named
from rackproof.facts.hosts.shell_text import file_values, files, json_objects

LINKS: Final = "rdma -j link show"
"""Unlike ip(8) it takes no shortened ``--json``."""
PORTS: Final = "/sys/class/infiniband/*/ports/*"
EMPTY_GID: Final = "0000:0000:0000:0000:0000:0000:0000:0000"
GIDS: Final = (
    f"grep -sH . {PORTS}/gids/[0-9] {PORTS}/gids/[0-9][0-9] | grep -v ':{EMPTY_GID}$' | "
    "while IFS=: read -r path gid; do "
    "number=${path##*/}; attributes=${path%/gids/*}/gid_attrs; type=; ndev=; "
    '{ read -r type <"$attributes/types/$number"; read -r ndev <"$attributes/ndevs/$number"; } 2>/dev/null; '
    'echo "$path:$gid"; echo "$attributes/types/$number:$type"; echo "$attributes/ndevs/$number:$ndev"; done'
)
"""The first hundred of the places for GIDs; an adapter has hundreds, most of them empty, and four for each address."""
FILES: Final = files(
    f"{PORTS}/rate",
    f"{PORTS}/link_layer",
    "/sys/class/infiniband/*/fw_ver",
    "/sys/class/infiniband/*/tc/*/traffic_class",
)
MARKS: Final = files("/sys/kernel/config/rdma_cm/*/ports/*/default_roce_*")
MTUS: Final = "ibv_devinfo"
DEVICE: Final = re.compile(r"^hca_id:\s*(\S+)", re.MULTILINE)
ACTIVE_MTU: Final = re.compile(r"^\s*active_mtu:\s*(\d+)", re.MULTILINE)
ROCE_V2: Final = "RoCE v2"
GID_PATH: Final = re.compile(r"/sys/class/infiniband/([^/]+)/ports/1/gids/(\d+)\Z")


class Gid(Struct, frozen=True, gc=False):
    """An address of an RDMA port."""

    index: int
    address: str
    """IPv4 where it maps one, else IPv6."""
    type: str
    """``RoCE v2``, ``IB/RoCE v1``."""
    interface: str
    """Network interface whose address it is."""


class RdmaDevice(Struct, frozen=True, gc=False):
    """An RDMA device; its port 1, as adapters of today have one each."""

    name: str
    interface: str
    """Network interface that it runs over; empty on InfiniBand."""
    state: str
    """``ACTIVE`` where it works, else ``DOWN``, ``INIT``."""
    physical_state: str
    link_layer: str
    """``Ethernet`` or ``InfiniBand``."""
    rate: str
    """As the kernel prints it: ``400 Gb/sec (4X NDR)``."""
    firmware: str
    active_mtu_bytes: int | None
    """Payload of a packet; None: ``ibv_devinfo`` does not say."""
    gids: tuple[Gid, ...]
    cm_tos: int | None
    """Type of service of connections that the RDMA connection manager makes; None: not set, so 0."""
    cm_mode: str | None
    """``RoCE v2``; None: not set, so the kernel's default."""
    forced_traffic_class: str | None
    """What NVIDIA's driver puts on every queue pair; None: it has no such file, or it is not set."""

    def gids_for(self, address: str) -> tuple[Gid, ...]:
        """Return the RoCE v2 GIDs of an IPv4 address: the ones that a routed fabric carries."""
        return tuple(gid for gid in self.gids if gid.address == address and gid.type == ROCE_V2)


RdmaDevices = Mapping[str, RdmaDevice]
"""By name."""


def parse_rdma(answers: Answers) -> RdmaDevices:
    """Return the RDMA devices.

    Raises
    ------
    FactError
        ``rdma`` did not answer, as where the package iproute2 or the kernel's module is missing.
    """
    gids = file_values(command_output(answers, GIDS))
    values = {**file_values(command_output(answers, FILES)), **file_values(command_output(answers, MARKS))}
    mtus = active_mtus(answers)
    links = json_objects(answers, LINKS)
    return {one["ifname"]: _device(one, values, gids, mtus) for one in links if "ifname" in one}


def active_mtus(answers: Answers) -> dict[str, int]:
    """Return device to MTU in bytes; nothing where ``ibv_devinfo`` is missing."""
    answer = answers.get(MTUS)
    blocks = DEVICE.split(answer.output)[1:] if answer else []
    found = zip(blocks[::2], (ACTIVE_MTU.search(block) for block in blocks[1::2]), strict=True)
    return {name: int(match.group(1)) for name, match in found if match}


def _device(
    link: Mapping[str, Any], values: Mapping[str, str], gids: Mapping[str, str], mtus: Mapping[str, int]
) -> RdmaDevice:
    name = str(link["ifname"])
    folder, marks = f"/sys/class/infiniband/{name}", f"/sys/kernel/config/rdma_cm/{name}/ports/1"
    tos = values.get(f"{marks}/default_roce_tos")
    return RdmaDevice(
        name=name,
        interface=str(link.get("netdev", "")),
        state=str(link.get("state", "")),
        physical_state=str(link.get("physical_state", "")),
        link_layer=values.get(f"{folder}/ports/1/link_layer", ""),
        rate=values.get(f"{folder}/ports/1/rate", ""),
        firmware=values.get(f"{folder}/fw_ver", ""),
        active_mtu_bytes=mtus.get(name),
        gids=tuple(sorted(_gids(name, gids), key=lambda gid: gid.index)),
        cm_tos=int(tos) if tos and tos.isdigit() else None,
        cm_mode=values.get(f"{marks}/default_roce_mode"),
        forced_traffic_class=values.get(f"{folder}/tc/1/traffic_class"),
    )


def _gids(device: str, values: Mapping[str, str]) -> Iterator[Gid]:
    for path, value in values.items():
        match = GID_PATH.match(path)
        if match and match.group(1) == device:
            index, attributes = match.group(2), f"/sys/class/infiniband/{device}/ports/1/gid_attrs"
            kind, interface = (values.get(f"{attributes}/{name}/{index}", "") for name in ("types", "ndevs"))
            yield Gid(int(index), _address(value), kind, interface)


def _address(gid: str) -> str:
    address = IPv6Address(gid)
    return str(address.ipv4_mapped or address)


def find_device(devices: RdmaDevices, name: str) -> RdmaDevice:
    """Return a device by its name.

    Raises
    ------
    FactError
        The server has none of that name.
    """
    hint = "`rackproof up` names RDMA devices after their ports; is the driver's RDMA module loaded?"
    return named(devices, name, "RDMA device", hint)


FACT: Final = Fact("rdma", (LINKS, GIDS, FILES, MARKS, MTUS), parse_rdma)
