"""The running configuration as ``show running-configuration`` prints it.

Blocks open with ``!``, sub-lines are indented by one blank a level (sonic_cli_show_config.py, cache_view_commands);
their order is config_view_hierarchy of show_config_data.py.
"""

from collections.abc import Iterator

from lab.switches.nos.enterprise_sonic.grammar import modes
from lab.switches.nos.enterprise_sonic.interpreter import entries
from lab.switches.nos.enterprise_sonic.rule import Mode
from lab.switches.nos.enterprise_sonic.tree import Block, natural


def render(root: Block) -> str:
    """Return the whole running configuration."""
    lines = ["", "!", *_lines(modes()[root.mode], root)]
    for key, child in _children(root):
        lines.extend(render_block(key, child))
    return "\n".join(lines) + "\n"


def render_block(key: str, block: Block, indent: int = 0) -> Iterator[str]:
    """Yield the lines of one block and of the blocks in it."""
    margin = " " * indent
    yield f"{margin}!"
    yield f"{margin}{key}"
    for line in _lines(modes()[block.mode], block):
        yield f"{margin} {line}"
    for child_key, child in _children(block):
        yield from render_block(child_key, child, indent + 1)


def _children(block: Block) -> list[tuple[str, Block]]:
    return sorted(block.children.items(), key=lambda item: (modes()[item[1].mode].rank, natural(item[0])))


def _lines(mode: Mode, block: Block) -> list[str]:
    """Return a block's own lines: what is set, and the defaults that are always shown."""
    found = [(rank, natural(line), line) for rank, line in block.lines.values()]
    for rank, rule in enumerate(mode.rules):
        if rule.spread is not None:
            slot = rule.slot
            found.extend(
                (rank, natural(line.rpartition(" ")[2]), line)
                for line in entries(block, slot, rule.pattern, rule.spread)
            )
        elif rule.default and (rule.slot or rule.default.split()[0]) not in block.lines:
            found.append((rank, (), rule.default.format(**block.facts)))
    return [line for _, _, line in sorted(found)]
