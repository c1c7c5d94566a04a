"""Network interfaces of a server: state, addresses, MTU, speed, error correction, errors.

Sources: ip-address(8) with ``-json``; Linux, Documentation/ABI/testing/sysfs-class-net (speed, carrier_down_count);
ethtool(8); proc_uptime(5).
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from rackproof.facts.fact import Answers, Fact, command_output, named
from rackproof.facts.hosts.shell_text import each_port_command, file_values, files, json_objects, sections

ADDRESSES: Final = "ip -json -statistics address show"
FILES: Final = files("/sys/class/net/*/speed", "/sys/class/net/*/carrier_down_count")
UPTIME: Final = "cat /proc/uptime"
FEC: Final = each_port_command('ethtool --show-fec "$port"')
ACTIVE_FEC: Final = re.compile(r"^Active FEC encodings?:[ \t]*(.*)$", re.MULTILINE)
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
    carrier_losses: int | None
    """Times that the link went since the server started; None: its driver does not say."""
    uptime_s: float
    """How long ago the server started, in seconds."""
    fec: str | None
    """Forward error correction in force, in ethtool's word such as ``RS``; None: its driver does not say."""
    rx_bytes: int
    """Received since the server started."""
    rx_errors: int
    """Damaged packets among them."""


Interfaces = Mapping[str, Interface]
"""By name."""


def parse_interfaces(answers: Answers) -> Interfaces:
    """Return the interfaces.

    Raises
    ------
    FactError
        ``ip`` did not answer; what ethtool and sysfs do not say is None.
    """
    values = file_values(command_output(answers, FILES))
    uptime_s = float(command_output(answers, UPTIME).split()[0])
    fec = port_texts(answers, FEC)
    found = [one for one in json_objects(answers, ADDRESSES) if "ifname" in one]
    return {one["ifname"]: _interface(one, values, fec.get(one["ifname"], ""), uptime_s) for one in found}


def port_texts(answers: Answers, command: str) -> Mapping[str, str]:
    """Return what a command of every port said; nothing where it could not be run: each check asks for what it needs.

    The last port's status is that of the whole command, so it does not cover the others.
    """
    answer = answers.get(command)
    return sections(answer.output) if answer is not None else {}


def _interface(one: Mapping[str, Any], values: Mapping[str, str], fec: str, uptime_s: float) -> Interface:
    folder = f"/sys/class/net/{one['ifname']}"
    flags, state = one.get("flags", []), str(one.get("operstate", "UNKNOWN"))
    known, received = one.get("addr_info", []), one.get("stats64", {}).get("rx", {})
    return Interface(
        name=one["ifname"],
        mac_address=str(one.get("address", "")),
        mtu_bytes=int(one.get("mtu", 0)),
        up="UP" in flags and "LOWER_UP" in flags and state in {"UP", "UNKNOWN"},
        state=state,
        addresses=tuple(f"{a['local']}/{a['prefixlen']}" for a in known if a.get("family") == "inet" and "local" in a),
        master=str(one.get("master", "")),
        speed_gbps=_speed_gbps(values.get(f"{folder}/speed", "")),
        carrier_losses=_number(values.get(f"{folder}/carrier_down_count", "")),
        uptime_s=uptime_s,
        fec=_active_fec(fec),
        rx_bytes=int(received.get("bytes", 0)),
        rx_errors=int(received.get("errors", 0)),
    )


def _speed_gbps(text: str) -> float | None:
    mbps = _number(text)
    return None if mbps is None or mbps == UNKNOWN_SPEED else mbps / 1000


def _number(text: str) -> int | None:
    return int(text) if re.fullmatch(r"-?\d+", text) else None


def _active_fec(text: str) -> str | None:
    found = ACTIVE_FEC.search(text)
    return found.group(1).strip() if found else None


def find_interface(interfaces: Interfaces, name: str) -> Interface:
    """Return an interface by its name.

    Raises
    ------
    FactError
        The server has none of that name.
    """
    hint = "is the adapter plugged in? `rackproof discover` reads it, `rackproof up` names its ports"
    return named(interfaces, name, "interface", hint)


FACT: Final = Fact("interfaces", (ADDRESSES, FILES, UPTIME, FEC), parse_interfaces)
