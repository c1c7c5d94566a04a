"""A missing network adapter."""

from typing import TYPE_CHECKING, Final

from lab.hosts.machine import HostNic

if TYPE_CHECKING:
    from lab.daemon.running_lab import RunningLab
    from lab.faults import Undo


_PLACES: Final = "grep -lE '{macs}' /sys/class/net/*/address | xargs -n 1 dirname"
_REMOVE: Final = 'device=$(readlink -f "$place/device/.."); echo 1 >"$device/remove"'
"""A virtio port hangs off its PCI function (Linux, Documentation/PCI: sysfs, remove)."""
_BACK: Final = """echo 1 >/sys/bus/pci/rescan
/usr/local/lib/rackproof-lab/make-rxe
"""


async def inject(lab: "RunningLab", host: str, port: str) -> "Undo":
    """Remove the adapter of a port from a host, with all its ports, until the fault is cleared or the host boots."""
    without = lab.host(host)
    adapter = without.spec.nic(port)
    ports = [nic for nic in without.spec.nics if nic.slot == adapter.slot]
    await without.run(f"for place in $({_PLACES.format(macs='|'.join(nic.mac for nic in ports))}); do {_REMOVE}; done")
    await _carrier(lab, ports, up=False)

    async def undo() -> None:
        await _carrier(lab, ports, up=True)
        await without.run(_BACK)

    return undo


async def _carrier(lab: "RunningLab", ports: list[HostNic], *, up: bool) -> None:
    """Set the link of the switch ports at the other end of the cables."""
    if lab.fabric is not None:
        for nic in ports:
            await lab.fabric.set_carrier(nic.end, up)
