"""A host port without an RDMA device."""

from typing import TYPE_CHECKING, Final

from lab.hosts.at_port import at_rdma_device

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo

_BACK: Final = """/usr/local/lib/rackproof-lab/make-rxe
udevadm settle --timeout=30
if systemctl --quiet is-enabled rackproof-nic-roce 2>/dev/null; then systemctl restart rackproof-nic-roce; fi
"""
"""A device that is added again gets its name and settings as at boot."""


async def inject(lab: "RunningLab", host: str, port: str) -> "Undo":
    """Remove the RDMA device of a host's port; the port still carries IP."""
    machine = lab.host(host)
    await machine.run(at_rdma_device(machine.spec.nic(port), 'rdma link delete "$device"'))

    async def undo() -> None:
        await machine.run(_BACK)

    return undo
