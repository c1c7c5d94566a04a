"""A host port with a wrong MTU."""

from typing import TYPE_CHECKING

from lab.hosts.at_port import at_port

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo

_SET = 'ip link set "$port" mtu {mtu}'


async def inject(lab: "RunningLab", host: str, port: str, mtu: int = 1500) -> "Undo":
    """Set another MTU on a host's port, in bytes, until the fault is cleared or the host boots."""
    machine = lab.host(host)
    nic = machine.spec.nic(port)
    before = await machine.run(at_port(nic, 'cat "/sys/class/net/$port/mtu"'))
    await machine.run(at_port(nic, _SET.format(mtu=mtu)))

    async def undo() -> None:
        await machine.run(at_port(nic, _SET.format(mtu=int(before))))

    return undo
