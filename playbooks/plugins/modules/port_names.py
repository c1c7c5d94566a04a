"""Renames network ports and RDMA devices: unused ones immediately, the others at the next boot."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = r"""
module: port_names
short_description: Names of network ports and RDMA devices by slot
description:
  - A port is identified by its PCI address, or by its MAC address if the record has no PCI address.
  - A port with addresses, or in a bond or bridge, keeps its name until the next boot, which the module requests.
options:
  ports:
    description: Ports with name, slot, port, pci_address, mac_address and rdma_device.
    type: list
    elements: dict
    required: true
author: Rackproof (@rackproof)
"""

EXAMPLES = r"""
- name: Rename ports and RDMA devices that are not in use
  port_names:
    ports: "{{ port_names_ports }}"
"""

RETURN = r"""
renamed:
  description: Old and new names.
  type: list
  returned: always
deferred:
  description: Ports in use, which are renamed at the next boot.
  type: list
  returned: always
without_rdma:
  description: Ports without an RDMA device.
  type: list
  returned: always
"""

REASON = Path("/run/rackproof/reboot-required.d/port_names")
PCI = re.compile(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")


@dataclass
class Link:
    """The current state of a network interface."""

    name: str
    pci: str | None
    mac: str
    dev_port: int
    used: bool
    up: bool


def run(*command: str) -> str:
    """Run a command and return its output."""
    finished = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 no shell
    if finished.returncode:
        raise OSError(f"{' '.join(command)}: {finished.stderr.strip()}")
    return finished.stdout


def device_pci_address(path: Path) -> str | None:
    """Return the PCI address of a device, or of its virtio parent."""
    found = PCI.findall(str(path.resolve())) if path.exists() else []
    return found[-1] if found else None


def links() -> dict[str, Link]:
    """Return the interfaces of hardware or virtio devices, by name."""
    found = {}
    for shown in json.loads(run("ip", "-j", "address", "show")):
        name = shown["ifname"]
        folder = Path("/sys/class/net", name)
        if not (folder / "device").exists():
            continue
        addressed = any(each["scope"] == "global" for each in shown["addr_info"])
        found[name] = Link(
            name=name,
            pci=device_pci_address(folder / "device"),
            mac=permanent_mac(shown),
            dev_port=int((folder / "dev_port").read_text()),
            used=addressed or "master" in shown,
            up="UP" in shown["flags"],
        )
    return found


def permanent_mac(shown: dict[str, Any]) -> str:
    """Return the permanent MAC address; a member of a bond has the bond's as its current one."""
    return str(shown.get("permaddr") or shown.get("address", "")).lower()


def place(port: dict[str, Any]) -> str:
    """Return the PCI or MAC address of a port from the record."""
    return str(port["pci_address"] or port["mac_address"]).lower()


def port_link(port: dict[str, Any], found: dict[str, Link]) -> Link | None:
    """Return the interface of a port; ports of one PCI function differ by number."""
    key = "pci" if port["pci_address"] else "mac"
    matching = [link for link in found.values() if getattr(link, key) == place(port)]
    numbered = [link for link in matching if link.dev_port == port["port"]]
    return (numbered or matching or [None])[0] if key == "pci" else (matching or [None])[0]


def rdma_devices() -> dict[str, str]:
    """Return the RDMA device of each interface; a software device names its parent interface."""
    found = {}
    for device in Path("/sys/class/infiniband").glob("*"):
        parent = device / "parent"
        if parent.exists():
            found[parent.read_text().strip()] = device.name
        else:
            found |= {link.name: device.name for link in (device / "device" / "net").glob("*")}
    return found


def plan(ports: list[dict[str, Any]], found: dict[str, Link]) -> tuple[list[tuple[Link, str]], list[str]]:
    """Return the interfaces to rename with their new names, and the errors."""
    moves, problems = [], []
    for port in ports:
        link = port_link(port, found)
        if link is None:
            problems.append(f"{port['name']} (slot {port['slot']}, port {port['port']}): no adapter at {place(port)}")
        elif link.name != port["name"]:
            moves.append((link, port["name"]))
    moving = {link.name for link, _ in moves}
    problems += [f"{name} is the name of another adapter" for _, name in moves if name in found and name not in moving]
    return moves, problems


def rename(moves: list[tuple[Link, str]]) -> None:
    """Rename interfaces; over temporary names, because two may swap theirs."""
    for number, (link, _) in enumerate(moves):
        run("ip", "link", "set", "dev", link.name, "down")
        run("ip", "link", "set", "dev", link.name, "name", f"rp-move{number}")
    for number, (link, name) in enumerate(moves):
        run("ip", "link", "set", "dev", f"rp-move{number}", "name", name)
        if link.up:
            run("ip", "link", "set", "dev", name, "up")


def rdma_moves(ports: list[dict[str, Any]], found: dict[str, Link]) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the RDMA devices to rename with their new names, and the ports without one."""
    devices = rdma_devices()
    moves, absent = [], []
    for port in ports:
        link = port_link(port, found)
        device = devices.get(link.name) if link else None
        if port["rdma_device"] and device is None:
            absent.append(port["name"])
        elif port["rdma_device"] and device != port["rdma_device"]:
            moves.append((str(device), port["rdma_device"]))
    return moves, absent


def rename_rdma(moves: list[tuple[str, str]]) -> None:
    """Rename RDMA devices, over temporary names."""
    for number, (device, _) in enumerate(moves):
        run("rdma", "dev", "set", device, "name", f"rp-move{number}")
    for number, (_, name) in enumerate(moves):
        run("rdma", "dev", "set", f"rp-move{number}", "name", name)


def main() -> None:
    """Rename ports and RDMA devices, or fail with all errors before any change."""
    module = AnsibleModule(
        argument_spec={"ports": {"type": "list", "elements": "dict", "required": True}}, supports_check_mode=True
    )
    ports = [port for port in module.params["ports"] if port["pci_address"] or port["mac_address"]]
    found = links()
    moves, problems = plan(ports, found)
    if problems:
        there = ", ".join(sorted(f"{link.name} at {link.pci or '-'} ({link.mac})" for link in found.values()))
        module.fail_json(msg=f"differs from the as-built record: {'; '.join(problems)}. This host has: {there}")
    used = [f"{link.name} becomes {name}" for link, name in moves if link.used]
    # A new name may belong to a port in use; then all ports wait for the reboot.
    now = [] if used else moves
    devices, absent = rdma_moves(ports, found)
    if not module.check_mode:
        try:
            rename(now)
            rename_rdma(devices)
        except OSError as error:
            module.fail_json(msg=f"{error}; run again to finish", changed=True)
        if used:
            REASON.parent.mkdir(parents=True, exist_ok=True)
            REASON.write_text(f"in use under another name: {', '.join(used)}\n", encoding="utf-8")
    renamed = [f"{link.name} -> {name}" for link, name in now] + [f"{old} -> {new}" for old, new in devices]
    diff = {"before": "", "after": "".join(f"{line}\n" for line in renamed)}
    module.exit_json(changed=bool(renamed), renamed=renamed, deferred=used, without_rdma=absent, diff=diff)


if __name__ == "__main__":
    main()
