"""A port without RDMA: what ran over it finds TCP only."""

from typing import TYPE_CHECKING, Final

from lab.hosts.at_port import at_rdma_device

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo

_BACK: Final = """/usr/local/lib/rackproof-lab/make-rxe
udevadm settle --timeout=30
if systemctl --quiet is-enabled rackproof-nic-roce 2>/dev/null; then systemctl restart rackproof-nic-roce; fi
"""
"""A device that comes back gets its name and settings as it does when the host boots."""


async def inject(lab: "RunningLab", host: str, port: str) -> "Undo":
    """Take the RDMA device of a host's port away; the port itself goes on carrying IP."""
    machine = lab.host(host)
    await machine.run(at_rdma_device(machine.spec.nic(port), 'rdma link delete "$device"'))

    async def undo() -> None:
        await machine.run(_BACK)

    return undo
