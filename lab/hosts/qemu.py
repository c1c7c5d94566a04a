"""The command that starts a host: QEMU without acceleration, so that it also runs inside a virtual machine."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from lab.hosts.image import Image
from lab.hosts.machine import MEMORY_MB, HostNic, HostSpec
from lab.hosts.smbios import slot_records
from lab.spec.models import LabEnd

PROGRAM: Final = "qemu-system-x86_64"
CONTROL: Final = "qmp.sock"
"""Names of files in a host's folder, QEMU's working directory: the path of a socket has at most 107 characters."""
DISK: Final = "disk.qcow2"
CONSOLE: Final = "console.log"
LOG: Final = "qemu.log"
SNAPSHOT: Final = "booted"
LAB_PORT_MAC: Final = "52:54:00:00:00:01"
"""MAC address of the port for the lab's login; each host has a separate network there, so all can share it."""
_RAILS: Final = "opt/org.rackproof/rails"
"""Name of a firmware configuration file (QEMU, docs/specs/fw_cfg: reverse domain names are the user's)."""
_GPUS: Final = "opt/org.rackproof/gpus"
"""Name of the recording that the fake vendor tools replay; see lab/hosts/packages."""


@dataclass(frozen=True, slots=True)
class Start:
    """How one host is started."""

    spec: HostSpec
    folder: Path
    image: Image
    taps: Mapping[LabEnd, int]
    """File descriptor of the wire, by the host's end of the cable; a port without one has no link."""
    ssh_port: int
    """Port on loopback; 0: any free port."""
    restore: bool
    """Whether to restore the snapshot in the disk instead of booting."""


def command(start: Start) -> list[str]:
    """Return QEMU's command line; it is run in the host's folder."""
    spec = start.spec
    return [
        *(PROGRAM, "-name", f"{spec.name},debug-threads=off", "-D", str(start.folder / LOG)),
        *("-nodefaults", "-no-user-config", "-display", "none"),
        *("-machine", "q35,vmport=off", "-accel", "tcg,tb-size=128", "-cpu", "Nehalem", "-smp", "1"),
        *("-m", str(MEMORY_MB), "-rtc", "base=utc,clock=host"),
        *("-kernel", str(start.image.loader)),
        *("-drive", f"file={DISK},if=none,id=disk,format=qcow2,cache=unsafe,discard=unmap"),
        *("-device", "virtio-blk-pci,drive=disk,addr=0x3", "-device", "virtio-rng-pci,addr=0x4"),
        *("-serial", f"file:{CONSOLE}", "-qmp", f"unix:{CONTROL},server=on,wait=off"),
        *("-netdev", f"user,id=lab,restrict=on,hostfwd=tcp:127.0.0.1:{start.ssh_port}-10.0.2.15:22"),
        *("-device", f"virtio-net-pci,netdev=lab,mac={LAB_PORT_MAC},addr=0x2,romfile="),
        *_ports(spec, start.taps),
        *_identity(spec),
        *(("-loadvm", SNAPSHOT) if start.restore else ()),
    ]


def write_slots(start: Start) -> None:
    """Write the records that the command line names."""
    for number, record in enumerate(slot_records(start.spec.nics)):
        (start.folder / _slot_file(number)).write_bytes(record)


def device_id(nic: HostNic) -> str:
    """Return QEMU's identifier of a port."""
    return f"nic-{nic.end.port}"


def _slot_file(number: int) -> str:
    return f"slot-{number}.smbios"


def _identity(spec: HostSpec) -> Iterator[str]:
    """Yield the options for SMBIOS records and for the lab's firmware configuration files."""
    product = f"{spec.product} (Rackproof lab)".replace(",", ",,")
    yield "-smbios"
    yield f"type=1,manufacturer={spec.vendor.replace(',', ',,')},product={product},serial={spec.serial_number}"
    for number in range(len(slot_records(spec.nics))):
        yield from ("-smbios", f"file={_slot_file(number)}")
    carriers = ",".join(nic.mac for nic in spec.nics if nic.rdma)
    yield from ("-fw_cfg", f"name={_RAILS},string={carriers.replace(',', ',,')}")
    if spec.gpus:
        yield from ("-fw_cfg", f"name={_GPUS},string={spec.gpus.replace(',', ',,')}")


def _ports(spec: HostSpec, taps: Mapping[LabEnd, int]) -> Iterator[str]:
    """Yield the options for ports of adapters, each adapter on the PCI bus of its slot."""
    yield from _slots(sorted({nic.bus for nic in spec.nics if nic.bus is not None}))
    unplaced = 0x18
    for nic in sorted(spec.nics, key=lambda nic: (nic.bus or 0, nic.port)):
        tap = taps.get(nic.end)
        netdev = "" if tap is None else f"netdev={device_id(nic)}-wire,"
        if tap is not None:
            yield from ("-netdev", f"tap,id={device_id(nic)}-wire,fd={tap}")
        place = f"bus=slot{nic.bus:02x},addr=0x0.{nic.port}" if nic.bus is not None else f"addr={unplaced:#x}"
        unplaced += nic.bus is None
        several = ",multifunction=on" if nic.bus is not None and nic.port == 0 else ""
        speed = f",speed={nic.speed_mbps},duplex=full" if nic.speed_mbps else ""
        words = f"{netdev}id={device_id(nic)},mac={nic.mac},{place}{several}{speed}"
        yield from ("-device", f"virtio-net-pci,{words},romfile=")


def _slots(buses: list[int]) -> Iterator[str]:
    """Yield the options for slots whose PCI buses have the numbers of the server model.

    An expander bridge makes a root bus of any number; firmware numbers the buses behind its root ports on from there.
    So buses that follow each other hang off one expander, whose own number is the one before theirs.
    """
    expander = 0
    for place, bus in enumerate(buses):
        if bus - 1 not in buses:
            expander = bus - 1
            words = f"pxb-pcie,id=host{expander:02x},bus=pcie.0,bus_nr={expander},addr={0x8 + place:#x}"
            yield from ("-device", words)
        yield from ("-device", f"pcie-root-port,id=slot{bus:02x},bus=host{expander:02x},chassis={bus},addr={place:#x}")
