"""Lines of Enterprise SONiC as settings: the state of a port, and RoCE on ports, in maps and in policies."""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from rackproof.deploy.switch.compare.managed_config import BEHIND, has_line
from rackproof.deploy.switch.settings import ABSENT, Setting, SettingChanges, setting_changes
from rackproof.render.config_tree import ConfigTree
from rackproof.render.ranges import compress, expand


class Words(NamedTuple):
    """Words for one kind of line; ``{}`` stands for its ``key``."""

    block: re.Pattern[str]
    line: re.Pattern[str]
    label: str
    unit: str = ""
    absent: str = "none"


MAPS: Final = {
    "dscp-tc": "DSCP map",
    "dot1p-tc": "802.1p map",
    "tc-queue": "map of traffic classes to queues",
    "tc-pg": "map of traffic classes to priority groups",
    "pfc-priority-queue": "map of PFC priorities to queues",
    "pfc-priority-pg": "map of PFC priorities to priority groups",
}
FIELDS: Final = {"dscp": "DSCP", "dot1p": "802.1p", "traffic-class": "traffic class", "pfc-priority": "PFC priority"}
TARGETS: Final = {
    "traffic-class": "class",
    "queue": "queue",
    "priority-group": "priority group",
    "pg": "priority group",
}


def _words(block: str, line: str, label: str, unit: str = "", absent: str = "none") -> Words:
    return Words(re.compile(block), re.compile(line), label, unit, absent)


PORT: Final = r"interface Eth(?P<subject>\S+)"
WATCHDOG: Final = "priority-flow-control watchdog"
KINDS: Final = (
    *(_words(PORT, rf"qos-map {name} (?P<value>\S+)", label) for name, label in MAPS.items()),
    _words(PORT, r"queue (?P<key>\d+) wred-policy (?P<value>\S+)", "WRED policy of queue {}"),
    _words(PORT, r"scheduler-policy (?P<value>\S+)", "scheduler policy"),
    _words(PORT, r"cable-length (?P<value>\S+)", "cable length"),
    _words(PORT, r"priority-flow-control priority (?P<key>\d)", "PFC of priority {}", absent="off"),
    _words(PORT, rf"{WATCHDOG} action (?P<value>\S+)", "PFC watchdog action"),
    _words(PORT, rf"{WATCHDOG} on detect-time (?P<value>\d+)", "PFC watchdog detection time", "ms"),
    _words(PORT, rf"{WATCHDOG} restore-time (?P<value>\d+)", "PFC watchdog restoration time", "ms"),
    _words(r"qos (?P<subject>scheduler-policy \S+ > queue \d+)", r"(?P<key>type|weight) (?P<value>\S+)", "{}"),
    _words(r"qos (?P<subject>wred-policy \S+)", r"ecn green", "ECN", absent="off"),
    _words("", r"roce enable pfc-priority (?P<value>\S+)", "RoCE: priorities with a buffer of their own"),
)
STATES: Final = {"shutdown": "down", "no shutdown": "up"}
"""Lines that set the state of a port."""
MAP: Final = re.compile(r"qos map (?P<name>\S+ \S+)")
ENTRY: Final = re.compile(
    rf"(?P<field>{'|'.join(FIELDS)}) (?P<numbers>[\d,-]+) (?P<target>{'|'.join(TARGETS)}) (?P<value>\d+)"
)


def settings(unknown: tuple[str, ...], missing: tuple[str, ...], intended: ConfigTree) -> SettingChanges:
    """Return the changes of settings that lines express, in words.

    Lines of a block that is removed or added as a whole stay lines.
    """
    removed = [chain for chain in unknown if not has_line(intended, chain)]
    added = [chain for chain in missing if has_line(intended, chain)]
    whole = {*removed, *added}
    before, after = ({chain: one for chain in chains if (one := read(chain, whole))} for chains in (removed, added))
    changed = {(one.subject, one.label) for one in (*before.values(), *after.values())}
    blocks = {chain.rpartition(BEHIND)[0] for chain in (*before, *after)}
    wanted = [one for block in blocks for one in block_settings(intended, block) if (one.subject, one.label) in changed]
    maps = [chain for chain in (*unknown, *missing) if is_map_entry(chain, whole)]
    changes = (*setting_changes(before.values(), wanted), *setting_changes(*map_settings(unknown, missing, intended)))
    return SettingChanges(changes, frozenset((*before, *after, *maps)))


def block_settings(tree: ConfigTree, block: str) -> Iterator[Setting]:
    """Yield the settings of the lines of a block; none where the tree has no such block."""
    for line in filter(None, block.split(BEHIND)):
        tree = tree.get(line, {})
    for line in tree:
        if one := read(f"{block}{BEHIND}{line}" if block else line, set()):
            yield one


def read(chain: str, whole: set[str]) -> Setting | None:
    """Return the setting of a line; None: it sets none, or its block is among the lines that go or come as a whole."""
    block, _, line = chain.rpartition(BEHIND)
    if in_whole_block(block, whole):
        return None
    port = re.fullmatch(PORT, block)
    if port and line in STATES:
        return Setting(port["subject"], "state", STATES[line], absent="up", on_port=True)
    for words in KINDS:
        at, match = words.block.fullmatch(block), words.line.fullmatch(line)
        if at and match:
            groups = {**at.groupdict(), **match.groupdict()}
            subject = groups.get("subject", "").replace(BEHIND, ", ")
            label = words.label.format(groups.get("key", ""))
            value = groups.get("value", "on")
            return Setting(subject, label, value, words.unit, words.absent, on_port=words.block.pattern == PORT)
    return None


def in_whole_block(block: str, lines: set[str]) -> bool:
    """Return whether a block, or one around it, is itself removed or added."""
    blocks = block.split(BEHIND)
    return any(BEHIND.join(blocks[:depth]) in lines for depth in range(1, len(blocks) + 1))


def is_map_entry(chain: str, whole: set[str]) -> bool:
    """Return whether a line is an entry of a map that stays."""
    block, _, line = chain.rpartition(BEHIND)
    return bool(MAP.fullmatch(block) and ENTRY.fullmatch(line)) and block not in whole


def map_settings(
    unknown: Iterable[str], missing: Iterable[str], intended: ConfigTree
) -> tuple[list[Setting], list[Setting]]:
    """Return the entries of maps that no value of the intent accounts for, as they are and as intended.

    An entry whose intended value is not that of ``missing`` differs in the intent too, and is shown as a value of it.
    """
    old, new = entries(unknown), entries(missing)
    alike: dict[tuple[str, str, str, str, str], list[int]] = {}
    for key in sorted(old.keys() | new.keys()):
        before, after = old.get(key, ABSENT), new.get(key, ABSENT)
        block, field, target, number = key
        wanted = entries(f"{block}{BEHIND}{line}" for line in intended.get(block, {})).get(key, ABSENT)
        if block in intended and before != after == wanted:
            alike.setdefault((block, field, target, before, after), []).append(number)
    sides: tuple[list[Setting], list[Setting]] = ([], [])
    for (block, field, target, *values), numbers in alike.items():
        label = f"{FIELDS[field]} {compress(numbers)} to {TARGETS[target]}"
        for side, value in zip(sides, values, strict=True):
            side.append(Setting(block.removeprefix("qos "), label, value))
    return sides


def entries(chains: Iterable[str]) -> dict[tuple[str, str, str, int], str]:
    """Return (block, field, target, number) to value, of every entry of a map among the lines."""
    found: dict[tuple[str, str, str, int], str] = {}
    for chain in chains:
        block, _, line = chain.rpartition(BEHIND)
        entry = ENTRY.fullmatch(line)
        if entry is None or not MAP.fullmatch(block):
            continue
        for number in expand(entry["numbers"]):
            found[block, entry["field"], entry["target"], number] = entry["value"]
    return found
