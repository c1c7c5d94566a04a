"""From one configuration to another: the lines to type, references taken away first, definitions made first."""

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import Final, NamedTuple

from rackproof.deploy.switch.nos.enterprise_sonic.assignments import added_members, removed_members
from rackproof.deploy.switch.nos.enterprise_sonic.negation import NEVER_SENT, is_replaced, negated
from rackproof.render.config_tree import ConfigTree

PERMANENT: Final = re.compile(r"interface (Eth|Management)")
"""Blocks that exist as long as the switch does: their lines can go, they cannot."""

OPENS_A_MODE: Final = re.compile(
    r"(interface (?!breakout|-)|router bgp|qos (map|wred-policy|scheduler-policy) |address-family |neighbor |"
    r"queue \d+$|profile |evpn (esi-multihoming|ethernet-segment))"
)
"""Lines after which sonic-cli is in another mode, whether lines follow in it or not."""


UNUSED_PORT: Final[ConfigTree] = {"shutdown": {}}
"""What is left of a port that nobody uses."""


JOINED_NUMBER: Final = re.compile(r"^interface (Vlan|PortChannel|Loopback|Management)(\d+)")
"""Releases print ``interface Vlan10`` and take ``interface Vlan 10``."""


class Edit(NamedTuple):
    """One line to type."""

    blocks: tuple[str, ...]
    """Lines of the blocks it stands in, outermost first."""
    line: str


def edits(running: ConfigTree, intended: ConfigTree) -> Iterator[Edit]:
    """Yield the lines that lead from one configuration to another.

    What goes is taken away in the reverse of the order in which a switch prints, because a switch prints what is
    referred to before what refers to it; what comes is added in the order of the intended text, for the same reason.
    """
    yield from removals(running, intended, ())
    yield from additions(running, intended, ())


def removals(running: ConfigTree, intended: ConfigTree, blocks: tuple[str, ...]) -> Iterator[Edit]:
    """Yield what takes away the lines of ``running`` that ``intended`` has not."""
    block = blocks[-1] if blocks else ""
    coming = {negated(line, block) for line in intended if line not in running}
    for line, inner in reversed(running.items()):
        if NEVER_SENT.match(line):
            continue
        if line in intended:
            yield from removals(inner, intended[line], (*blocks, line))
        elif PERMANENT.match(line):
            yield from removals(inner, UNUSED_PORT if line.startswith("interface Eth") else {}, (*blocks, line))
        elif negated(line, block) not in intended and not is_replaced(line, block, coming):
            yield from (Edit(blocks, part) for part in taken_back(line, block, intended))


def taken_back(line: str, block: str, intended: ConfigTree) -> tuple[str, ...]:
    """Return what takes back one line, or of a list the members that no intended line sets."""
    parts = removed_members(line, intended)
    return (negated(line, block),) if parts is None else parts


def additions(running: ConfigTree, intended: ConfigTree, blocks: tuple[str, ...]) -> Iterator[Edit]:
    """Yield what adds the lines of ``intended`` that ``running`` has not; a port comes up when it is complete."""
    for line, inner in sorted(intended.items(), key=is_last):
        if NEVER_SENT.match(line):
            continue
        if line not in running:
            parts = added_members(line, running)
            yield from (Edit(blocks, part) for part in ((line,) if parts is None else parts))
        yield from additions(running.get(line, {}), inner, (*blocks, line))


def is_last(item: tuple[str, ConfigTree]) -> bool:
    """Whether a line is typed after all others of its block."""
    return item[0] == "no shutdown"


def typed(wanted: Iterable[Edit]) -> tuple[str, ...]:
    """Return the lines as they are typed in configure mode: each block entered, its lines, and left again."""
    lines: list[str] = []
    entered: list[str] = []
    for blocks, line in wanted:
        kept = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(entered, blocks, strict=False)))
        lines.extend("exit" for _ in entered[kept:])
        lines.extend(blocks[kept:])
        entered[kept:] = blocks[kept:]
        lines.append(line)
        if OPENS_A_MODE.match(line) or (line == "bfd" and not blocks):
            entered.append(line)
    return tuple(JOINED_NUMBER.sub(r"interface \1 \2", line) for line in (*lines, *("exit" for _ in entered)))
