"""Configurations as trees: the part that Rackproof manages, and comparison of two of them."""

from collections.abc import Iterator

from rackproof.deploy.switch.driver import find_driver
from rackproof.render.config_tree import ConfigTree, parse_tree
from rackproof.render.switch import owned_tree

BEHIND = " > "
"""Separates a block's line from a line in it."""


def managed_tree(nos: str, text: str, unmanaged: tuple[str, ...]) -> ConfigTree:
    """Return the part of a configuration that Rackproof manages: without users, defaults and unmanaged lines."""
    tree = owned_tree(nos, text)
    return find_driver(nos).without(tree, unmanaged) if unmanaged else tree


def without(tree: ConfigTree, unmanaged: tuple[str, ...], above: str = "") -> ConfigTree:
    """Return a tree without the lines, and their blocks, that begin with an unmanaged prefix."""
    return {
        line: without(block, unmanaged, f"{above}{line}{BEHIND}")
        for line, block in tree.items()
        if not any(begins_with(f"{above}{line}", start) for start in unmanaged)
    }


def begins_with(line: str, start: str) -> bool:
    """Whether a line begins with these words: ``snmp`` begins ``snmp trap``, and not ``snmpd``."""
    return line == start or line.startswith(f"{start.rstrip()} ")


def same_configuration(one: str, other: str) -> bool:
    """Whether two running configurations are equal, whatever the order of their lines."""
    return parse_tree(one) == parse_tree(other)


def tree_text(tree: ConfigTree) -> str:
    """Return a tree as configuration text."""
    return "".join(f"{line}\n" for line in indented(tree, ""))


def indented(tree: ConfigTree, indent: str) -> Iterator[str]:
    """Yield the lines of a tree, each block one blank deeper."""
    for line, block in tree.items():
        yield f"{indent}{line}"
        yield from indented(block, f"{indent} ")


def has_line(tree: ConfigTree, chain: str) -> bool:
    """Whether a tree has a line, given with its blocks before it: ``router bgp 1 > router-id 1.1.1.1``."""
    for line in chain.split(BEHIND):
        if line not in tree:
            return False
        tree = tree[line]
    return True
