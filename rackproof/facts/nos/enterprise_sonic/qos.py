"""How ports treat RoCE, from a running configuration of Enterprise SONiC: blocks of lines, each indented by one."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from rackproof.facts.models import EcnThresholds, PfcWatchdog, PortRoce

Blocks = Mapping[str, tuple[str, ...]]
"""First line of a block to the lines directly in it."""

KIBIBYTE: Final = 1000
"""``green minimum-threshold`` takes kilobytes of a thousand bytes: what it shows of 1048576 bytes is 1048."""
MARKING: Final = frozenset({"ecn green", "ecn all"})
GREEN: Final = re.compile(
    r"green minimum-threshold (?P<least>\d+) maximum-threshold (?P<most>\d+) drop-probability (?P<percent>\d+)"
)
SPAN: Final = re.compile(r"(?P<first>\d+)(?:-(?P<last>\d+))?\Z")
PORT: Final = "interface Eth"


def port_roce(text: str) -> dict[str, PortRoce]:
    """Return how each port treats RoCE."""
    found = blocks(text)
    return {
        head.removeprefix("interface "): one_port(found, lines)
        for head, lines in found.items()
        if head.startswith(PORT)
    }


def blocks(text: str) -> dict[str, tuple[str, ...]]:
    """Return the blocks of a configuration."""
    found: dict[str, list[str]] = {}
    head = ""
    for line in text.splitlines():
        if line[:1] not in {" ", "!", ""}:
            head = line.strip()
            found[head] = []
        elif line[:1] == " " and line[1:2] not in {" ", "!"} and head:
            found[head].append(line.strip())
    return {name: tuple(lines) for name, lines in found.items()}


def one_port(found: Blocks, lines: Iterable[str]) -> PortRoce:
    """Return how the port with these lines treats RoCE."""
    said = tuple(lines)
    return PortRoce(
        class_of=entries(found, said, "dscp-tc"),
        queue_of=entries(found, said, "tc-queue"),
        pfc=tuple(sorted(int(value) for value in values(said, "priority-flow-control priority"))),
        ecn=dict(marking(found, said)),
        watchdog=watchdog(said),
    )


def values(lines: Iterable[str], start: str) -> Iterator[str]:
    """Yield what stands behind ``start`` in each line that begins so."""
    yield from (line.removeprefix(start).strip() for line in lines if line.startswith(f"{start} "))


def entries(found: Blocks, lines: Iterable[str], kind: str) -> dict[int, int]:
    """Return the entries of the map of a kind that a port uses; without one everything is in class 0."""
    name = next(values(lines, f"qos-map {kind}"), None)
    rows = (line.split() for line in found.get(f"qos map {kind} {name}", ()))
    return {number: int(row[3]) for row in rows if len(row) == 4 for number in numbers(row[1])}


def numbers(text: str) -> Iterator[int]:
    """Yield the numbers of ``0-23,25``."""
    for part in text.split(","):
        if span := SPAN.match(part):
            yield from range(int(span["first"]), int(span["last"] or span["first"]) + 1)


def marking(found: Blocks, lines: Iterable[str]) -> Iterator[tuple[int, EcnThresholds]]:
    """Yield each queue that marks, with its thresholds."""
    for line in lines:
        words = line.split()
        if words[0] == "queue" and words[2:3] == ["wred-policy"]:
            policy = found.get(f"qos wred-policy {words[3]}", ())
            green = next((match for rule in policy if (match := GREEN.match(rule))), None)
            if green is not None and MARKING.intersection(policy):
                least, most = int(green["least"]) * KIBIBYTE, int(green["most"]) * KIBIBYTE
                yield int(words[1]), EcnThresholds(least, most, int(green["percent"]))


def watchdog(lines: Iterable[str]) -> PfcWatchdog | None:
    """Return what the port does about storms; without a time to detect them it looks for none."""
    said = dict(watchdog_words(lines))
    if "detect-time" not in said:
        return None
    restore = said.get("restore-time")
    return PfcWatchdog(said.get("action"), int(said["detect-time"]), int(restore) if restore else None)


def watchdog_words(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield name and value of each setting of the watchdog."""
    for value in values(lines, "priority-flow-control watchdog"):
        *_, name, setting = value.split()
        yield name, setting
