"""Runs on a host: prints its network ports from firmware and kernel; ``ports.py`` parses the output.

Sent as text to the host's own Python (3.9 or newer), so it imports the standard library only. Everything is read from
files; nothing is started and nothing is changed.
"""

from __future__ import annotations

import base64
import os
import re
from pathlib import Path
from typing import Final

PCI: Final = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]\Z")
"""How sysfs names a PCI function; the domains of virtual machines may have more digits than four."""
SMBIOS: Final = "sys/firmware/dmi/tables/DMI"
"""The structures as the firmware left them (Linux, Documentation/ABI/testing/sysfs-firmware-dmi-tables)."""


def gather(root: str = "/") -> dict[str, object]:
    """Return, from files below ``root``, network interfaces, RDMA devices, PCI functions, bond members and SMBIOS."""
    top = Path(root)
    nets, rdmas = folders(top / "sys/class/net"), folders(top / "sys/class/infiniband")
    chains = [pci_chain(device / "device") for device in (*nets, *rdmas)]
    return {
        "interfaces": [interface(net) for net in nets],
        "rdma": [rdma(device) for device in rdmas],
        "pci": {chain[-1]: function(top / "sys/bus/pci/devices" / chain[-1]) for chain in chains if chain},
        "members": dict(bond_members(top)),
        "smbios": base64.b64encode(content(top / SMBIOS)).decode(),
    }


def folders(folder: Path) -> list[Path]:
    """Return the entries of a folder, by name; none where there is no folder."""
    return sorted(folder.iterdir()) if folder.is_dir() else []


def content(path: Path) -> bytes:
    """Return a file's bytes; none where it cannot be read."""
    try:
        return path.read_bytes()
    except OSError:
        return b""


def word(path: Path) -> str:
    """Return a file's text without the blanks around it."""
    return content(path).decode("utf-8", "replace").strip()


def pci_chain(device: Path) -> list[str]:
    """Return the PCI functions from the root port to a device, its own last; none where it is on no PCI bus."""
    path = os.path.realpath(device)
    return [] if "/usb" in path else [part for part in path.split("/") if PCI.match(part)]


def interface(net: Path) -> dict[str, object]:
    """Return one network interface."""
    return {
        "name": net.name,
        "chain": pci_chain(net / "device"),
        "address": word(net / "address"),
        "type": word(net / "type"),
        "dev_port": word(net / "dev_port"),
        "virtual_function": (net / "device" / "physfn").exists(),
    }


def rdma(device: Path) -> dict[str, object]:
    """Return one RDMA device; soft ones name the interface they run over (Linux, rxe and siw: ``parent``)."""
    return {"name": device.name, "chain": pci_chain(device / "device"), "parent": word(device / "parent")}


def function(device: Path) -> dict[str, str]:
    """Return one PCI function."""
    return {name: word(device / name) for name in ("vendor", "device", "numa_node")}


def bond_members(top: Path) -> list[tuple[str, str]]:
    """Return interface to permanent MAC address of every member of a bond, which has the bond's while it is one."""
    found = []
    for bond in folders(top / "proc/net/bonding"):
        member = ""
        for line in content(bond).decode("utf-8", "replace").splitlines():
            key, _, value = line.partition(": ")
            if key == "Slave Interface":
                member = value.strip()
            elif key == "Permanent HW addr" and member:
                found.append((member, value.strip()))
    return found
