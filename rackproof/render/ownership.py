"""Parts of a switch's configuration that Rackproof leaves alone: the entries of each NOS's table, and their look-up."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ANY_WORD = "*"


@dataclass(frozen=True, slots=True)
class LeftAlone:
    """A part of a configuration that is neither compared nor changed."""

    start: str
    """Words that its lines begin with; ``*`` stands for any one word."""
    topic: str
    """What a user calls it: ``SNMP``."""
    source: str
    """Where the lines were seen."""
    block: str = ""
    """Start of the line of the block that holds them; empty: the top level. NVUE has no blocks."""
    factory: str = ""
    """Pattern of the lines that every switch has; they are left alone, and not reported."""

    def is_reported(self, line: str) -> bool:
        """Return whether a line of this part is more than what every switch has."""
        return not self.factory or re.fullmatch(self.factory, line) is None


class LeftAloneTable:
    """The entries of one NOS, by their first word: most lines begin with a word that no entry begins with."""

    def __init__(self, entries: Iterable[LeftAlone]) -> None:
        self._by_word: defaultdict[str, list[tuple[tuple[str, ...], LeftAlone]]] = defaultdict(list)
        for entry in entries:
            words = tuple(entry.start.split(" "))
            self._by_word[words[0]].append((words, entry))

    def find(self, words: Sequence[str], block: str = "") -> LeftAlone | None:
        """Return the entry that a line belongs to, given as words, with the line of its block; None: there is none."""
        for wanted, entry in self._by_word.get(words[0], ()):
            in_block = block.startswith(entry.block) if entry.block else not block
            if in_block and len(words) >= len(wanted) and all(map(_fits, wanted, words)):
                return entry
        return None


def _fits(wanted: str, word: str) -> bool:
    return wanted in {ANY_WORD, word}


def reported_topics(found: Iterable[tuple[LeftAlone, str]]) -> tuple[str, ...]:
    """Return the topics of the lines that were left alone, each once, sorted."""
    return tuple(sorted({entry.topic for entry, line in found if entry.is_reported(line)}, key=str.casefold))
