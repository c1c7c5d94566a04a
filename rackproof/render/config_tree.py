"""Configuration text as a tree: blocks are recognised by indentation, as sonic-cli prints and accepts them."""

from collections.abc import Iterator
from typing import TypeAlias

ConfigTree: TypeAlias = dict[str, "ConfigTree"]
"""Line to the lines of the block it opens; a line that opens none has an empty block. Order carries no meaning."""

SEPARATOR = "!"


def parse_tree(text: str) -> ConfigTree:
    """Return the tree of a configuration text.

    Empty lines, separators (``!``) and trailing blanks are left out; a block that appears twice is one block.

    Parameters
    ----------
    text
        What ``show running-configuration`` prints, or a rendered file.
    """
    root: ConfigTree = {}
    open_blocks: list[tuple[int, ConfigTree]] = [(-1, root)]
    for line in text.splitlines():
        statement = line.strip()
        if not statement or statement.startswith(SEPARATOR):
            continue
        indent = len(line) - len(line.lstrip())
        while open_blocks[-1][0] >= indent:
            open_blocks.pop()
        block = open_blocks[-1][1].setdefault(statement, {})
        open_blocks.append((indent, block))
    return root


def paths(tree: ConfigTree, above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield every line of ``tree`` as the chain of blocks that leads to it, the line itself last."""
    for line, block in tree.items():
        yield (*above, line)
        yield from paths(block, (*above, line))


def values(tree: ConfigTree, words: str) -> Iterator[str]:
    """Yield what follows ``words`` on every line of ``tree`` that starts with them."""
    return (line.removeprefix(f"{words} ") for line in tree if line.startswith(f"{words} "))


def value(tree: ConfigTree, words: str) -> str | None:
    """Return what follows ``words`` on the first line of ``tree`` that starts with them."""
    return next(values(tree, words), None)


def blocks(tree: ConfigTree, words: str) -> Iterator[tuple[str, ConfigTree]]:
    """Yield what follows ``words``, and the block opened, for every line of ``tree`` that starts with them."""
    return ((line.removeprefix(f"{words} "), block) for line, block in tree.items() if line.startswith(f"{words} "))


def lines_only_in(tree: ConfigTree, other: ConfigTree) -> tuple[str, ...]:
    """Return the lines of ``tree`` that ``other`` lacks, each behind the blocks it stands in: ``a > b > line``.

    Of a block that ``other`` lacks altogether every line is returned, its first line too.
    """
    known = set(paths(other))
    return tuple(" > ".join(path) for path in paths(tree) if path not in known)
