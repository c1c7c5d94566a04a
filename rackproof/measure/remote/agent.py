"""Runs on a host for one scene: starts commands when it is told to, bounds them, and leaves none behind.

Sent as text to the host's own Python (3.9 or newer), so it imports the standard library only. It reads a request and
then "go" on standard input, a line each. The end of standard input, which is also what a host sees when we are
interrupted or the connection breaks, ends everything that was started; and `timeout` bounds every command besides, so
that nothing is left even when this script is killed.
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
"""Until a server listens."""
LISTENING = "0A"
"""As /proc/net/tcp writes the state (Linux, include/net/tcp_states.h)."""
POLL_S = 0.02
PATIENCE_S = 3.0
"""For servers, once every client has ended: those that nobody spoke to would wait for ever."""
OUTPUT_LIMIT = 200_000
"""Characters that are kept of what a command printed."""
ACCELERATOR_CLASSES = ("0x0300", "0x0302", "0x0380", "0x1200")
"""VGA and 3D controllers, display controllers, processing accelerators (PCI Code and ID Assignment, base classes 03h
and 12h)."""
ACCELERATOR_VENDORS = {"0x10de": "nvidia", "0x1002": "amd"}


def text(path: Path) -> str:
    """Return a file's text; empty where there is none, or it cannot be read."""
    try:
        return path.read_bytes().decode("utf-8", "replace").strip()
    except OSError:
        return ""


def below(folder: Path) -> list[Path]:
    """Return what lies in a folder, by name; nothing where there is none."""
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def devices(root: Path) -> list[Path]:
    """Return the RDMA devices."""
    return below(root / "sys/class/infiniband")


def netdev_of(device: Path) -> str:
    """Return the network interface of an RDMA device; a software device says it in ``parent``."""
    nets = below(device / "device/net")
    return nets[0].name if nets else text(device / "parent")


def look(root: Path) -> dict[str, Any]:
    """Return RDMA devices with their addresses, and accelerators with their places on PCI."""
    return {"devices": {device.name: described(root, device) for device in devices(root)}, "gpus": accelerators(root)}


def described(root: Path, device: Path) -> dict[str, Any]:
    """Return one RDMA device; addresses that are empty are left out."""
    port, netdev = device / "ports/1", netdev_of(device)
    driver = device / "device/driver"
    gids = [
        {"index": int(gid.name), "gid": text(gid), "type": text(port / "gid_attrs/types" / gid.name)}
        for gid in below(port / "gids")
        if text(port / "gid_attrs/types" / gid.name)
    ]
    return {
        "netdev": netdev,
        "driver": driver.resolve().name if driver.exists() else "",
        "state": text(port / "state"),
        "physical_state": text(port / "phys_state"),
        "rate": text(port / "rate"),
        "link_layer": text(port / "link_layer"),
        "guid": text(device / "node_guid"),
        "lid": text(port / "lid"),
        "mtu": text(root / "sys/class/net" / netdev / "mtu") if netdev else "",
        "pci": pci_path(device / "device"),
        "gids": gids,
    }


def pci_path(device: Path) -> list[str]:
    """Return the PCI functions on the way to a device, its own last."""
    parts = os.path.realpath(device).split("/") if device.exists() else []
    return [part for part in parts if re.match(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$", part)]


def accelerators(root: Path) -> list[dict[str, Any]]:
    """Return accelerators in the order of their PCI addresses."""
    found = []
    for function in below(root / "sys/bus/pci/devices"):
        vendor = ACCELERATOR_VENDORS.get(text(function / "vendor"))
        if vendor and text(function / "class")[:6] in ACCELERATOR_CLASSES:
            found.append({"vendor": vendor, "pci": pci_path(function)})
    return found


def counters(root: Path) -> dict[str, Any]:
    """Return what every RDMA device and its network interface count."""
    found = {}
    for device in devices(root):
        netdev = netdev_of(device)
        found[device.name] = {
            "netdev": netdev,
            "rdma": {**numbers(device / "ports/1/counters"), **numbers(device / "ports/1/hw_counters")},
            "net": {
                **numbers(root / "sys/class/net" / netdev / "statistics"),
                **numbers(root / "sys/class/net" / netdev, ("carrier_changes",)),
            },
            "ethtool": ethtool(netdev) if netdev else {},
        }
    return found


def numbers(folder: Path, names: tuple[str, ...] = ()) -> dict[str, int]:
    """Return the counters in a folder; a file that holds no number is left out."""
    files = [folder / name for name in names] if names else below(folder)
    read = {file.name: text(file) for file in files}
    return {name: int(value) for name, value in read.items() if value.isdigit()}


def ethtool(netdev: str) -> dict[str, int]:
    """Return the counters of a driver; none where it has none."""
    argv = ["ethtool", "-S", netdev]
    try:
        done = subprocess.run(argv, capture_output=True, text=True, timeout=10, check=False)  # noqa: S603 our own words
    except (OSError, subprocess.TimeoutExpired):
        return {}
    rows = (line.rsplit(":", 1) for line in done.stdout.splitlines() if ":" in line)
    return {row[0].strip(): int(row[1]) for row in rows if row[1].strip().isdigit()}


class Command:
    """A command in a process group of its own, whose output goes to files."""

    def __init__(self, argv: list[str], limit_s: float) -> None:
        self.out, self.err = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115 both live as long as it
        self.began, self.ended, self.took_s = time.monotonic(), False, 0.0
        self.status: int | None = None
        self.process: subprocess.Popen[bytes] | None = None
        bounded = ["timeout", "--kill-after=2", f"{limit_s:g}", *argv]
        try:
            self.process = subprocess.Popen(  # noqa: S603 what live checks run, by their own request
                bounded, stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.err, start_new_session=True
            )
        except OSError as error:
            self.ended = True
            self.err.write(str(error).encode())

    def poll(self) -> bool:
        """Return whether it has ended."""
        if not self.ended and self.process is not None and self.process.poll() is not None:
            self.ended, self.took_s = True, time.monotonic() - self.began
            # `timeout` says 124 where the time was up, and 137 where it had to kill.
            self.status = None if self.process.returncode in (124, 137, -9) else self.process.returncode
        return self.ended

    def kill(self) -> None:
        """End it and all it started."""
        if self.process is not None:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except OSError:
                return

    def answer(self) -> dict[str, Any]:
        """Return what came of it."""
        return {"status": self.status, "out": kept(self.out), "err": kept(self.err), "took_s": self.took_s}


def kept(file: Any) -> str:  # noqa: ANN401 one of two private classes of tempfile
    """Return what a command wrote, its end where it is too long."""
    file.seek(0)
    return str(file.read().decode("utf-8", "replace"))[-OUTPUT_LIMIT:]


def listening(root: Path) -> set[int]:
    """Return the TCP ports that somebody listens on."""
    rows = [line.split() for name in ("tcp", "tcp6") for line in text(root / "proc/net" / name).splitlines()[1:]]
    return {int(row[1].rsplit(":", 1)[1], 16) for row in rows if row[3] == LISTENING}


def await_servers(servers: list[Command], ports: list[int], root: Path) -> None:
    """Wait until every server listens, has ended, or had its time."""
    until = time.monotonic() + LISTEN_LIMIT_S
    while time.monotonic() < until:
        open_ports = listening(root)
        if all(port in open_ports or server.poll() for server, port in zip(servers, ports)):  # noqa: B905 since 3.10
            return
        time.sleep(POLL_S)


class HostJobs:
    """All commands of one request."""

    def __init__(self, request: dict[str, Any], root: Path) -> None:
        self.request, self.root = request, root
        self.commands: dict[str, Command] = {}
        self.starting = threading.Lock()
        self.go, self.stop = threading.Event(), threading.Event()

    def watch(self) -> None:
        """Hear "go" and "stop"; at the end of standard input end everything, and this script too."""
        words = {"go\n": self.go, "stop\n": self.stop}
        for line in sys.stdin:
            if line in words:
                words[line].set()
        with self.starting:
            for command in self.commands.values():
                command.kill()
            os._exit(1)

    def start(self, rows: dict[str, Any]) -> list[Command]:
        """Start commands."""
        for key, row in rows.items():
            with self.starting:
                self.commands[key] = Command(row["argv"], self.request["limit_s"])
        return [self.commands[key] for key in rows]

    def play(self) -> None:
        """Start servers, say so, and on "go" start clients; say when these have ended, and what came of all."""
        before = counters(self.root)
        ports = [row["port"] for row in self.request["servers"].values()]
        servers = self.start(self.request["servers"])
        await_servers(servers, ports, self.root)
        say({"ready": True, "before": before, "look": look(self.root) if self.request["look"] else {}})
        self.go.wait()
        until_ended(self.start(self.request["clients"]))
        say({"ended": True})
        self.stop.wait()
        until_ended(servers, PATIENCE_S)
        answers = {key: command.answer() for key, command in self.commands.items()}
        say({"answers": answers, "after": counters(self.root)})


def until_ended(commands: list[Command], patience_s: float | None = None) -> None:
    """Wait until commands have ended; where patience has an end, they are ended then."""
    until = time.monotonic() + (patience_s or 0.0)
    while not all([command.poll() for command in commands]):  # noqa: C419 every one is to be polled
        if patience_s is not None and time.monotonic() > until:
            for command in commands:
                command.kill()
        time.sleep(POLL_S)


def say(message: dict[str, Any]) -> None:
    """Write a message on a line."""
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def main(root: str = "/") -> None:
    """Play the scene that standard input asks for."""
    scene = HostJobs(json.loads(sys.stdin.readline()), Path(root))
    threading.Thread(target=scene.watch, daemon=True).start()
    scene.play()
    os._exit(0)
