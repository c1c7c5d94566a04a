"""Runs on a host, as root, with nothing but Python 3.9: what differs there from what the host must hold.

It reads one JSON document on standard input and prints one: ``{"differences": [...], "users": [...]}``. A difference
has ``kind`` and ``name`` of what it is about, ``key``, ``expected`` and ``found``; ``absent`` where a part of the
machine is not where it must be, which no setting mends; ``error`` where it could not be told. Each look is bounded in
time and fails alone.

The document asks::

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
Found = Iterator[tuple[str, Any, Any]]

LOOK_S = 5.0
"""Longest that one look may take."""
SHOWN_BYTES = 20000
"""Largest file whose text is handed back, so that a person sees which lines differ."""
PCI_ADDRESS = re.compile(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]")
ABSENT = "absent"
TABLES = {"253": "default", "254": "main", "255": "local"}
"""Routing tables that ip(8) calls by name."""
USED = re.compile(r"/dev/(nvidia\d+|kfd|infiniband/uverbs\d+)$")
"""Devices that a job holds open while it runs."""
SERVANTS = frozenset({"nvidia-persiste", "nv-hostengine", "nv-fabricmanager", "nvidia-smi", "dcgm-exporter"})
"""Programs that hold them open for nobody in particular, as comm(5) shortens their names."""

root = ""
"""Put before every path; a test looks at a recorded machine."""


class CannotTellError(Exception):
    """A look did not answer; the text says why."""


class PartAbsentError(Exception):
    """A part of the machine is not where it must be."""


def text_of(path: str) -> str | None:
    """Return what a file holds; None: there is none."""
    try:
        with open(root + path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None


def output_of(*argv: str) -> str:
    """Return what a command prints; raise CannotTellError where it is missing, fails, or takes too long."""
    try:
        done = subprocess.run(  # noqa: S603 the commands are ours, and the plan's
            argv, capture_output=True, timeout=LOOK_S, check=False, stdin=subprocess.DEVNULL
        )
    except FileNotFoundError as error:
        raise CannotTellError(f"there is no command {argv[0]}") from error
    except subprocess.TimeoutExpired as error:
        raise CannotTellError(f"`{' '.join(argv)}` did not answer within {LOOK_S:g} s") from error
    if done.returncode != 0:
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip().splitlines()
        raise CannotTellError(f"`{' '.join(argv)}` failed: {said[-1] if said else f'status {done.returncode}'}")
    return done.stdout.decode("utf-8", "replace")


@functools.cache
def json_of(*argv: str) -> Any:  # noqa: ANN401 JSON
    """Return the JSON that a command prints, once a run."""
    return json.loads(output_of(*argv) or "[]")


def device_of(item: Item) -> str:
    """Return the network device that an item is about."""
    return str(item.get("link") or item.get("device") or item.get("port") or item["name"])


def pci_of(device: str) -> str:
    """Return where a network device sits on the PCI bus; empty: nowhere."""
    found = PCI_ADDRESS.findall(os.path.realpath(f"{root}/sys/class/net/{device}/device"))
    return found[-1] if found else ""


def net_devices() -> list[str]:
    """Return the names of all network devices."""
    return sorted(os.listdir(f"{root}/sys/class/net"))


def sysctl(item: Item) -> Found:
    """Compare a kernel parameter; blanks between its fields count as one."""
    name = str(item["name"])
    text = text_of("/proc/sys/" + (name if "/" in name else name.replace(".", "/")))
    yield "value", " ".join(str(item["value"]).split()), None if text is None else " ".join(text.split())


def link(item: Item) -> Found:
    """Compare a network device: where it is plugged in, then its name, MTU and state."""
    name = str(item["name"])
    bus, mac = item.get("pci_address") or item.get("pci"), item.get("mac_address") or item.get("mac")
    here = name if name in net_devices() else None
    if bus or mac:
        here = next((one for one in net_devices() if is_at(one, bus, mac)), None)
    if here is None and (bus or mac):
        elsewhere = f"; {name} is at PCI {pci_of(name) or 'none'}" if name in net_devices() else ""
        raise PartAbsentError(f"no network adapter {f'at PCI {bus}' if bus else f'with MAC {mac}'}{elsewhere}")
    if here is not None and bus and mac and permanent_mac(here) != str(mac).lower():
        raise PartAbsentError(f"the adapter at PCI {bus} is another one: its MAC is {permanent_mac(here)}, not {mac}")
    yield "name", name, here
    if here is not None and item.get("mtu_bytes"):
        yield "mtu_bytes", int(item["mtu_bytes"]), int(text_of(f"/sys/class/net/{here}/mtu") or 0)
    if here is not None and "up" in item:
        flags = int(text_of(f"/sys/class/net/{here}/flags") or "0", 16)
        yield "up", bool(item["up"]), bool(flags & 1)


def is_at(device: str, bus: str | None, mac: str | None) -> bool:
    """Whether a network device is the one at a PCI address, or with a MAC address of its own."""
    place = pci_of(device)
    return place == bus.lower() if bus else bool(place) and permanent_mac(device) == str(mac).lower()


def permanent_mac(device: str) -> str:
    """Return the MAC address that a network device came with: a member of a bond shows the bond's as its own."""
    held = link_of(device)
    return str(held.get("permaddr") or held.get("address") or "").lower()


def link_of(device: str) -> Item:
    """Return what ip(8) says of a network device."""
    return next((one for one in json_of("ip", "-json", "address", "show") if one.get("ifname") == device), {})


def address(item: Item) -> Found:
    """Compare an address of a network device."""
    wanted, device = str(item.get("address") or item["value"]), device_of(item)
    held = [f"{a['local']}/{a['prefixlen']}" for a in link_of(device).get("addr_info", []) if "local" in a]
    shown = [one for one in held if not one.startswith("fe80:")]
    yield "address", wanted, wanted if wanted in held else ", ".join(shown) or None


def rule(item: Item) -> Found:
    """Compare a rule that sends packets from an address to a routing table."""
    source, table = str(item.get("from") or item.get("source")).partition("/")[0], str(item["table"])
    tables = [str(one.get("table")) for one in json_of("ip", "-json", "rule", "show") if one.get("src") == source]
    yield "table", table, table if table in tables else ", ".join(tables) or None


def route(item: Item) -> Found:
    """Compare a route of a table."""
    table, to = TABLES.get(str(item.get("table")), str(item.get("table") or "main")), str(item.get("to") or "default")
    known = json_of("ip", "-json", "route", "show", "table", "all")
    routes = [one for one in known if str(one.get("table", "main")) == table and one.get("dst") == to]
    wanted = " ".join(word for word in route_words(item.get("gateway"), item.get("link") or item.get("device")) if word)
    held = [" ".join(word for word in route_words(one.get("gateway"), one.get("dev")) if word) for one in routes]
    agreed = [one for one in held if all(part in one for part in re.findall(r"(?:via|on) \S+", wanted))]
    yield "route", wanted or "any", (wanted or "any") if agreed else ", ".join(held) or None


def route_words(gateway: object, device: object) -> tuple[str, str]:
    """Return next hop and device of a route in words."""
    return f"via {gateway}" if gateway else "", f"on {device}" if device else ""


def rdma_device(item: Item) -> Found:
    """Compare an RDMA device: that it is there, and over which network device."""
    name, folder = str(item["name"]), f"/sys/class/infiniband/{item['name']}"
    there = os.path.isdir(root + folder)
    yield "name", name, name if there else None
    wanted = item.get("link") or item.get("port")
    if there and wanted:
        known = text_of(f"{folder}/parent") or text_of(f"{folder}/ports/1/gid_attrs/ndevs/0") or ""
        nets = os.listdir(f"{root}{folder}/device/net") if os.path.isdir(f"{root}{folder}/device/net") else []
        yield "link", str(wanted), known.strip() or ", ".join(nets) or None


def mount(item: Item) -> Found:
    """Compare a mounted file system: source, type and the options that are asked for; nothing behind it is touched."""
    path = str(item.get("path") or item["name"])
    held = [line.split() for line in (text_of("/proc/mounts") or "").splitlines()]
    mine = [one for one in held if len(one) > 3 and one[1] == path]
    yield "mounted", True, bool(mine)
    if not mine:
        return
    for key, found in (("source", mine[-1][0]), ("type", mine[-1][2])):
        if item.get(key):
            yield key, str(item[key]), found
    for option in item.get("options", []):
        yield f"option {option}", True, option in mine[-1][3].split(",")


def service(item: Item) -> Found:
    """Compare a unit of systemd: whether it runs, and whether it starts with the machine."""
    asked = ("--property=LoadState,ActiveState,UnitFileState", str(item["name"]))
    held = dict(line.partition("=")[::2] for line in output_of("systemctl", "show", *asked).splitlines() if "=" in line)
    if "active" in item:
        yield "active", bool(item["active"]), held.get("ActiveState") in {"active", "reloading"}
    if "enabled" in item:
        starts = held.get("UnitFileState") in {"enabled", "enabled-runtime", "static", "alias", "generated", "indirect"}
        yield "enabled", bool(item["enabled"]), starts


def package(item: Item) -> Found:
    """Compare an installed package; a version that is asked for may be the beginning of the installed one."""
    name, wanted = str(item["name"]), item.get("version")
    try:
        state = output_of("dpkg-query", "--show", "--showformat=${db:Status-Abbrev} ${Version}", name).split()
    except CannotTellError as error:
        if "no packages found" not in str(error):
            raise
        state = []
    version = state[1] if len(state) > 1 and state[0] in {"ii", "hi"} else None
    bare = (version or "").partition(":")[2] or version
    same = version is not None and (not wanted or any(str(one).startswith(str(wanted)) for one in (version, bare)))
    yield "version", wanted or "installed", (wanted or "installed") if same else version


def module(item: Item) -> Found:
    """Compare a module of the kernel."""
    name = str(item["name"]).replace("-", "_")
    listed = [line.split()[0] for line in (text_of("/proc/modules") or "").splitlines()]
    loaded = name in listed or os.path.isdir(f"{root}/sys/module/{name}")
    yield "loaded", bool(item.get("loaded", True)), loaded


def kernel_argument(item: Item) -> Found:
    """Compare an argument that the running kernel was started with."""
    wanted, held = str(item.get("value") or item["name"]), (text_of("/proc/cmdline") or "").split()
    key = wanted.partition("=")[0]
    others = [one for one in held if one.partition("=")[0] == key]
    yield "argument", wanted, wanted if wanted in held else ", ".join(others) or None


def dcb(item: Item) -> Found:
    """Compare data center bridging of a network adapter: ``prio-pfc``, ``dscp-prio`` and the like, as dcb(8) names."""
    device, wanted = device_of(item), item.get("value")
    command, key = str(item.get("object") or item.get("command") or "pfc"), str(item.get("key") or item.get("setting"))
    held = json_of("dcb", "-json", command, "show", "dev", device)
    document = held[0] if isinstance(held, list) and held else held
    found = document.get(key.replace("-", "_"), document.get(key)) if isinstance(document, dict) else None
    yield key, wanted, found


def limit(item: Item) -> Found:
    """Compare a limit that a new session of the administrator gets."""
    name = str(item.get("item") or item["name"])
    number = getattr(resource, f"RLIMIT_{name.upper()}", None)
    if number is None:
        raise CannotTellError(f"there is no limit {name}")
    hard = resource.getrlimit(number)[1]
    held = "unlimited" if hard == resource.RLIM_INFINITY else str(hard // (1024 if name in {"memlock", "stack"} else 1))
    yield "limit", str(item["value"]), held


def command(item: Item) -> Found:
    """Compare what a command prints; the last resort."""
    argv = [str(word) for word in item["argv"]]
    yield "output", str(item.get("output", item.get("expected", ""))).strip(), output_of(*argv).strip()


KINDS: dict[str, Callable[[Item], Found]] = {
    function.__name__: function
    for function in (
        sysctl, link, address, rule, route, rdma_device, mount, service, package, module, kernel_argument, dcb, limit,
        command,
    )
}  # fmt: skip


def file_differences(path: str, wanted: Item) -> Found:
    """Compare a file: what it holds, then who may read it."""
    try:
        status = os.lstat(root + path)
    except (FileNotFoundError, NotADirectoryError):
        yield "sha256", wanted["sha256"], None
        return
    with open(root + path, "rb") as file:
        yield "sha256", wanted["sha256"], hashlib.sha256(file.read()).hexdigest()
    yield "mode", str(wanted["mode"]).zfill(4), f"{status.st_mode & 0o7777:04o}"
    yield "owner", str(wanted["owner"]), owner_of(status.st_uid)


def owner_of(number: int) -> str:
    """Return the name of a user; the number where it has none."""
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)


def shown_text(path: str) -> str | None:
    """Return the text of a file that everybody may read, and that is short enough to show."""
    status = os.stat(root + path)
    return text_of(path) if status.st_mode & 0o004 and status.st_size <= SHOWN_BYTES else None


def left_over(patterns: list[str], wanted: Item) -> Iterator[Item]:
    """Yield the files of ours that nothing asks for any more."""
    for pattern in patterns:
        for name in sorted(path[len(root) :] for path in glob.glob(root + pattern)):
            if name not in wanted:
                yield {"kind": "file", "name": name, "key": "left over", "expected": None, "found": "there"}


def _too_long(_number: int, _frame: object) -> None:
    raise CannotTellError(f"no answer within {LOOK_S:g} s")


def looked(kind: str, name: str, look: Callable[[], Found]) -> Iterator[Item]:
    """Yield what one look finds to differ, or why it could not be told."""
    about = {"kind": kind, "name": name}
    signal.setitimer(signal.ITIMER_REAL, LOOK_S + 1)
    try:
        for key, expected, found in list(look()):
            if expected != found:
                more = {"text": shown_text(name)} if key == "sha256" and found is not None else {}
                yield {**about, "key": key, "expected": expected, "found": found, **more}
    except PartAbsentError as error:
        yield {**about, "key": ABSENT, "absent": str(error)}
    except Exception as error:  # noqa: BLE001 one look that fails says so, and the others go on
        yield {**about, "key": "error", "error": str(error) or type(error).__name__}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def name_of(item: Item) -> str:
    """Return what an item is called."""
    if "argv" in item:
        return " ".join(map(str, item["argv"]))
    if item.get("kind") in {"address", "dcb"}:
        return device_of(item)
    if item.get("kind") == "route":
        return f"{item.get('to') or 'default'} in table {item.get('table') or 'main'}"
    return str(item.get("name") or item.get("path") or item.get("item") or item.get("from") or item.get("source"))


def live_differences(item: Item) -> Iterator[Item]:
    """Yield what differs in one setting; one that needs a path is asked only where the path is."""
    if item.get("needs") and not os.path.exists(root + str(item["needs"])):
        return
    kind = str(item.get("kind"))
    if kind in KINDS:
        yield from looked(kind, name_of(item), lambda: KINDS[kind](item))
    else:
        error = f"nothing looks at settings of kind {kind}"
        yield {"kind": kind, "name": name_of(item), "key": "error", "error": error}


def differences(asked: Item) -> Iterator[Item]:
    """Yield everything that differs from what was asked for."""
    for path, wanted in asked.get("files", {}).items():
        yield from looked("file", path, functools.partial(file_differences, path, wanted))
    yield from left_over(asked.get("owned", []), asked.get("files", {}))
    for item in asked.get("live", []):
        yield from live_differences(item)


def users() -> Iterator[str]:
    """Yield the programs that hold a GPU or an RDMA device open: whom a restart would interrupt."""
    for number in filter(str.isdigit, os.listdir(f"{root}/proc")):
        folder = f"{root}/proc/{number}"
        try:
            held = {os.readlink(f"{folder}/fd/{one}") for one in os.listdir(f"{folder}/fd")}
        except OSError:  # it has ended, or it is the kernel's own
            continue
        name = (text_of(f"/proc/{number}/comm") or "").strip()
        if name not in SERVANTS and any(map(USED.match, held)):
            yield f"{name} ({number})"


def main() -> None:
    """Read what is asked, look, and print what differs."""
    global root  # noqa: PLW0603 the script is one process that looks at one machine
    asked = json.load(sys.stdin)
    root = asked.get("root", "")
    signal.signal(signal.SIGALRM, _too_long)
    json.dump({"differences": list(differences(asked)), "users": sorted(users())}, sys.stdout)


if __name__ == "__main__":
    main()
