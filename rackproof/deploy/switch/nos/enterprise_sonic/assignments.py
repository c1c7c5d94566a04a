"""Lines that hold a list of numbers: maps (``dscp 0-3,5 traffic-class 0``) and VLANs of a trunk.

A switch prints such a list in as few lines as it can, so that one code point that moves changes two lines. Only
the numbers that no intended line sets are removed, one by one.
"""

import re
from collections.abc import Iterable
from itertools import chain
from typing import Final

from rackproof.render.ranges import compress, expand

ASSIGNMENT: Final = re.compile(r"(?P<what>dscp|dot1p|traffic-class|pfc-priority) (?P<numbers>[\d,-]+) \S+ \d+$")
TRUNK: Final = re.compile(r"switchport trunk allowed Vlan (?P<numbers>[\d,-]+)$")


def members(pattern: re.Pattern[str], lines: Iterable[str]) -> set[int]:
    """Return all numbers that the lines of one kind hold."""
    matches = filter(None, map(pattern.match, lines))
    return set(chain.from_iterable(expand(match["numbers"]) for match in matches))


def removed_members(line: str, intended: Iterable[str]) -> tuple[str, ...] | None:
    """Return the lines that remove the numbers that no intended line sets; None: the line holds no list."""
    if match := ASSIGNMENT.match(line):
        gone = set(expand(match["numbers"])) - members(ASSIGNMENT, intended)
        return tuple(f"no {match['what']} {number}" for number in sorted(gone))
    if match := TRUNK.match(line):
        gone = set(expand(match["numbers"])) - members(TRUNK, intended)
        return (f"switchport trunk allowed Vlan remove {compress(gone)}",) if gone else ()
    return None


def added_members(line: str, running: Iterable[str]) -> tuple[str, ...] | None:
    """Return the line that adds the missing VLANs of a trunk; None: the line is typed as it is."""
    match = TRUNK.match(line)
    if match is None:
        return None
    new = set(expand(match["numbers"])) - members(TRUNK, running)
    return (f"switchport trunk allowed Vlan add {compress(new)}",) if new else ()
