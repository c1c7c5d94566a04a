"""Settings that a NOS's lines express and an intent does not: the words for a change of them."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

ABSENT = "none"


class Setting(NamedTuple):
    """One setting and its value, as one line of a configuration sets it."""

    subject: str
    """A port (``1/3``) where ``on_port``, else an object; empty: the switch."""
    label: str
    value: str
    unit: str = ""
    absent: str = ABSENT
    """Value of a switch without such a line."""
    on_port: bool = False


class SettingChange(NamedTuple):
    """A setting whose value changes, on one object or on several ports alike."""

    key: str
    before: str
    after: str
    text: str


class SettingChanges(NamedTuple):
    """Changes in words, and the lines that they stand for."""

    changes: tuple[SettingChange, ...] = ()
    lines: frozenset[str] = frozenset()
    """Each behind its blocks."""


def setting_changes(before: Iterable[Setting], after: Iterable[Setting]) -> tuple[SettingChange, ...]:
    """Return the settings that differ; ports with the same change are one."""
    old, new = keyed(before), keyed(after)
    alike: dict[tuple[bool, str, str, str, str], list[str]] = {}
    for key in dict.fromkeys((*old, *new)):
        known = old.get(key) or new[key]
        had, wanted = (row[key].value if key in row else known.absent for row in (old, new))
        if had != wanted:
            subject = "" if known.on_port else known.subject
            alike.setdefault((known.on_port, subject, known.label, had, wanted), []).append(known.subject)
    units = {one.label: one.unit for one in (*old.values(), *new.values())}
    return tuple(worded(key, ports, units[key[2]]) for key, ports in alike.items())


def keyed(settings: Iterable[Setting]) -> Mapping[tuple[str, str], Setting]:
    """Return settings by their subject and label."""
    return {(one.subject, one.label): one for one in settings}


def worded(key: tuple[bool, str, str, str, str], ports: list[str], unit: str) -> SettingChange:
    """Return one change: ``Ethernet 1/1, 1/3: DSCP map OTHER → ROCE``."""
    on_port, subject, label, before, after = key
    where = f"Ethernet {', '.join(ports)}" if on_port else subject
    shown_unit = unit if after != ABSENT else ""
    text = " ".join(filter(None, (f"{where}:" if where else "", label, before, "→", after, shown_unit)))
    return SettingChange(f"{where} {label}".strip(), before, after, text)
