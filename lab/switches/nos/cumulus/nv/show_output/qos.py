"""Queues, PFC, its watchdog and RoCE, of a port and of the switch (NVUE reference, Show Commands, QoS)."""

from collections.abc import Mapping
from typing import Any, Final

from lab.switches.links import QueueCounters
from lab.switches.nos.cumulus.checks import is_on
from lab.switches.nos.cumulus.names import expand_names
from lab.switches.nos.cumulus.system import Cumulus
from lab.switches.nos.cumulus.tree import Tree, at, value

_CLASSES: Final = range(8)
_CNP: Final = 6
"""Switch priority of congestion notifications under ``qos roce``."""
_DEFAULTS: Final = {"min-threshold": "150000", "max-threshold": "1501500", "probability": "100"}
"""What ``qos roce`` sets traffic classes 0 and 3 to (RDMA over Converged Ethernet, Default RoCE Configuration)."""
_UNITS: Final = ((1 << 20, "MB"), (1 << 10, "KB"))
_POLL_MS, _ROBUSTNESS = "100", "3"
"""Of the watchdog where nothing is set (Quality-of-Service, PFC Watchdog)."""


def size_text(size_bytes: int) -> str:
    """Return a size as NVUE writes it."""
    found = ((size_bytes / unit, name) for unit, name in _UNITS if size_bytes >= unit)
    number, name = next(found, (None, ""))
    return f"{size_bytes} Bytes" if number is None else f"{number:.2f} {name}"


def counters(system: Cumulus, port: str) -> dict[str, Any] | None:
    """``nv show interface <interface> counters qos``; no kernel port has priorities: pause frames are none."""
    if port not in system.state.ports:
        return None
    held = system.switch.links.counters(system.spec.name, port)
    none = {"rx-pause-frames": 0, "rx-pause-duration": 0, "tx-pause-frames": 0, "tx-pause-duration": 0}
    marks = {"ecn-marked-packets": held.ecn_marked, "mc-buffer-discards": 0, "pause-frames": 0}
    return {
        "egress-queue-stats": {str(queue): _queue(held.queues.get(queue, QueueCounters())) for queue in _CLASSES},
        "ingress-buffer-stats": {str(one): {"rx-frames": 0, "rx-buffer-discards": "0 Bytes"} for one in _CLASSES},
        "pfc-stats": {str(priority): none for priority in _CLASSES},
        "port-stats": {"rx-stats": {"pause-frames": 0}, "tx-stats": marks},
    }


def _queue(held: QueueCounters) -> dict[str, Any]:
    return {
        "tx-frames": held.packets,
        "tx-bytes": size_text(held.bytes),
        "tx-uc-buffer-discards": held.drop_packets,
        "wred-discards": 0,
    }


def watchdog(system: Cumulus, port: str) -> dict[str, Any] | None:
    """``nv show interface <interface> qos pfc-watchdog``; no kernel pauses a queue: simulated, and no deadlock."""
    if port not in system.state.ports:
        return None
    on = value(at(system.applied, "interface", port), "qos", "pfc-watchdog", "state") in {"enable", "enabled", "on"}
    watched = sorted(system.forwarding.ports[port].qos.lossless) if on else []
    rows = {str(one): {"status": "OK", "deadlock-count": 0} for one in watched}
    return {"state": "enabled" if on else "disabled", **({"status": rows} if rows else {})}


def watchdogs(system: Cumulus) -> dict[str, Any]:
    """``nv show qos pfc-watchdog``."""
    block = at(system.applied, "qos", "pfc-watchdog")
    return {
        "polling-interval": int(value(block, "polling-interval") or _POLL_MS),
        "robustness": int(value(block, "robustness") or _ROBUSTNESS),
    }


def roce_status(system: Cumulus, port: str) -> dict[str, Any] | None:
    """``nv show interface <interface> qos roce status``; empty where RoCE is off."""
    if port not in system.state.ports:
        return None
    if not is_on(at(system.applied, "qos", "roce")):
        return {}
    qos = system.forwarding.ports[port].qos
    roles = {"roce": sorted(qos.lossless), "cnp": [_CNP]}
    return {
        "mode": value(at(system.applied, "qos", "roce"), "mode") or "lossless",
        "congestion-control": {"congestion-mode": "ecn, absolute", "enabled-tc": _listed(sorted(qos.ecn))},
        "pfc": _pfc(system.applied, port, sorted(qos.lossless)),
        "trust": {"trust-mode": "pcp,dscp"},
        "prio-map": {
            role: {"pcp": _listed(own), "dscp": _listed(_codes(qos.class_of, own)), "switch-prio": own[0]}
            for role, own in roles.items()
            if own
        },
        "tc-map": {
            role: {"switch-prio": own[0], "traffic-class": qos.queue_of.get(own[0], own[0])}
            for role, own in roles.items()
            if own
        },
    }


def _pfc(tree: Tree, port: str, lossless: list[int]) -> dict[str, Any]:
    """A port with a profile of its own has the directions of that."""
    name = value(at(tree, "interface", port), "qos", "pfc", "profile") or "default-global"
    profile = at(tree, "qos", "pfc", name)
    off = {way: value(profile, way) in {"disable", "off", "disabled"} for way in ("rx", "tx")}
    return {
        "pfc-priority": _listed(lossless) if lossless else "-",
        **{f"{way}-enabled": "no" if off[way] or not lossless else "yes" for way in ("rx", "tx")},
    }


def _codes(class_of: Mapping[int, int], classes: list[int]) -> list[int]:
    return sorted(code for code, one in class_of.items() if one in classes)


def _listed(numbers: list[int]) -> str:
    return ",".join(map(str, numbers))


def congestion(system: Cumulus) -> dict[str, Any]:
    """``nv show qos congestion-control default-global``: what is set, over what ``qos roce`` sets."""
    classes: dict[str, dict[str, str]] = {}
    if is_on(at(system.applied, "qos", "roce")):
        classes = {one: {"ecn": "enable", "red": "disable", **_DEFAULTS} for one in ("0", "3")}
    for words, block in at(system.applied, "qos", "congestion-control", "default-global", "traffic-class").items():
        for one in expand_names(words):
            settings = {name: setting for name, setting in block.items() if isinstance(setting, str)}
            classes[one] = {**_DEFAULTS, **classes.get(one, {}), **settings}
    return {"traffic-class": {one: _thresholds(classes[one]) for one in sorted(classes)}}


def _thresholds(settings: Mapping[str, str]) -> dict[str, Any]:
    sizes = {name: size_text(int(settings[name])) for name in ("min-threshold", "max-threshold")}
    return {**settings, **sizes, "probability": int(settings["probability"])}


def buffers(system: Cumulus, port: str) -> dict[str, Any] | None:
    """``nv show interface <interface> qos buffer``; no kernel queue has a buffer of its own: simulated, and empty."""
    if port not in system.state.ports:
        return None
    row = {"pool-id": 13, "mode": "DYNAMIC", "reserved-size": "0 Bytes", "current-usage": "0 Bytes"}
    return {"egress-traffic-class": {str(one): {**row, "max-usage": "0 Bytes"} for one in _CLASSES}}


SHOWS = (
    ("interface <name> counters qos", counters, None),
    ("interface <name> qos pfc-watchdog", watchdog, None),
    ("interface <name> qos roce status", roce_status, None),
    ("interface <name> qos buffer", buffers, None),
    ("qos congestion-control default-global", congestion, None),
    ("qos pfc-watchdog", watchdogs, None),
)
