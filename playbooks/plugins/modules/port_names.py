"""Names of network ports and their RDMA devices, given now to what is not in use and at the next boot to the rest."""

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
short_description: Names of network ports and RDMA devices by their place
description:
  - A port is found by its PCI address, or by its MAC address where the record has no PCI address.
  - A port that carries addresses or belongs to a bond or bridge keeps its name until the next boot, which is asked for.
options:
  ports:
    description: Ports with name, slot, port, pci_address, mac_address and rdma_device.
    type: list
    elements: dict
    required: true
author: Rackproof (@rackproof)
"""

EXAMPLES = r"""
- name: Rename what is not in use
  port_names:
    ports: "{{ port_names_ports }}"
"""

RETURN = r"""
renamed:
  description: Old and new names.
  type: list
  returned: always
deferred:
  description: Ports that are in use and get their name at the next boot.
  type: list
  returned: always
without_rdma:
  description: Ports whose RDMA device is not there.
  type: list
  returned: always
"""

REASON = Path("/run/rackproof/reboot-required.d/port_names")
PCI = re.compile(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")


@dataclass
class Link:
    """A network interface as it is now."""

    name: str
    pci: str | None
    mac: str
    dev_port: int
    used: bool
    up: bool


def run(*command: str) -> str:
    """Run a command; return what it says."""
    finished = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 no shell
    if finished.returncode:
        raise OSError(f"{' '.join(command)}: {finished.stderr.strip()}")
    return finished.stdout


def pci_of(path: Path) -> str | None:
    """Return the PCI address that a device hangs on, through virtio or none."""
    found = PCI.findall(str(path.resolve())) if path.exists() else []
    return found[-1] if found else None


def links() -> dict[str, Link]:
    """Return the interfaces that belong to a device, by name."""
    found = {}
    for shown in json.loads(run("ip", "-j", "address", "show")):
        name = shown["ifname"]
        folder = Path("/sys/class/net", name)
        if not (folder / "device").exists():
            continue
        addressed = any(each["scope"] == "global" for each in shown["addr_info"])
        found[name] = Link(
            name=name,
            pci=pci_of(folder / "device"),
            mac=permanent_mac(shown),
            dev_port=int((folder / "dev_port").read_text()),
            used=addressed or "master" in shown,
            up="UP" in shown["flags"],
        )
    return found


def permanent_mac(shown: dict[str, Any]) -> str:
    """Return the address that the adapter came with; members of a bond show the bond's."""
    return str(shown.get("permaddr") or shown.get("address", "")).lower()


def place(port: dict[str, Any]) -> str:
    """Return where a port is, as the record says."""
    return str(port["pci_address"] or port["mac_address"]).lower()


def link_of(port: dict[str, Any], found: dict[str, Link]) -> Link | None:
    """Return the interface of a port; functions with several ports number them."""
    key = "pci" if port["pci_address"] else "mac"
    matching = [link for link in found.values() if getattr(link, key) == place(port)]
    numbered = [link for link in matching if link.dev_port == port["port"]]
    return (numbered or matching or [None])[0] if key == "pci" else (matching or [None])[0]


def rdma_devices() -> dict[str, str]:
    """Return the RDMA device of each interface; a virtual one names the interface it works through."""
    found = {}
    for device in Path("/sys/class/infiniband").glob("*"):
        parent = device / "parent"
        if parent.exists():
            found[parent.read_text().strip()] = device.name
        else:
            found |= {link.name: device.name for link in (device / "device" / "net").glob("*")}
    return found


def plan(ports: list[dict[str, Any]], found: dict[str, Link]) -> tuple[list[tuple[Link, str]], list[str]]:
    """Return which interface gets which name, and what is wrong."""
    moves, problems = [], []
    for port in ports:
        link = link_of(port, found)
        if link is None:
            problems.append(f"{port['name']} (slot {port['slot']}, port {port['port']}): no adapter at {place(port)}")
        elif link.name != port["name"]:
            moves.append((link, port["name"]))
    moving = {link.name for link, _ in moves}
    problems += [f"{name} is the name of another adapter" for _, name in moves if name in found and name not in moving]
    return moves, problems


def rename(moves: list[tuple[Link, str]]) -> None:
    """Rename interfaces; by way of names that nobody has, because two may swap theirs."""
    for number, (link, _) in enumerate(moves):
        run("ip", "link", "set", "dev", link.name, "down")
        run("ip", "link", "set", "dev", link.name, "name", f"rp-move{number}")
    for number, (link, name) in enumerate(moves):
        run("ip", "link", "set", "dev", f"rp-move{number}", "name", name)
        if link.up:
            run("ip", "link", "set", "dev", name, "up")


def rdma_moves(ports: list[dict[str, Any]], found: dict[str, Link]) -> tuple[list[tuple[str, str]], list[str]]:
    """Return which RDMA device gets which name, and which ports have none."""
    devices = rdma_devices()
    moves, absent = [], []
    for port in ports:
        link = link_of(port, found)
        device = devices.get(link.name) if link else None
        if port["rdma_device"] and device is None:
            absent.append(port["name"])
        elif port["rdma_device"] and device != port["rdma_device"]:
            moves.append((str(device), port["rdma_device"]))
    return moves, absent


def rename_rdma(moves: list[tuple[str, str]]) -> None:
    """Rename RDMA devices, as interfaces are."""
    for number, (device, _) in enumerate(moves):
        run("rdma", "dev", "set", device, "name", f"rp-move{number}")
    for number, (_, name) in enumerate(moves):
        run("rdma", "dev", "set", f"rp-move{number}", "name", name)


def main() -> None:
    """Give the names, or say what stands in the way before anything is touched."""
    module = AnsibleModule(
        argument_spec={"ports": {"type": "list", "elements": "dict", "required": True}}, supports_check_mode=True
    )
    ports = [port for port in module.params["ports"] if port["pci_address"] or port["mac_address"]]
    found = links()
    moves, problems = plan(ports, found)
    if problems:
        there = ", ".join(sorted(f"{link.name} at {link.pci or '-'} ({link.mac})" for link in found.values()))
        module.fail_json(msg=f"not as the as-built record has it: {'; '.join(problems)}. This host has: {there}")
    used = [f"{link.name} becomes {name}" for link, name in moves if link.used]
    # A name may be waiting for one that is in use: then all wait.
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
