"""Words: a difference between two intents as a person reads it."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Final

from rackproof.deploy.switch.diff import Difference
from rackproof.errors import ValuePath

ACRONYMS: Final = {
    word.lower(): word for word in ("ASN", "BFD", "BGP", "CNP", "DNS", "DSCP", "ECN", "EVPN", "FEC", "ID", "LLDP",
                                    "MAC", "MTU", "NTP", "PFC", "RoCE", "VLAN", "VLANs", "VNI", "VXLAN", "DF", "IPv6")
}  # fmt: skip
UNITS: Final = {
    "bytes": "bytes", "gbps": "Gb/s", "ms": "ms", "m": "m", "percent": "%",
}  # fmt: skip
BARE_UNITS: Final = frozenset({"mtu_bytes"})
"""Fields whose unit everybody knows."""

SUBJECTS: Final = {
    "ports": "Ethernet 1/{}",
    "breakouts": "Ethernet 1/{}",
    "port_channels": "PortChannel {}",
    "vlans": "VLAN {}",
    "neighbors": "BGP neighbour {}",
    "lossless": "RoCE class {}",
}
"""Field that holds a mapping to how one of its entries is called."""


def change_text(difference: Difference) -> str:
    """Return a difference in words: ``Ethernet 1/3: MTU 9100 → 9216``."""
    subject, attribute = subject_and_attribute(difference.path)
    before, after = difference.before, difference.after
    if difference.path[:1] == ("breakouts",):
        return f"{subject}: breakout {before or 'none'} → {after or 'none'}"
    if before is None or after is None:
        verb, value = ("added", after) if before is None else ("removed", before)
        what = f"{subject}: {attribute}" if attribute and subject else subject or attribute
        shown = value_text(value)
        return f"{what} {verb}" + (f" ({shown})" if shown else "")
    what = f"{subject}: {attribute}" if subject else attribute
    unit = unit_suffix(str(difference.path[-1]))
    return f"{what} {value_text(before)} → {value_text(after)}{unit}"


def subject_and_attribute(path: ValuePath) -> tuple[str, str]:
    """Return what a path is about (a port, a VLAN, ...; empty: the switch itself) and which attribute of it."""
    subject, rest = "", list(path)
    for position, part in enumerate(path[:-1]):
        if part in SUBJECTS:
            subject = SUBJECTS[str(part)].format(neighbour_text(part, path[position + 1]))
            rest = list(path[position + 2 :])
    return subject, " ".join(label(str(part)) for part in rest)


def neighbour_text(mapping: str | int, key: str | int) -> str:
    """Return the key of an entry; a BGP neighbour on a port is called by the port."""
    on_a_port = mapping == "neighbors" and "." not in str(key)
    return f"on Ethernet 1/{key}" if on_a_port else str(key)


def label(field: str) -> str:
    """Return the words of a field's name, without its unit: ``mtu_bytes`` is MTU."""
    words = field.split("_")
    if len(words) > 1 and words[-1] in UNITS:
        words = words[:-1]
    return " ".join(ACRONYMS.get(word, word) for word in words)


def unit_suffix(field: str) -> str:
    """Return the unit that a field's name ends in, after a blank; empty: none, or one that everybody knows."""
    words = field.split("_")
    if field in BARE_UNITS or len(words) < 2 or words[-1] not in UNITS:
        return ""
    return f" {UNITS[words[-1]]}"


def value_text(value: object) -> str:
    """Return a value for a person; of a dataclass what it says, without what it leaves open."""
    if is_dataclass(value) and not isinstance(value, type):
        told = ((field.name, getattr(value, field.name)) for field in fields(value))
        return ", ".join(field_text(name, part) for name, part in told if part or (part == 0 and part is not False))
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {value_text(part)}" for key, part in value.items())
    if isinstance(value, tuple):
        return ", ".join(map(value_text, value)) or "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    return "none" if value is None else str(value)


def field_text(name: str, value: object) -> str:
    """Return one field of an entry that comes or goes: ``MTU 9216``; a description is shown bare."""
    if name == "description":
        return str(value)
    if value is True:
        return label(name)
    return f"{label(name)} {value_text(value)}{unit_suffix(name)}"
