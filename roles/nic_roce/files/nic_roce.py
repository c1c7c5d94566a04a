#!/usr/bin/python3
"""RoCE settings of network adapters, from /etc/rackproof/nic-roce.json. Written by Rackproof; changes are overwritten.

usage: nic-roce check | apply [--wait SECONDS] | facts

``check`` prints a line for each setting that differs. ``apply`` sets these and prints them. ``facts`` prints the
settings that an adapter does not support; the other commands skip these.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Names = dict[str, Any]

SETTINGS = Path("/etc/rackproof/nic-roce.json")
CONFIGFS = Path("/sys/kernel/config")
REASON = Path("/run/rackproof/reboot-required.d/nic_roce")
PRIORITIES = range(8)
# RoCE v2 is UDP to this port (IANA).
ROCE_PORT = 4791
# BlueField-3 SuperNIC as Ethernet adapter, NIC mode: nic-configuration-operator, mlxconfig of RA 1.3 and 2.1.
BLUEFIELD = {"a2dc": {"INTERNAL_CPU_MODEL": "1", "INTERNAL_CPU_OFFLOAD_ENGINE": "1"}}
ADAPTIVE = {"ROCE_ADAPTIVE_ROUTING_EN": "1", "USER_PROGRAMMABLE_CC": "1", "TX_SCHEDULER_LOCALITY_MODE": "2"}


class CommandError(Exception):
    """A command that failed, with its output."""


def run(*command: str) -> str:
    """Run a command and return its output."""
    environment = {**os.environ, "LC_ALL": "C", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}
    try:
        finished = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)  # noqa: S603 no shell
    except FileNotFoundError:
        raise CommandError(f"{command[0]} is not installed") from None
    if finished.returncode:
        said = (finished.stderr or finished.stdout).strip()
        raise CommandError(f"{' '.join(command)}: {said}")
    return finished.stdout


class Setting:
    """One setting of a port: its current value, its required value, and how to set it."""

    def __init__(self, port: str, what: str, found: object, wanted: object, put: Callable[[], object]) -> None:
        self.text = f"{port}: {what} is {found}, required {wanted}"
        self.differs = found != wanted
        self.put = put


# ------------------------------------------------------------ RDMA connection manager


def connection_manager(asked: Names, port: Names) -> Iterator[Setting]:
    """Yield the DSCP settings of the RDMA connection manager; every RDMA device has them."""
    base = CONFIGFS / "rdma_cm" / port["rdma_device"] / "ports" / "1"
    wanted = {"default_roce_mode": "RoCE v2", "default_roce_tos": str(asked["dscp"] << 2)}
    for name, value in wanted.items():
        # The folder of a device exists only after it was created; reading creates nothing.
        found = (base / name).read_text().strip() if base.exists() else "not set"
        yield Setting(port["name"], name, found, value, partial(put_configfs, base, name, value))


def put_configfs(base: Path, name: str, value: str) -> None:
    """Write one attribute; the kernel fills the folder of a device when it is created."""
    base.parents[1].mkdir(parents=True, exist_ok=True)
    (base / name).write_text(value)


# ------------------------------------------------------------ inbox: dcb (802.1Qaz netlink)


def can_dcb(port: Names) -> bool:
    """Whether the driver supports data centre bridging."""
    try:
        run("dcb", "ets", "show", "dev", port["name"])
    except CommandError as error:
        if "not supported" in str(error).lower():
            return False
        raise
    return True


def traffic_class(asked: Names, priority: int) -> int:
    """Return the traffic class of a priority: 1 RoCE, 2 its congestion notifications, 0 all others."""
    return {asked["priority"]: 1, asked["cnp_priority"]: 2}.get(priority, 0)


def pairs(text: str, name: str) -> list[str]:
    """Return the pairs after a name in the output of ``dcb``: ``prio-pfc 0:off 1:off``."""
    match = re.search(rf"(?<![\w-]){name}((?: [^ :]+:[^ ]+)+)", text.replace("\n", " "))
    return sorted(match.group(1).split()) if match else []


def dcb(asked: Names, port: Names) -> Iterator[Setting]:
    """Yield flow control, bandwidth and trust, set with the ``dcb`` tool of iproute2."""
    name = port["name"]
    share = asked["bandwidth_percent"]
    flow = [f"{each}:{'on' if each == asked['priority'] else 'off'}" for each in PRIORITIES]
    found = pairs(run("dcb", "pfc", "show", "dev", name), "prio-pfc")
    yield Setting(name, "PFC", found, flow, lambda: run("dcb", "pfc", "set", "dev", name, "prio-pfc", *flow))
    classes = {
        "tc-tsa": ["0:ets", "1:ets", *(f"{each}:strict" for each in range(2, 8))],
        "tc-bw": [f"0:{100 - share}", f"1:{share}", *(f"{each}:0" for each in range(2, 8))],
        "prio-tc": [f"{each}:{traffic_class(asked, each)}" for each in PRIORITIES],
    }
    shown = run("dcb", "ets", "show", "dev", name)
    held = {key: pairs(shown, key) for key in classes}
    # An adapter with fewer than eight traffic classes shows only these; drivers require all values in one call.
    meant = {key: wanted[: len(held[key]) or None] for key, wanted in classes.items()}
    words = [word for key, wanted in meant.items() for word in (key, *wanted)]
    yield Setting(name, "ETS", held, meant, lambda: run("dcb", "ets", "set", "dev", name, *words))
    yield from trust(asked, name)


def trust(asked: Names, name: str) -> Iterator[Setting]:
    """Yield the table that makes the adapter trust DSCP: an entry for RoCE and one for its notifications."""
    shown = run("dcb", "-N", "app", "show", "dev", name)
    wanted = {
        "dscp-prio": [f"{asked['dscp']}:{asked['priority']}", f"{asked['cnp_dscp']}:{asked['cnp_priority']}"],
        "dgram-port-prio": [f"{ROCE_PORT}:{asked['priority']}"],
    }
    for key, entries in wanted.items():
        found = pairs(shown, key)
        for entry in entries:
            held = entry if entry in found else "absent"
            put = partial(run, "dcb", "app", "replace", "dev", name, key, entry)
            yield Setting(name, f"{key} {entry}", held, entry, put)


# ------------------------------------------------------------ Broadcom: configfs


def broadcom(asked: Names, port: Names) -> Iterator[Setting]:
    """Yield congestion control of Broadcom adapters (bnxt_setupcc.sh 236.1.155.0)."""
    base = CONFIGFS / "bnxt_re" / port["rdma_device"] / "ports" / "1" / "cc"
    if not base.exists():
        try:
            base.parents[2].mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CommandError(f"{port['name']}: no congestion control in configfs: {error}") from error
    wanted = {
        "disable_prio_vlan_tx": "1",
        "ecn_marking": "1",
        "ecn_enable": "1",
        "cc_mode": "1",
        "roce_prio": str(asked["priority"]),
        "cnp_prio": str(asked["cnp_priority"]),
        "roce_dscp": str(asked["dscp"]),
        "cnp_dscp": str(asked["cnp_dscp"]),
    }
    for name, value in wanted.items():
        path = base / name
        # Adapters whose firmware controls the class of notifications do not have these.
        if path.exists():
            found = str(int(path.read_text().split()[-1], 0))
            yield Setting(port["name"], name, found, value, partial(put_and_apply, path, value))


def put_and_apply(path: Path, value: str) -> None:
    """Write one attribute of congestion control and apply it."""
    path.write_text(value)
    (path.parent / "apply").write_text("1")


# ------------------------------------------------------------ NVIDIA: mlnx_qos


def mlnx_qos(asked: Names, port: Names) -> Iterator[Setting]:
    """Yield trust and flow control, set with NVIDIA's ``mlnx_qos``, and congestion control, set in sysfs."""
    name = port["name"]
    shown = run("mlnx_qos", "-i", name)
    state = re.search(r"Priority trust state: (\w+)", shown)
    trusted = state.group(1) if state else "unknown"
    yield Setting(name, "trust", trusted, "dscp", lambda: run("mlnx_qos", "-i", name, "--trust", "dscp"))
    lossless = ["1" if each == asked["priority"] else "0" for each in PRIORITIES]
    enabled = re.search(r"enabled +((?:[01] *){8})", shown)
    found = enabled.group(1).split() if enabled else []
    yield Setting(name, "PFC", found, lossless, lambda: run("mlnx_qos", "-i", name, "--pfc", ",".join(lossless)))
    base = Path("/sys/class/net", name, "ecn")
    for role in ("roce_np", "roce_rp"):
        path = base / role / "enable" / str(asked["priority"])
        if path.exists():
            yield Setting(name, f"{role} enable", path.read_text().strip(), "1", partial(path.write_text, "1"))
    for entry, value in (("cnp_dscp", asked["cnp_dscp"]), ("cnp_802p_prio", asked["cnp_priority"])):
        path = base / "roce_np" / entry
        if path.exists():
            yield Setting(name, entry, path.read_text().strip(), str(value), partial(path.write_text, str(value)))


def firmware(port: Names) -> Iterator[Setting]:
    """Yield firmware settings of an NVIDIA adapter, which take effect at the next reboot (mlxconfig)."""
    wanted = {**BLUEFIELD.get(port["device_id"], {}), **(ADAPTIVE if port["adaptive_routing"] else {})}
    if not wanted:
        return
    pci = Path("/sys/class/net", port["name"], "device").resolve().name
    shown = run("mlxconfig", "-d", pci, "-e", "query", *wanted)
    for name, value in wanted.items():
        # Columns: default, current, next boot; a value reads NAME(1) or 1.
        row = re.search(rf"{name} +(.*)", shown)
        if row is None:
            continue
        last = row.group(1).split()[-1]
        found = re.sub(r".*\((\d+)\)", r"\1", last)
        yield Setting(port["name"], f"firmware {name}", found, value, partial(set_firmware, pci, name, value))


def set_firmware(pci: str, name: str, value: str) -> None:
    """Set a firmware setting of the adapter and request the reboot that applies it."""
    run("mlxconfig", "-d", pci, "-y", "set", f"{name}={value}")
    REASON.parent.mkdir(parents=True, exist_ok=True)
    REASON.write_text(f"firmware of {pci} has new settings\n")


# ------------------------------------------------------------ all settings


def port_settings(asked: Names, port: Names) -> Iterator[Setting]:
    """Yield all settings of a port."""
    yield from connection_manager(asked, port)
    if asked["provider"] == "mlnx_qos":
        yield from mlnx_qos(asked, port)
        yield from firmware(port)
    elif asked["provider"] == "dcb" and can_dcb(port):
        yield from dcb(asked, port)
        if port["driver"] == "bnxt_en":
            yield from broadcom(asked, port)


def facts(asked: Names) -> Iterator[str]:
    """Yield the settings that adapters do not support."""
    for port in asked["ports"]:
        if asked["provider"] == "dcb" and not can_dcb(port):
            yield f"{port['name']}: PFC, ETS and trust are not supported by this NIC ({port['driver']})"


def absent(asked: Names) -> list[str]:
    """Return the devices that do not exist."""
    links = [port["name"] for port in asked["ports"] if not Path("/sys/class/net", port["name"]).exists()]
    names = [port["rdma_device"] for port in asked["ports"]]
    return links + [name for name in names if not Path("/sys/class/infiniband", name).exists()]


def wait_for_devices(asked: Names, seconds: int) -> list[str]:
    """Wait until every device exists; return the missing ones at the time limit."""
    deadline = time.monotonic() + seconds
    while (missing := absent(asked)) and time.monotonic() < deadline:
        time.sleep(0.5)
    return missing


def main() -> int:
    """Run the command of the arguments; return the exit status."""
    parser = argparse.ArgumentParser(description="RoCE on the network adapters.")
    parser.add_argument("verb", choices=["check", "apply", "facts"])
    parser.add_argument("--wait", type=int, default=0, help="seconds to wait for missing devices")
    arguments = parser.parse_args()
    asked = json.loads(SETTINGS.read_text())
    try:
        do(arguments.verb, asked, arguments.wait)
    except (CommandError, OSError) as error:
        print(f"nic-roce: {error}", file=sys.stderr)
        return 1
    return 0


def do(verb: str, asked: Names, wait_s: int) -> None:
    """Print the settings that differ, and set them unless only checking."""
    if missing := wait_for_devices(asked, wait_s):
        raise CommandError(f"missing devices: {', '.join(missing)}")
    if verb == "facts":
        print("\n".join(facts(asked)))
        return
    differing = (setting for port in asked["ports"] for setting in port_settings(asked, port) if setting.differs)
    for setting in differing:
        print(setting.text)
        if verb == "apply":
            setting.put()


if __name__ == "__main__":
    sys.exit(main())
