"""Finds the rule behind a configuration line and carries it out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lab.switches.nos.enterprise_sonic.grammar import modes
from lab.switches.nos.enterprise_sonic.parameters import compress, expand
from lab.switches.nos.enterprise_sonic.pattern import Failure, Match
from lab.switches.nos.enterprise_sonic.rule import Ask, Command, Context, Entry, Mode, Spread, System
from lab.switches.nos.enterprise_sonic.tree import Block, Configuration, Path
from lab.switches.nos.enterprise_sonic.words import Word, split


class SyntaxRefusedError(Exception):
    """Klish does not know the line: where it went wrong, and what it prints."""

    def __init__(self, message: str, column: int | None) -> None:
        super().__init__(message)
        self.message = message
        self.column = column


class BackEndRefusedError(Exception):
    """The syntax is valid and the back end refuses the line; the text is the reason."""


@dataclass(frozen=True, slots=True)
class Found:
    """A line and the command it is."""

    command: Command
    match: Match
    path: Path
    """Of the block the command works on."""


def find(configuration: Configuration, line: str, path: Path) -> Found:
    """Return the command that a line is in the mode at ``path``.

    Raises
    ------
    SyntaxRefusedError
        There is no such command here.
    """
    words = split(line)
    texts = [word.text for word in words]
    failure = Failure()
    for mode, level in _levels(configuration, path):
        for command in mode.commands.get(texts[0], ()):
            match = command.pattern.match(texts, failure)
            if match is not None:
                return Found(command, match, level)
    raise syntax_error(failure, words)


def syntax_error(failure: Failure, words: Sequence[Word]) -> SyntaxRefusedError:
    """Return what Klish prints (patches of shell_tinyrl.c in the management framework)."""
    if failure.incomplete and failure.index >= len(words):
        return SyntaxRefusedError("The command is not completed.", None)
    column = words[min(failure.index, len(words) - 1)].column
    if failure.span is not None:
        return SyntaxRefusedError(f"Value out of range({failure.span}).", column)
    return SyntaxRefusedError('Invalid input detected at "^" marker.', column)


def _levels(configuration: Configuration, path: Path) -> Iterator[tuple[Mode, Path]]:
    """Yield the mode at a path and, further out, those whose commands work there too."""
    block = configuration.block(path)
    if block is None:
        path, block = (), configuration.root
    current = modes()[block.mode]
    yield current, path
    for length in range(len(path) - 1, -1, -1):
        outer = configuration.block(path[:length])
        if outer is not None and outer.mode in current.visible:
            yield modes()[outer.mode], path[:length]


def context(system: System, found: Found, ask: Ask) -> Context:
    """Return what checks and actions are given."""
    return Context(system, found.path, found.match.arguments, found.match.text, found.command.negated, ask)


async def _no_answer(_question: str) -> str:
    return ""


def apply(system: System, found: Found) -> Path:
    """Carry out a command that is a line of the configuration; return the path of the mode after it.

    Raises
    ------
    BackEndRefusedError
        A check objects.
    """
    rule = found.command.rule
    if rule.check is not None:
        objection = rule.check(context(system, found, _no_answer))
        if objection is not None:
            raise BackEndRefusedError(objection)
    block = system.configuration.block(found.path)
    if block is None:
        raise BackEndRefusedError("operation failed")
    if rule.enters is not None:
        return _enter(system, block, rule.enters, found)
    if rule.spread is not None:
        _spread(block, rule.spread, found)
    elif found.command.negated:
        _remove_line(block, found)
    else:
        block.lines[_slot(found)] = (found.command.rank, found.match.text)
    system.configuration.touch()
    return found.path


def _remove_line(block: Block, found: Found) -> None:
    """Remove a line; without the arguments that distinguish lines of its kind, remove all of them."""
    try:
        block.lines.pop(_slot(found), None)
    except KeyError:
        prefix = found.command.slot.partition("{")[0]
        for slot in [slot for slot in block.lines if slot.startswith(prefix)]:
            del block.lines[slot]


def _slot(found: Found) -> str:
    return found.command.slot.format(**found.match.arguments, line=found.match.text.removeprefix("no "))


def _spread(block: Block, spread: Spread, found: Found) -> None:
    entries = block.maps.setdefault(found.command.slot, {})
    values = found.match.arguments.get(spread.values)
    if values is None:
        entries.clear()
        return
    for number in expand(values):
        if found.command.negated:
            entries.pop(str(number), None)
        else:
            entries[str(number)] = found.match.arguments.get(spread.target, "")


def _enter(system: System, block: Block, entry: Entry, found: Found) -> Path:
    facts = {**_names(found.match.arguments), **found.match.arguments}
    if found.command.negated:
        _delete(block, entry, facts)
        system.configuration.touch()
        return found.path
    key = entry.key.format(**{**facts, "name": facts.get("header", facts.get("name", ""))})
    if key not in block.children and entry.create:
        inherited = {**block.facts, **facts, "name": facts.get("plain", facts.get("name", block.facts.get("name", "")))}
        block.children[key] = Block(entry.mode, inherited)
        system.configuration.touch()
    return (*found.path, key)


def _delete(block: Block, entry: Entry, facts: dict[str, str]) -> None:
    """Delete a block; without arguments (``no router bgp``), all blocks of its mode."""
    if facts:
        block.children.pop(entry.key.format(**{**facts, "name": facts.get("header", facts.get("name", ""))}), None)
        return
    for key in [key for key, child in block.children.items() if child.mode == entry.mode]:
        if "{" in entry.key or key == entry.key:
            del block.children[key]


def _names(arguments: dict[str, str]) -> dict[str, str]:
    """The ways an interface is written: Vlan 10 in a reference, Vlan10 in a header, po1 and lo0 in a prompt."""
    kind, _, number = arguments.get("name", "").partition(" ")
    short = {"PortChannel": "po", "Loopback": "lo", "Management": "eth"}.get(kind)
    if kind in {"Vlan", "PortChannel"}:
        return {"header": f"{kind}{number}", "plain": f"{kind}{number}", "short": f"{short or kind}{number}"}
    return {"short": f"{short}{number}"} if short and number else {}


def entries(block: Block, slot: str, pattern: str, spread: Spread) -> list[str]:
    """Return the lines that show the entries of a list, grouped by what they map to."""
    groups: dict[str, set[int]] = {}
    for number, target in block.maps.get(slot, {}).items():
        groups.setdefault(target, set()).add(int(number))
    return [_entry_line(pattern, spread, compress(groups[target]), target) for target in sorted(groups)]


def _entry_line(pattern: str, spread: Spread, values: str, target: str) -> str:
    words = [word for word in pattern.split() if not word.startswith("[")]
    filled = (
        values if word.startswith(f"<{spread.values}:") else target if word.startswith(f"<{spread.target}:") else word
        for word in words
        if not word[0].isdigit()
    )
    return " ".join(filled)
