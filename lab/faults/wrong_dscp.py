"""A host port that marks RoCE with a wrong DSCP."""

from typing import TYPE_CHECKING, Final

from lab.errors import LabError
from lab.hosts.at_port import at_rdma_device

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo

_HIGHEST: Final = 63
_DEFAULT: Final = """modprobe rdma_cm
default=/sys/kernel/config/rdma_cm/$device/ports/1/default_roce_tos
mkdir -p "/sys/kernel/config/rdma_cm/$device"
"""
"""Traffic class of connections of the RDMA connection manager (Linux, Documentation/ABI: configfs-rdma_cm)."""
MARK: Final = """nft -f - <<END
table ip rackproof-lab-$port {{
    chain marks {{
        type filter hook output priority mangle
        oifname "$port" udp dport 4791 ip dscp set {dscp}
    }}
}}
END
"""
"""RoCE v2 is UDP to port 4791 (IANA). Its check sum leaves the DSCP out (InfiniBand, annex A17)."""
UNMARK: Final = 'nft delete table ip "rackproof-lab-$port"\n'
_SET: Final = """cat "$default"
echo {tos} >"$default"
"""


async def inject(lab: "RunningLab", host: str, port: str, dscp: int = 0) -> "Undo":
    """Mark all RoCE of a host's port with another DSCP until the fault is cleared or the host boots."""
    if not 0 <= dscp <= _HIGHEST:
        raise LabError(f"there is no DSCP {dscp}", f"0 to {_HIGHEST} are")
    machine = lab.host(host)
    nic = machine.spec.nic(port)
    before = await machine.run(at_rdma_device(nic, _DEFAULT + MARK.format(dscp=dscp) + _SET.format(tos=dscp << 2)))

    async def undo() -> None:
        await machine.run(at_rdma_device(nic, _DEFAULT + UNMARK + _SET.format(tos=int(before))))

    return undo
