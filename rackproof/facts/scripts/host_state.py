"""Runs on a host, as root, with nothing but Python 3.9: compares the host's state with what the plan expects of it.

It reads one JSON document on standard input and prints one: ``{"differences": [...], "users": [...]}``. A difference
has ``kind`` and ``name`` of an item, ``key``, ``expected`` and ``found``; ``absent`` where a part of the machine is
missing or elsewhere; ``error`` where its state could not be read. Each comparison is bounded in time and fails alone.

The document it reads::

    {"files": {"/etc/hosts": {"sha256": "...", "mode": "0644", "owner": "root"}},
     "owned": ["/etc/sysctl.d/60-rackproof-*.conf"],          # what matches and is not among the files is left over
     "live": [{"kind": "sysctl", "name": "vm.nr_hugepages", "value": "0"}, ...]}

Sources: proc_sys(5), sysfs(5), ip-link(8), ip-address(8), ip-rule(8), ip-route(8), dcb(8), systemctl(1),
dpkg-query(1), limits.conf(5).
"""

from __future__ import annotations

import functools
import glob
import hashlib
import json
import os
import pwd
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

Item = dict[str, Any]
Values = Iterator[tuple[str, Any, Any]]  # key, expected value, value found

READ_S = 5.0
"""Longest that one command, or one comparison, may take."""
SHOWN_BYTES = 20000
"""Largest file whose text is returned, so that the report can show which lines differ."""
PCI_ADDRESS = re.compile(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
ABSENT = "absent"
TABLES = {"253": "default", "254": "main", "255": "local"}
"""Routing tables that ip(8) prints by name."""
JOB_DEVICE = re.compile(r"/dev/(nvidia\d+|kfd|infiniband/uverbs\d+)$")
"""Devices that a job holds open while it runs."""
MONITORS = frozenset({"nvidia-persiste", "nv-hostengine", "nv-fabricmanager", "nvidia-smi", "dcgm-exporter"})
"""Programs that keep these devices open without running a job, as comm(5) shortens their names."""

root = ""
"""Prefix of every path; a test reads a recorded machine."""


class ReadError(Exception):
    """A value could not be read; the text says why."""


class PartAbsentError(Exception):
    """A part of the machine is not where it must be."""


def read_text(path: str) -> str | None:
    """Return the text of a file; None: there is none."""
    try:
        with open(root + path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None


def command_output(*argv: str) -> str:
    """Return what a command prints; raise ReadError where it is missing, fails, or runs too long."""
    try:
        done = subprocess.run(  # noqa: S603 the commands are ours, and the plan's
            argv, capture_output=True, timeout=READ_S, check=False, stdin=subprocess.DEVNULL
        )
    except FileNotFoundError as error:
        raise ReadError(f"there is no command {argv[0]}") from error
    except subprocess.TimeoutExpired as error:
        raise ReadError(f"`{' '.join(argv)}` did not answer within {READ_S:g} s") from error
    if done.returncode != 0:
        lines = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
        raise ReadError(f"`{' '.join(argv)}` failed: {lines[-1] if lines else f'status {done.returncode}'}")
    return done.stdout.decode("utf-8", "replace")


@functools.cache
def command_json(*argv: str) -> Any:  # noqa: ANN401 JSON
    """Return the JSON that a command prints, once a run."""
    return json.loads(command_output(*argv) or "[]")


def network_device(item: Item) -> str:
    """Return the name of an item's network device."""
    return str(item.get("link") or item.get("device") or item.get("port") or item["name"])


def pci_address(device: str) -> str:
    """Return the PCI address of a network device; empty: it has none."""
    found = PCI_ADDRESS.findall(os.path.realpath(f"{root}/sys/class/net/{device}/device"))
    return found[-1] if found else ""


def sysctl(item: Item) -> Values:
    """Compare a kernel parameter; blanks between its fields count as one."""
    name = str(item["name"])
    text = read_text("/proc/sys/" + (name if "/" in name else name.replace(".", "/")))
    yield "value", " ".join(str(item["value"]).split()), None if text is None else " ".join(text.split())


def link(item: Item) -> Values:
    """Compare a network device: its place, then its name, MTU and state."""
    name, here = str(item["name"]), placed_device(item)
    yield "name", name, here
    if here is not None and item.get("mtu_bytes"):
        yield "mtu_bytes", int(item["mtu_bytes"]), int(read_text(f"/sys/class/net/{here}/mtu") or 0)
    if here is not None and "up" in item:
        flags = int(read_text(f"/sys/class/net/{here}/flags") or "0", 16)
        yield "up", bool(item["up"]), bool(flags & 1)


def placed_device(item: Item) -> str | None:
    """Return the network device at an item's PCI or MAC address, or else of its name; None: there is none."""
    name, devices = str(item["name"]), sorted(os.listdir(f"{root}/sys/class/net"))
    bus, mac = item.get("pci_address") or item.get("pci"), item.get("mac_address") or item.get("mac")
    if not bus and not mac:
        return name if name in devices else None
    here = next((one for one in devices if has_place(one, bus, mac)), None)
    if here is None:
        elsewhere = f"; {name} is at PCI {pci_address(name) or 'none'}" if name in devices else ""
        raise PartAbsentError(f"no network adapter {f'at PCI {bus}' if bus else f'with MAC {mac}'}{elsewhere}")
    if bus and mac and permanent_mac(here) != str(mac).lower():
        raise PartAbsentError(f"the adapter at PCI {bus} is another one: its MAC is {permanent_mac(here)}, not {mac}")
    return here


def has_place(device: str, bus: str | None, mac: str | None) -> bool:
    """Return whether a network device has a PCI address or, without one given, a permanent MAC address."""
    place = pci_address(device)
    return place == bus.lower() if bus else bool(place) and permanent_mac(device) == str(mac).lower()


def permanent_mac(device: str) -> str:
    """Return the permanent MAC address of a network device: a member of a bond shows the bond's as its own."""
    held = ip_link(device)
    return str(held.get("permaddr") or held.get("address") or "").lower()


def ip_link(device: str) -> Item:
    """Return what ip(8) prints of a network device."""
    return next((one for one in command_json("ip", "-json", "address", "show") if one.get("ifname") == device), {})


def address(item: Item) -> Values:
    """Compare an address of a network device."""
    wanted, device = str(item.get("address") or item["value"]), network_device(item)
    held = [f"{a['local']}/{a['prefixlen']}" for a in ip_link(device).get("addr_info", []) if "local" in a]
    yield "address", wanted, wanted if wanted in held else ", ".join(x for x in held if x[:5] != "fe80:") or None


def rule(item: Item) -> Values:
    """Compare a rule that sends packets from an address to a routing table."""
    source, table = str(item.get("from") or item.get("source")).partition("/")[0], str(item["table"])
    tables = [str(one.get("table")) for one in command_json("ip", "-json", "rule", "show") if one.get("src") == source]
    yield "table", table, table if table in tables else ", ".join(tables) or None


def route(item: Item) -> Values:
    """Compare a route of a table: its next hop and device, as far as the plan states them."""
    wanted = hop_words(item.get("gateway"), item.get("link") or item.get("device"))
    held = [hop_words(one.get("gateway"), one.get("dev")) for one in kernel_routes(item)]
    expected = " ".join(wanted) or "any"
    matches = any(set(wanted) <= set(words) for words in held)
    yield "route", expected, expected if matches else ", ".join(map(" ".join, held)) or None


def kernel_routes(item: Item) -> list[Item]:
    """Return the kernel's routes to an item's destination in its table."""
    table, destination = str(item.get("table") or "main"), str(item.get("to") or "default")
    table = TABLES.get(table, table)
    routes = command_json("ip", "-json", "route", "show", "table", "all")
    return [one for one in routes if (str(one.get("table", "main")), one.get("dst")) == (table, destination)]


def hop_words(gateway: object, device: object) -> list[str]:
    """Return next hop and device of a route in words; what is not stated is left out."""
    return [*([f"via {gateway}"] if gateway else []), *([f"on {device}"] if device else [])]


def rdma_device(item: Item) -> Values:
    """Compare an RDMA device: its existence, and the network device below it."""
    name, folder = str(item["name"]), f"/sys/class/infiniband/{item['name']}"
    there = os.path.isdir(root + folder)
    yield "name", name, name if there else None
    wanted = item.get("link") or item.get("port")
    if there and wanted:
        known = read_text(f"{folder}/parent") or read_text(f"{folder}/ports/1/gid_attrs/ndevs/0") or ""
        nets = os.listdir(f"{root}{folder}/device/net") if os.path.isdir(f"{root}{folder}/device/net") else []
        yield "link", str(wanted), known.strip() or ", ".join(nets) or None


def mount(item: Item) -> Values:
    """Compare a mounted file system: source, type and the options that are asked for; its files are not accessed."""
    path = str(item.get("path") or item["name"])
    held = [line.split() for line in (read_text("/proc/mounts") or "").splitlines()]
    mine = [one for one in held if len(one) > 3 and one[1] == path]
    yield "mounted", True, bool(mine)
    if not mine:
        return
    for key, found in (("source", mine[-1][0]), ("type", mine[-1][2])):
        if item.get(key):
            yield key, str(item[key]), found
    for option in item.get("options", []):
        yield f"option {option}", True, option in mine[-1][3].split(",")


def service(item: Item) -> Values:
    """Compare a unit of systemd: whether it runs, and whether it is started at boot."""
    properties = "--property=LoadState,ActiveState,UnitFileState"
    lines = command_output("systemctl", "show", properties, str(item["name"])).splitlines()
    held = dict(line.partition("=")[::2] for line in lines if "=" in line)
    if "active" in item:
        yield "active", bool(item["active"]), held.get("ActiveState") in {"active", "reloading"}
    if "enabled" in item:
        starts = held.get("UnitFileState") in {"enabled", "enabled-runtime", "static", "alias", "generated", "indirect"}
        yield "enabled", bool(item["enabled"]), starts


def package(item: Item) -> Values:
    """Compare an installed package; the expected version may be the beginning of the installed one."""
    name, wanted = str(item["name"]), item.get("version")
    try:
        state = command_output("dpkg-query", "--show", "--showformat=${db:Status-Abbrev} ${Version}", name).split()
    except ReadError as error:
        if "no packages found" not in str(error):
            raise
        state = []
    version = state[1] if len(state) > 1 and state[0] in {"ii", "hi"} else None
    bare = (version or "").partition(":")[2] or version
    same = version is not None and (not wanted or any(str(one).startswith(str(wanted)) for one in (version, bare)))
    yield "version", wanted or "installed", (wanted or "installed") if same else version


def module(item: Item) -> Values:
    """Compare a module of the kernel."""
    name = str(item["name"]).replace("-", "_")
    listed = [line.split()[0] for line in (read_text("/proc/modules") or "").splitlines()]
    loaded = name in listed or os.path.isdir(f"{root}/sys/module/{name}")
    yield "loaded", bool(item.get("loaded", True)), loaded


def kernel_argument(item: Item) -> Values:
    """Compare an argument that the running kernel was started with."""
    wanted, held = str(item.get("value") or item["name"]), (read_text("/proc/cmdline") or "").split()
    key = wanted.partition("=")[0]
    others = [one for one in held if one.partition("=")[0] == key]
    yield "argument", wanted, wanted if wanted in held else ", ".join(others) or None


def dcb(item: Item) -> Values:
    """Compare data center bridging of a network adapter: ``prio-pfc``, ``dscp-prio`` and others, named as by dcb(8)."""
    device, wanted = network_device(item), item.get("value")
    command, key = str(item.get("object") or item.get("command") or "pfc"), str(item.get("key") or item.get("setting"))
    held = command_json("dcb", "-json", command, "show", "dev", device)
    document = held[0] if isinstance(held, list) and held else held
    found = document.get(key.replace("-", "_"), document.get(key)) if isinstance(document, dict) else None
    yield key, wanted, found


def limit(item: Item) -> Values:
    """Compare a resource limit of a new session of the administrator."""
    name = str(item.get("item") or item["name"])
    number = getattr(resource, f"RLIMIT_{name.upper()}", None)
    if number is None:
        raise ReadError(f"there is no limit {name}")
    hard = resource.getrlimit(number)[1]
    held = "unlimited" if hard == resource.RLIM_INFINITY else str(hard // (1024 if name in {"memlock", "stack"} else 1))
    yield "limit", str(item["value"]), held


def command(item: Item) -> Values:
    """Compare the output of a command, for settings without a comparison of their own."""
    argv = [str(word) for word in item["argv"]]
    yield "output", str(item.get("output", item.get("expected", ""))).strip(), command_output(*argv).strip()


COMPARISONS = (sysctl, link, address, rule, route, rdma_device, mount, service, package, module, kernel_argument, dcb,
               limit, command)  # fmt: skip
KINDS: dict[str, Callable[[Item], Values]] = {compare.__name__: compare for compare in COMPARISONS}


def file_differences(path: str, wanted: Item) -> Values:
    """Compare a file: its content, then its mode and owner."""
    try:
        status = os.lstat(root + path)
    except (FileNotFoundError, NotADirectoryError):
        yield "sha256", wanted["sha256"], None
        return
    with open(root + path, "rb") as file:
        yield "sha256", wanted["sha256"], hashlib.sha256(file.read()).hexdigest()
    yield "mode", str(wanted["mode"]).zfill(4), f"{status.st_mode & 0o7777:04o}"
    yield "owner", str(wanted["owner"]), user_name(status.st_uid)


def user_name(number: int) -> str:
    """Return the name of a user; the number where it has none."""
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


def public_text(path: str) -> str | None:
    """Return the text of a file that all users may read and that is short enough to show; else None."""
    status = os.stat(root + path)
    return read_text(path) if status.st_mode & 0o004 and status.st_size <= SHOWN_BYTES else None


def leftover_files(patterns: list[str], wanted: Item) -> Iterator[Item]:
    """Yield the files that Rackproof owns and the plan no longer has."""
    for pattern in patterns:
        for name in sorted(path[len(root) :] for path in glob.glob(root + pattern)):
            if name not in wanted:
                yield {"kind": "file", "name": name, "key": "left over", "expected": None, "found": "there"}


def _too_long(_number: int, _frame: object) -> None:
    raise ReadError(f"no answer within {READ_S:g} s")


def compared(kind: str, name: str, compare: Callable[[], Values]) -> Iterator[Item]:
    """Yield the differences of one comparison, or why its values could not be read."""
    about = {"kind": kind, "name": name}
    signal.setitimer(signal.ITIMER_REAL, READ_S + 1)
    try:
        for key, expected, found in list(compare()):
            if expected != found:
                more = {"text": public_text(name)} if key == "sha256" and found is not None else {}
                yield {**about, "key": key, "expected": expected, "found": found, **more}
    except PartAbsentError as error:
        yield {**about, "key": ABSENT, "absent": str(error)}
    except Exception as error:  # noqa: BLE001 one comparison that fails is reported, and the others go on
        yield {**about, "key": "error", "error": str(error) or type(error).__name__}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def item_name(item: Item) -> str:
    """Return the name of an item in messages."""
    if "argv" in item:
        return " ".join(map(str, item["argv"]))
    if item.get("kind") in {"address", "dcb"}:
        return network_device(item)
    if item.get("kind") == "route":
        return f"{item.get('to') or 'default'} in table {item.get('table') or 'main'}"
    return str(item.get("name") or item.get("path") or item.get("item") or item.get("from") or item.get("source"))


def setting_differences(item: Item) -> Iterator[Item]:
    """Yield the differences of one setting; a setting that needs a path is compared only where that path exists."""
    kind, name, needed = str(item.get("kind")), item_name(item), item.get("needs")
    if kind not in KINDS:
        yield {"kind": kind, "name": name, "key": "error", "error": f"settings of kind {kind} cannot be compared"}
    elif not needed or os.path.exists(root + str(needed)):
        yield from compared(kind, name, lambda: KINDS[kind](item))


def differences(asked: Item) -> Iterator[Item]:
    """Yield all differences from what was asked for."""
    for path, wanted in asked.get("files", {}).items():
        yield from compared("file", path, functools.partial(file_differences, path, wanted))
    yield from leftover_files(asked.get("owned", []), asked.get("files", {}))
    for item in asked.get("live", []):
        yield from setting_differences(item)


def device_users() -> Iterator[str]:
    """Yield the programs that hold a GPU or an RDMA device open, which a restart would interrupt."""
    for number in filter(str.isdigit, os.listdir(f"{root}/proc")):
        folder = f"{root}/proc/{number}"
        try:
            held = {os.readlink(f"{folder}/fd/{one}") for one in os.listdir(f"{folder}/fd")}
        except OSError:  # it has ended, or it is the kernel's own
            continue
        name = (read_text(f"/proc/{number}/comm") or "").strip()
        if name not in MONITORS and any(map(JOB_DEVICE.match, held)):
            yield f"{name} ({number})"


def main() -> None:
    """Read the expected state, compare the host with it, and print the differences."""
    global root  # noqa: PLW0603 the script is one process that reads one machine
    asked = json.load(sys.stdin)
    root = asked.get("root", "")
    signal.signal(signal.SIGALRM, _too_long)
    json.dump({"differences": list(differences(asked)), "users": sorted(device_users())}, sys.stdout)


if __name__ == "__main__":
    main()
