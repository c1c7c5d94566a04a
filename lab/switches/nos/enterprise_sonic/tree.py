"""The configuration as a tree of blocks: an interface, a map, an address family."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

Path = tuple[str, ...]
"""Keys of blocks from the top."""

_NUMBER = re.compile(r"(\d+)")


def natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """Return a sort key that puts Eth1/2 before Eth1/10."""
    return tuple((0, int(part), "") if part.isdigit() else (1, 0, part) for part in _NUMBER.split(text) if part)


@dataclass(slots=True)
class Block:
    """A block of the configuration."""

    mode: str
    facts: dict[str, str] = field(default_factory=dict)
    """What its prompt and its defaults are made from: its name, its port's speed."""
    lines: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Slot to (place among the lines of the mode, line): a slot holds one line."""
    maps: dict[str, dict[str, str]] = field(default_factory=dict)
    """Slot to the entries of a list that is shown compressed: DSCP to class, VLANs of a trunk."""
    children: "dict[str, Block]" = field(default_factory=dict)

    def text(self, slot: str) -> str | None:
        """Return the line in a slot."""
        found = self.lines.get(slot)
        return None if found is None else found[1]

    def argument(self, slot: str) -> str | None:
        """Return the last word of the line in a slot."""
        found = self.text(slot)
        return None if found is None else found.rpartition(" ")[2]

    def to_json(self) -> dict[str, Any]:
        """Return the block as JSON has it."""
        return {
            "mode": self.mode,
            "facts": self.facts,
            "lines": self.lines,
            "maps": self.maps,
            "children": {key: child.to_json() for key, child in self.children.items()},
        }

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Block":
        """Return the block that JSON describes."""
        return cls(
            mode=data["mode"],
            facts=data["facts"],
            lines={slot: (line[0], line[1]) for slot, line in data["lines"].items()},
            maps=data["maps"],
            children={key: cls.from_json(child) for key, child in data["children"].items()},
        )


class Configuration:
    """A configuration and how often it was changed."""

    def __init__(self, root: Block, on_change: Callable[[], None] = lambda: None) -> None:
        self.root = root
        self._on_change = on_change
        self.version = 0
        """Counts changes: cached results are valid while it is equal."""

    def block(self, path: Path) -> Block | None:
        """Return the block at a path, or None."""
        block: Block | None = self.root
        for key in path:
            block = None if block is None else block.children.get(key)
        return block

    def blocks(self, mode: str) -> Iterator[tuple[str, Block]]:
        """Yield the top-level blocks of a mode, with their keys."""
        return ((key, block) for key, block in self.root.children.items() if block.mode == mode)

    def blocks_in(self, modes: Iterable[str]) -> Iterator[Block]:
        """Yield the top-level blocks of several modes."""
        for mode in modes:
            yield from (block for _, block in self.blocks(mode))

    def touch(self) -> None:
        """Note a change."""
        self.version += 1
        self._on_change()

    def dump(self) -> str:
        """Return the configuration as a file holds it."""
        return json.dumps(self.root.to_json(), separators=(",", ":"), sort_keys=True)

    def load(self, text: str) -> None:
        """Take the configuration of a file."""
        self.root = Block.from_json(json.loads(text))
        self.touch()
