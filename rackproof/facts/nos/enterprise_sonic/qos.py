"""RoCE settings and buffer watermarks of ports on Enterprise SONiC.

RoCE settings are read from the running configuration, which prints every map and every port's own lines: one command,
where ``show qos interface`` would be two for each port. It consists of blocks of lines, each indented by one.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from rackproof.facts.fact import Answers
from rackproof.facts.models import EcnThresholds, PfcWatchdog, PortRoce, QueueBuffer
from rackproof.facts.nos.enterprise_sonic.shows import PORT, show_output, show_reader
from rackproof.facts.nos.enterprise_sonic.system import CONFIGURATION, running

Blocks = Mapping[str, tuple[str, ...]]
"""First line of a block to the lines directly in it."""

KIBIBYTE: Final = 1000
"""``green minimum-threshold`` takes kilobytes of a thousand bytes: what it shows of 1048576 bytes is 1048."""
MARKING: Final = frozenset({"ecn green", "ecn all"})
GREEN: Final = re.compile(
    r"green minimum-threshold (?P<least>\d+) maximum-threshold (?P<most>\d+) drop-probability (?P<percent>\d+)"
)
SPAN: Final = re.compile(r"(?P<first>\d+)(?:-(?P<last>\d+))?\Z")
PORT_HEAD: Final = "interface Eth"
WATERMARKS: Final = "show queue watermark unicast"


def roce(answers: Answers) -> dict[str, PortRoce]:
    """Return the RoCE settings of each port."""
    found = blocks(running(answers))
    return {
        head.removeprefix("interface "): port_settings(found, lines)
        for head, lines in found.items()
        if head.startswith(PORT_HEAD)
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


def port_settings(found: Blocks, lines: Iterable[str]) -> PortRoce:
    """Return the RoCE settings of the port with these lines."""
    own = tuple(lines)
    return PortRoce(
        class_of=map_entries(found, own, "dscp-tc"),
        queue_of=map_entries(found, own, "tc-queue"),
        pfc=tuple(sorted(int(value) for value in values(own, "priority-flow-control priority"))),
        ecn=dict(ecn_thresholds(found, own)),
        watchdog=pfc_watchdog(own),
    )


def values(lines: Iterable[str], start: str) -> Iterator[str]:
    """Yield the rest of each line that begins with ``start``."""
    yield from (line.removeprefix(start).strip() for line in lines if line.startswith(f"{start} "))


def map_entries(found: Blocks, lines: Iterable[str], kind: str) -> dict[int, int]:
    """Return the entries of the map of a kind that a port uses; without one everything is in class 0."""
    name = next(values(lines, f"qos-map {kind}"), None)
    rows = (line.split() for line in found.get(f"qos map {kind} {name}", ()))
    found_entries: dict[int, int] = {}
    for row in rows:
        if len(row) == 4:
            found_entries.update(dict.fromkeys(numbers(row[1]), int(row[3])))
    return found_entries


def numbers(text: str) -> Iterator[int]:
    """Yield the numbers of ``0-23,25``."""
    for part in text.split(","):
        if span := SPAN.match(part):
            yield from range(int(span["first"]), int(span["last"] or span["first"]) + 1)


def ecn_thresholds(found: Blocks, lines: Iterable[str]) -> Iterator[tuple[int, EcnThresholds]]:
    """Yield each queue that marks, with its thresholds."""
    for line in lines:
        words = line.split()
        if words[0] == "queue" and words[2:3] == ["wred-policy"]:
            policy = found.get(f"qos wred-policy {words[3]}", ())
            green = next((match for rule in policy if (match := GREEN.match(rule))), None)
            if green is not None and MARKING.intersection(policy):
                least, most = int(green["least"]) * KIBIBYTE, int(green["most"]) * KIBIBYTE
                yield int(words[1]), EcnThresholds(least, most, int(green["percent"]))


def pfc_watchdog(lines: Iterable[str]) -> PfcWatchdog | None:
    """Return the PFC watchdog of a port; None where it has no detection time."""
    settings = dict(watchdog_settings(lines))
    if "detect-time" not in settings:
        return None
    restore = settings.get("restore-time")
    return PfcWatchdog(settings.get("action"), int(settings["detect-time"]), int(restore) if restore else None)


def watchdog_settings(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield name and value of each setting of the watchdog."""
    for value in values(lines, "priority-flow-control watchdog"):
        *_, name, setting = value.split()
        yield name, setting


def buffers(answers: Answers) -> tuple[QueueBuffer, ...]:
    """Parse ``show queue watermark unicast``: a row a port, a column a queue, in bytes."""
    found: list[QueueBuffer] = []
    for row in map(str.split, show_output(answers, WATERMARKS).splitlines()):
        if row and PORT.match(row[0]):
            found += [QueueBuffer(row[0], queue, int(peak)) for queue, peak in enumerate(row[1:]) if peak.isdigit()]
    return tuple(found)


ROCE: Final = show_reader(roce, CONFIGURATION)
BUFFERS: Final = show_reader(buffers, WATERMARKS)
