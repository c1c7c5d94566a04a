"""Runs on a host: starts the jobs of one run, bounds each in time, and ends all of them with the connection.

Sent as text to the host's own Python (3.9 or newer), so it imports the standard library only. It reads a request and
then "go" and "stop" on standard input, a line each. The end of standard input, which is also what a host sees when the
runner is interrupted or the connection breaks, ends all jobs. ``timeout`` bounds every command besides, so that none
keeps running even when this script is killed.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

LISTEN_LIMIT_S = 15.0
"""Longest wait until a server listens."""
LISTENING = "0A"
"""State of a listening socket in /proc/net/tcp (Linux, include/net/tcp_states.h)."""
POLL_S = 0.02
SERVER_GRACE_S = 3.0
"""Longest wait for servers once every client has ended: a server without a client would wait for ever."""
OUTPUT_LIMIT = 200_000
"""Characters kept of a command's output."""
ACCELERATOR_CLASSES = ("0x0300", "0x0302", "0x0380", "0x1200")
"""VGA and 3D controllers, display controllers, processing accelerators (PCI Code and ID Assignment, base classes 03h
and 12h)."""
ACCELERATOR_VENDORS = {"0x10de": "nvidia", "0x1002": "amd"}


def read_text(path: Path) -> str:
    """Return a file's text without surrounding blanks; empty where it cannot be read."""
    try:
        return path.read_bytes().decode("utf-8", "replace").strip()
    except OSError:
        return ""


def entries(folder: Path) -> list[Path]:
    """Return the entries of a folder, by name; none where it cannot be read."""
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def rdma_devices(root: Path) -> list[Path]:
    """Return the RDMA devices."""
    return entries(root / "sys/class/infiniband")


def netdev_name(device: Path) -> str:
    """Return the network interface of an RDMA device; a software device names it in ``parent``."""
    nets = entries(device / "device/net")
    return nets[0].name if nets else read_text(device / "parent")


def inventory(root: Path) -> dict[str, Any]:
    """Return RDMA devices with their addresses, and accelerators with their PCI paths."""
    return {
        "devices": {device.name: rdma_device(root, device) for device in rdma_devices(root)},
        "gpus": accelerators(root),
    }


def rdma_device(root: Path, device: Path) -> dict[str, Any]:
    """Return one RDMA device."""
    port, netdev = device / "ports/1", netdev_name(device)
    driver = device / "device/driver"
    return {
        "netdev": netdev,
        "driver": driver.resolve().name if driver.exists() else "",
        "state": read_text(port / "state"),
        "physical_state": read_text(port / "phys_state"),
        "rate": read_text(port / "rate"),
        "link_layer": read_text(port / "link_layer"),
        "guid": read_text(device / "node_guid"),
        "lid": read_text(port / "lid"),
        "mtu": read_text(root / "sys/class/net" / netdev / "mtu") if netdev else "",
        "pci": pci_path(device / "device"),
        "gids": gids(port),
    }


def gids(port: Path) -> list[dict[str, Any]]:
    """Return the GIDs of a port that have a type; the others are empty."""
    kinds = {gid: read_text(port / "gid_attrs/types" / gid.name) for gid in entries(port / "gids")}
    return [{"index": int(gid.name), "gid": read_text(gid), "type": kind} for gid, kind in kinds.items() if kind]


def pci_path(device: Path) -> list[str]:
    """Return the PCI functions from the root port to a device, its own last."""
    parts = os.path.realpath(device).split("/") if device.exists() else []
    return [part for part in parts if re.match(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$", part)]


def accelerators(root: Path) -> list[dict[str, Any]]:
    """Return accelerators in the order of their PCI addresses."""
    found = []
    for function in entries(root / "sys/bus/pci/devices"):
        vendor = ACCELERATOR_VENDORS.get(read_text(function / "vendor"))
        if vendor and read_text(function / "class")[:6] in ACCELERATOR_CLASSES:
            found.append({"vendor": vendor, "pci": pci_path(function)})
    return found


def counters(root: Path) -> dict[str, Any]:
    """Return the counters of every RDMA device and of its network interface."""
    found = {}
    for device in rdma_devices(root):
        netdev = netdev_name(device)
        found[device.name] = {
            "netdev": netdev,
            "rdma": {**read_counters(device / "ports/1/counters"), **read_counters(device / "ports/1/hw_counters")},
            "net": {
                **read_counters(root / "sys/class/net" / netdev / "statistics"),
                **read_counters(root / "sys/class/net" / netdev, ("carrier_changes",)),
            },
            "ethtool": ethtool(netdev) if netdev else {},
        }
    return found


def read_counters(folder: Path, names: tuple[str, ...] = ()) -> dict[str, int]:
    """Return the counters in a folder; a file that holds no number is left out."""
    files = [folder / name for name in names] if names else entries(folder)
    read = {file.name: read_text(file) for file in files}
    return {name: int(value) for name, value in read.items() if value.isdigit()}


def ethtool(netdev: str) -> dict[str, int]:
    """Return the counters of a network interface's driver; none where it has none."""
    argv = ["ethtool", "-S", netdev]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=10, check=False)  # noqa: S603 a fixed command
    except (OSError, subprocess.TimeoutExpired):
        return {}
    rows = (line.rsplit(":", 1) for line in done.stdout.splitlines() if ":" in line)
    return {row[0].strip(): int(row[1]) for row in rows if row[1].strip().isdigit()}


class Command:
    """A command in a process group of its own, whose output goes to files."""

    def __init__(self, argv: list[str], limit_s: float) -> None:
        self.out, self.err = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115 closed with the process
        self.began, self.ended, self.took_s = time.monotonic(), False, 0.0
        self.status: int | None = None
        self.process: subprocess.Popen[bytes] | None = None
        bounded = ["timeout", "--kill-after=2", f"{limit_s:g}", *argv]
        try:
            self.process = subprocess.Popen(  # noqa: S603 the runner's own request
                bounded, stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.err, start_new_session=True
            )
        except OSError as error:
            self.ended = True
            self.err.write(str(error).encode())

    def poll(self) -> bool:
        """Return whether the command has ended."""
        if not self.ended and self.process is not None and self.process.poll() is not None:
            self.ended, self.took_s = True, time.monotonic() - self.began
            # Status of `timeout`: 124 after SIGTERM at the limit, 137 after SIGKILL.
            self.status = None if self.process.returncode in (124, 137, -9) else self.process.returncode
        return self.ended

    def kill(self) -> None:
        """Kill the command's process group."""
        if self.process is not None:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except OSError:
                return

    def result(self) -> dict[str, Any]:
        """Return status, output and duration."""
        return {"status": self.status, "out": read_tail(self.out), "err": read_tail(self.err), "took_s": self.took_s}


def read_tail(file: Any) -> str:  # noqa: ANN401 one of two private classes of tempfile
    """Return the output of a command; only its end where it is too long."""
    file.seek(0)
    return str(file.read().decode("utf-8", "replace"))[-OUTPUT_LIMIT:]


def listening_ports(root: Path) -> set[int]:
    """Return the TCP ports with a listening socket."""
    ports: set[int] = set()
    for name in ("tcp", "tcp6"):
        rows = map(str.split, read_text(root / "proc/net" / name).splitlines()[1:])
        ports.update(int(row[1].rsplit(":", 1)[1], 16) for row in rows if row[3] == LISTENING)
    return ports


def wait_until_listening(servers: list[Command], ports: list[int], root: Path) -> None:
    """Wait until every server listens or has ended, at most `LISTEN_LIMIT_S`."""
    until = time.monotonic() + LISTEN_LIMIT_S
    while time.monotonic() < until:
        open_ports = listening_ports(root)
        if all(port in open_ports or server.poll() for server, port in zip(servers, ports)):  # noqa: B905 since 3.10
            return
        time.sleep(POLL_S)


class JobRun:
    """The jobs of one request."""

    def __init__(self, request: dict[str, Any], root: Path) -> None:
        self.request, self.root = request, root
        self.commands: dict[str, Command] = {}
        self.starting = threading.Lock()
        self.go, self.stop = threading.Event(), threading.Event()

    def read_control(self) -> None:
        """Read "go" and "stop"; at the end of standard input kill all jobs and exit."""
        events = {"go\n": self.go, "stop\n": self.stop}
        for line in sys.stdin:
            if line in events:
                events[line].set()
        with self.starting:
            for command in self.commands.values():
                command.kill()
            os._exit(1)

    def start(self, rows: dict[str, Any]) -> list[Command]:
        """Start jobs."""
        for key, row in rows.items():
            with self.starting:
                self.commands[key] = Command(row["argv"], self.request["limit_s"])
        return [self.commands[key] for key in rows]

    def run(self) -> None:
        """Start servers and report them ready; on "go" run the clients; on "stop" report all results."""
        before = counters(self.root)
        ports = [row["port"] for row in self.request["servers"].values()]
        servers = self.start(self.request["servers"])
        wait_until_listening(servers, ports, self.root)
        found = inventory(self.root) if self.request["inventory"] else {}
        send({"ready": True, "before": before, "inventory": found})
        self.go.wait()
        wait_until_ended(self.start(self.request["clients"]))
        send({"ended": True})
        self.stop.wait()
        wait_until_ended(servers, SERVER_GRACE_S)
        results = {key: command.result() for key, command in self.commands.items()}
        send({"results": results, "after": counters(self.root)})


def wait_until_ended(commands: list[Command], limit_s: float | None = None) -> None:
    """Wait until commands have ended; those that still run after the limit are killed."""
    until = time.monotonic() + (limit_s or 0.0)
    while not all([command.poll() for command in commands]):  # noqa: C419 every command has to be polled
        if limit_s is not None and time.monotonic() > until:
            for command in commands:
                command.kill()
        time.sleep(POLL_S)


def send(message: dict[str, Any]) -> None:
    """Write a message on a line of standard output."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def main(root: str = "/") -> None:
    """Run the jobs of the request on standard input."""
    run = JobRun(json.loads(sys.stdin.readline()), Path(root))
    threading.Thread(target=run.read_control, daemon=True).start()
    run.run()
    os._exit(0)
