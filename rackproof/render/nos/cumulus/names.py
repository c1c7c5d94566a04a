"""Lists of names as NVUE writes them: ``swp1-3,52,swp1s0-3``; a part without letters goes on with the name before."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

NUMBERED = re.compile(r"^(?P<stem>.*?)(?P<first>\d+)(?:-(?P<last>\d+))?$")
DIGITS = re.compile(r"(\d+)")


@lru_cache(maxsize=1 << 16)
def natural(name: str) -> tuple[tuple[bool, int, str], ...]:
    """Sort key that puts swp2 before swp10, and numbers before letters."""
    return tuple((not part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in DIGITS.split(name))


def expand_names(text: str) -> Iterator[str]:
    """Yield the names of a list such as ``swp1-3,52,vlan200``."""
    stem = ""
    for part in text.split(","):
        match = NUMBERED.match(part)
        if match is None:
            yield part
            continue
        stem = match["stem"] or stem
        first = int(match["first"])
        for number in range(first, int(match["last"] or first) + 1):
            yield f"{stem}{number}"


def compress_names(names: Iterable[str]) -> str:
    """Return names as one list, runs of numbers joined by a dash: swp1, swp2, swp9 give ``swp1-2,9``."""
    runs: list[tuple[str, int, int]] = []
    texts: list[str] = []
    for name in sorted(names, key=natural):
        stem, number = _split(name)
        if number is None:
            texts.append(name)
            continue
        if runs and runs[-1][0] == stem and runs[-1][2] == number - 1:
            runs[-1] = (stem, runs[-1][1], number)
        else:
            runs.append((stem, number, number))
    return ",".join([*texts, *_runs(runs)])


@lru_cache(maxsize=1 << 16)
def _split(name: str) -> tuple[str, int | None]:
    """Return a name and its number, None where it ends in none."""
    match = NUMBERED.match(name)
    return (name, None) if match is None else (match["stem"], int(match["first"]))


def _runs(runs: Iterable[tuple[str, int, int]]) -> Iterator[str]:
    """Yield each run; the stem is left out where the run before has the same."""
    before = None
    for stem, first, last in runs:
        yield (stem if stem != before else "") + (f"{first}" if first == last else f"{first}-{last}")
        before = stem
