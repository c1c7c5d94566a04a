"""Edits from one configuration to another: references are removed before, and added after, their definitions."""

import re
from collections.abc import Iterable, Iterator
from itertools import takewhile
from typing import Final, NamedTuple

from rackproof.deploy.switch.nos.enterprise_sonic.assignments import added_members, removed_members
from rackproof.deploy.switch.nos.enterprise_sonic.negation import is_never_sent, is_replaced, negated
from rackproof.render.config_tree import ConfigTree

PERMANENT: Final = re.compile(r"interface (Eth|Management)")
"""Blocks that always exist: only their lines can be removed."""

OPENS_A_MODE: Final = re.compile(
    r"(interface (?!breakout|-)|router bgp|qos (map|wred-policy|scheduler-policy) |address-family |neighbor |"
    r"route-map \S+ (permit|deny) |queue \d+$|profile |evpn (esi-multihoming|ethernet-segment)|link state track \S+$)"
)
"""Lines after which sonic-cli is in another mode, whether lines follow in it or not."""


UNUSED_PORT: Final[ConfigTree] = {"shutdown": {}}
"""Configuration of an unused port."""


JOINED_NUMBER: Final = re.compile(r"^interface (Vlan|PortChannel|Loopback|Management)(\d+)")
"""Releases print ``interface Vlan10`` and take ``interface Vlan 10``."""


class Edit(NamedTuple):
    """One line to type."""

    blocks: tuple[str, ...]
    """Lines of its blocks, outermost first."""
    line: str


def edits(running: ConfigTree, intended: ConfigTree) -> Iterator[Edit]:
    """Yield the edits that lead from one configuration to another.

    A switch prints definitions before the lines that refer to them. So lines are removed in the reverse of the printed
    order, and added in the order of the intended text. QoS objects are removed last: a port that refers to one takes
    another in its place, and the switch refuses to remove an object in use.
    """
    removed = [*removals(running, intended, ())]
    yield from (edit for edit in removed if not is_qos_object(edit))
    yield from additions(running, intended, ())
    yield from (edit for edit in removed if is_qos_object(edit))


def is_qos_object(edit: Edit) -> bool:
    """Return whether an edit removes a map or policy that ports refer to."""
    return not edit.blocks and edit.line.startswith("no qos ")


def removals(running: ConfigTree, intended: ConfigTree, blocks: tuple[str, ...]) -> Iterator[Edit]:
    """Yield the edits that remove the lines of ``running`` that ``intended`` lacks."""
    block = blocks[-1] if blocks else ""
    coming = {negated(line, block) for line in intended if line not in running}
    for line, inner in reversed(running.items()):
        if is_never_sent(line, block):
            continue
        remaining = remaining_block(line, intended)
        if remaining is not None:
            yield from removals(inner, remaining, (*blocks, line))
        elif negated(line, block) not in intended and not is_replaced(line, block, coming):
            yield from (Edit(blocks, part) for part in negations(line, block, intended))


def remaining_block(line: str, intended: ConfigTree) -> ConfigTree | None:
    """Return what remains in the block that a line opens; None: the line itself is removed."""
    if line in intended:
        return intended[line]
    if PERMANENT.match(line):
        return UNUSED_PORT if line.startswith("interface Eth") else {}
    return None


def negations(line: str, block: str, intended: ConfigTree) -> tuple[str, ...]:
    """Return the lines that negate one line; of a list, only the members that no intended line sets."""
    parts = removed_members(line, intended)
    return (negated(line, block),) if parts is None else parts


def additions(running: ConfigTree, intended: ConfigTree, blocks: tuple[str, ...]) -> Iterator[Edit]:
    """Yield the edits that add the lines of ``intended`` that ``running`` lacks; ``no shutdown`` of a port is last."""
    block = blocks[-1] if blocks else ""
    for line, inner in sorted(intended.items(), key=is_last):
        if is_never_sent(line, block):
            continue
        if line not in running:
            parts = added_members(line, running)
            yield from (Edit(blocks, part) for part in ((line,) if parts is None else parts))
        yield from additions(running.get(line, {}), inner, (*blocks, line))


def is_last(item: tuple[str, ConfigTree]) -> bool:
    """Whether a line is typed after all others of its block."""
    return item[0] == "no shutdown"


def typed(wanted: Iterable[Edit]) -> tuple[str, ...]:
    """Return the lines to type in configure mode, including those that enter and leave blocks."""
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
