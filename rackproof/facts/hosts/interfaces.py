"""Network interfaces of a server: state, addresses, MTU, speed, error correction, errors.

Sources: ip-address(8) with ``-json``; Linux, Documentation/ABI/testing/sysfs-class-net (speed, carrier_changes);
ethtool(8). Counters of adapters are the driver's own: NVIDIA's end in ``_phy`` (Linux,
Documentation/networking/device_drivers/ethernet/mellanox/mlx5/counters.rst), Broadcom's are those of bnxt_ethtool.c.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from rackproof.facts.fact import Answers, Fact, FactError, output_of
from rackproof.facts.hosts.shell_text import file_values, files, json_of, of_each_port, sections

ADDRESSES: Final = "ip -json -statistics address show"
FILES: Final = files("/sys/class/net/*/speed", "/sys/class/net/*/carrier_changes")
FEC: Final = of_each_port('ethtool --show-fec "$port"')
COUNTERS: Final = of_each_port(
    "ethtool --statistics \"$port\" | grep -E '_phy:|_err|discard|link_down|fec|pause|bad_|overrun|fcs'"
)
ACTIVE_FEC: Final = re.compile(r"^Active FEC encodings?:[ \t]*(.*)$", re.MULTILINE)
COUNTER: Final = re.compile(r"^\s*(\S[^:]*):\s*(\d+)\s*$", re.MULTILINE)
UNKNOWN_SPEED: Final = -1
"""What a driver that does not know its speed shows (sysfs-class-net: speed)."""


class Interface(Struct, frozen=True, gc=False):
    """A network interface."""

    name: str
    mac_address: str
    mtu_bytes: int
    up: bool
    """It is switched on, and the other end is there."""
    state: str
    """The kernel's word, such as ``UP``, ``LOWERLAYERDOWN``."""
    addresses: tuple[str, ...]
    """IPv4, with prefix length."""
    master: str
    """Bond that it is a member of; empty: none."""
    speed_gbps: float | None
    """None: its driver does not say, or it is down."""
    carrier_changes: int | None
    """Times that the link came or went since the interface was made."""
    fec: str | None
    """Forward error correction in force, in ethtool's word such as ``RS``; None: its driver does not say."""
    errors: Mapping[str, int]
    """Packets that were lost or damaged, by counter of the kernel: ``rx_errors``."""
    counters: Mapping[str, int]
    """Of the adapter, by the driver's own names; empty: its driver has none."""


Interfaces = Mapping[str, Interface]
"""By name."""


def parse_interfaces(answers: Answers) -> Interfaces:
    """Return the interfaces.

    Raises
    ------
    FactError
        ``ip`` did not answer; what ethtool and sysfs do not say is None.
    """
    values = file_values(output_of(answers, FILES))
    fec, counters = said_of_ports(answers, FEC), said_of_ports(answers, COUNTERS)
    found = json_of(answers, ADDRESSES)
    return {
        one["ifname"]: _interface(one, values, fec.get(one["ifname"], ""), counters.get(one["ifname"], ""))
        for one in found
        if "ifname" in one
    }


def said_of_ports(answers: Answers, command: str) -> Mapping[str, str]:
    """Return what a command of every port said; nothing where it could not be run: each check asks for what it needs.

    The last port's status is that of the whole, so it says nothing of the others.
    """
    answer = answers.get(command)
    return sections(answer.output) if answer is not None else {}


def _interface(one: Mapping[str, Any], values: Mapping[str, str], fec: str, counters: str) -> Interface:
    folder = f"/sys/class/net/{one['ifname']}"
    flags, state = one.get("flags", []), str(one.get("operstate", "UNKNOWN"))
    known = one.get("addr_info", [])
    return Interface(
        name=one["ifname"],
        mac_address=str(one.get("address", "")),
        mtu_bytes=int(one.get("mtu", 0)),
        up="UP" in flags and "LOWER_UP" in flags and state in {"UP", "UNKNOWN"},
        state=state,
        addresses=tuple(f"{a['local']}/{a['prefixlen']}" for a in known if a.get("family") == "inet" and "local" in a),
        master=str(one.get("master", "")),
        speed_gbps=_speed_gbps(values.get(f"{folder}/speed", "")),
        carrier_changes=_number(values.get(f"{folder}/carrier_changes", "")),
        fec=_active_fec(fec),
        errors=_errors(one.get("stats64", {})),
        counters={name: int(value) for name, value in COUNTER.findall(counters)},
    )


def _errors(stats: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    return {
        f"{way}_{name}": int(stats[way][name])
        for way in ("rx", "tx")
        for name in ("errors", "dropped")
        if name in stats.get(way, {})
    }


def _speed_gbps(text: str) -> float | None:
    mbps = _number(text)
    return None if mbps is None or mbps == UNKNOWN_SPEED else mbps / 1000


def _number(text: str) -> int | None:
    return int(text) if re.fullmatch(r"-?\d+", text) else None


def _active_fec(text: str) -> str | None:
    found = ACTIVE_FEC.search(text)
    return found.group(1).strip() if found else None


def interface_of(interfaces: Interfaces, name: str) -> Interface:
    """Return an interface by its name.

    Raises
    ------
    FactError
        The server has none of that name.
    """
    if name not in interfaces:
        hint = "is the adapter plugged in? `rackproof discover` reads it, `rackproof up` names its ports"
        raise FactError(f"there is no interface {name}, only {', '.join(sorted(interfaces)) or 'none'}", hint)
    return interfaces[name]


FACT: Final = Fact("interfaces", (ADDRESSES, FILES, FEC, COUNTERS), parse_interfaces)
