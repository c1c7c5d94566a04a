"""Text of a difference between two intents."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Final

from rackproof.deploy.switch.compare.diff import Difference
from rackproof.errors import ValuePath

ACRONYMS: Final = {
    word.lower(): word for word in ("ASN", "BFD", "BGP", "CNP", "DNS", "DSCP", "ECN", "EVPN", "FEC", "ID", "LLDP",
                                    "MAC", "MTU", "NTP", "PFC", "RoCE", "VLAN", "VLANs", "VNI", "VXLAN", "DF", "IPv6")
}  # fmt: skip
UNITS: Final = {
    "bytes": "bytes", "gbps": "Gb/s", "ms": "ms", "m": "m", "percent": "%",
}  # fmt: skip
BARE_UNITS: Final = frozenset({"mtu_bytes"})
"""Fields whose unit is not shown."""

SUBJECTS: Final = {
    "ports": "Ethernet 1/{}",
    "breakouts": "Ethernet 1/{}",
    "port_channels": "PortChannel {}",
    "vlans": "VLAN {}",
    "neighbors": "BGP neighbour {}",
    "lossless": "RoCE class {}",
}
"""Field that holds a mapping to the name of one of its entries."""


def change_text(difference: Difference) -> str:
    """Return the text of a difference: ``Ethernet 1/3: MTU 9100 → 9216``."""
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
    """Return subject (a port, a VLAN, ...; empty: the switch itself) and attribute of a path."""
    subject, rest = "", list(path)
    for position, part in enumerate(path[:-1]):
        if part in SUBJECTS:
            subject = SUBJECTS[str(part)].format(neighbour_text(part, path[position + 1]))
            rest = list(path[position + 2 :])
    return subject, " ".join(label(str(part)) for part in rest)


def neighbour_text(mapping: str | int, key: str | int) -> str:
    """Return the key of an entry; that of a BGP neighbour on a port is the port."""
    on_a_port = mapping == "neighbors" and "." not in str(key)
    return f"on Ethernet 1/{key}" if on_a_port else str(key)


def label(field: str) -> str:
    """Return a field's label without its unit: ``mtu_bytes`` is MTU."""
    words = field.split("_")
    if len(words) > 1 and words[-1] in UNITS:
        words = words[:-1]
    return " ".join(ACRONYMS.get(word, word) for word in words)


def unit_suffix(field: str) -> str:
    """Return the unit that a field's name ends in, after a blank; empty: none, or one that is not shown."""
    words = field.split("_")
    if field in BARE_UNITS or len(words) < 2 or words[-1] not in UNITS:
        return ""
    return f" {UNITS[words[-1]]}"


def value_text(value: object) -> str:
    """Return a value as text; of a dataclass, the fields that are set."""
    if is_dataclass(value) and not isinstance(value, type):
        set_fields = ((field.name, getattr(value, field.name)) for field in fields(value))
        return ", ".join(field_text(name, part) for name, part in set_fields if is_set(part))
    if isinstance(value, Mapping):
        return "; ".join(f"{key}: {value_text(part)}" for key, part in value.items())
    if isinstance(value, tuple):
        return ", ".join(map(value_text, value)) or "none"
    if isinstance(value, bool):
        return "on" if value else "off"
    return "none" if value is None else str(value)


def is_set(value: object) -> bool:
    """Whether a field of an entry has a value: the number 0 is one, False and what is empty are not."""
    return bool(value) or (value == 0 and value is not False)


def field_text(name: str, value: object) -> str:
    """Return one field of an added or removed entry: ``MTU 9216``; a description has no label."""
    if name == "description":
        return str(value)
    if value is True:
        return label(name)
    return f"{label(name)} {value_text(value)}{unit_suffix(name)}"
