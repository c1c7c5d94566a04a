"""The command that starts a host: QEMU without any acceleration, so that it runs inside a virtual machine too."""

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
"""Names of files in a host's folder, which is QEMU's own too: the path of a socket may be 107 characters long only."""
DISK: Final = "disk.qcow2"
CONSOLE: Final = "console.log"
LOG: Final = "qemu.log"
SNAPSHOT: Final = "booted"
LAB_PORT_MAC: Final = "52:54:00:00:00:01"
"""Of the port that the lab itself comes in by; every host has a network of its own there, so one address serves all."""
_RAILS: Final = "opt/org.rackproof/rails"
"""Name of a firmware configuration file (QEMU, docs/specs/fw_cfg: reverse domain names are the user's)."""
_GPUS: Final = "opt/org.rackproof/gpus"
"""What the doubles of the vendors' tools replay a recording of; see lab/hosts/packages."""


@dataclass(frozen=True, slots=True)
class Start:
    """How one host is started."""

    spec: HostSpec
    folder: Path
    image: Image
    taps: Mapping[LabEnd, int]
    """Host's end of a cable to the file descriptor of its wire; a port without one is there and has no link."""
    ssh_port: int
    """On loopback; 0: any that is free."""
    restore: bool
    """Whether to go on where the snapshot in the disk stopped, rather than to boot."""


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
    """Return what QEMU calls a port, to set its link or take it out."""
    return f"nic-{nic.end.port}"


def _slot_file(number: int) -> str:
    return f"slot-{number}.smbios"


def _identity(spec: HostSpec) -> Iterator[str]:
    """What the chassis says about itself, and what the lab tells the host beside."""
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
    """Ports of adapters, each adapter on the PCI bus of its slot."""
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
    """Slots whose buses have the numbers that they have in a server.

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
