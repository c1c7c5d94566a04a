"""What a rule of the grammar is: a command, where it stands, what it does, and which public source shows it."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Protocol

from lab.spec.models import SwitchSpec
from lab.switches.nos.enterprise_sonic.pattern import Pattern, compile_pattern
from lab.switches.nos.enterprise_sonic.tree import Block, Configuration, Path

Ask = Callable[[str], Awaitable[str]]
"""Prints a question and returns the answer."""


class System(Protocol):
    """What the checks and actions of rules use of the switch."""

    configuration: Configuration

    @property
    def spec(self) -> SwitchSpec:
        """The hardware."""
        ...

    @property
    def lossless(self) -> bool:
        """Whether the switch is in lossless mode."""
        ...

    def type_block(self, lines: Iterable[str]) -> None:
        """Execute configuration lines that no check refuses."""
        ...

    def save_and_reboot(self) -> str:
        """Save the configuration and reboot; return what is printed when saving fails."""
        ...


@dataclass(slots=True)
class Context:
    """A command about to be executed."""

    system: System
    path: Path
    """Of the block the rule works on."""
    arguments: dict[str, str]
    text: str
    negated: bool
    ask: Ask

    @property
    def configuration(self) -> Configuration:
        """The configuration in force."""
        return self.system.configuration

    @property
    def block(self) -> Block:
        """The block the rule works on."""
        block = self.configuration.block(self.path)
        return self.configuration.root if block is None else block


Check = Callable[[Context], str | None]
"""Returns why the back end refuses a command, or None."""
Action = Callable[[Context], Awaitable[str]]
"""Does something that is not a line of the configuration; returns what is printed."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A command that opens a block."""

    mode: str
    key: str
    """Template of the block's key, which is also how it is shown: ``qos map dscp-tc {name}``."""
    create: bool = True
    """False for blocks that only hardware makes: ports."""


@dataclass(frozen=True, slots=True)
class Spread:
    """A command whose parameter is a list of numbers; its entries are kept one by one and shown compressed."""

    values: str
    target: str = ""
    """Parameter that the numbers map to."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A command of one mode."""

    pattern: str
    source: str
    slot: str = ""
    """What it sets: a second line with the same slot replaces the first. Default: the words it begins with."""
    no: tuple[str, ...] | None = None
    """Patterns that remove it; default: ``no`` and the words it begins with."""
    default: str = ""
    """Line that is shown when nothing is set."""
    enters: Entry | None = None
    spread: Spread | None = None
    check: Check | None = None
    action: Action | None = None
    hidden: bool = False
    """Sets what is the default anyway: leaves no line."""


@dataclass(frozen=True, slots=True)
class Command:
    """A pattern a user can type, with the rule behind it."""

    pattern: Pattern
    rule: Rule
    negated: bool
    rank: int
    """Place of the rule's lines among the lines of the mode."""
    slot: str


@dataclass(frozen=True, slots=True)
class Mode:
    """A mode of the command line, and at the same time a kind of block."""

    name: str
    prompt: str
    """Template over the facts of the block; empty for a block without a mode of its own."""
    rules: tuple[Rule, ...]
    visible: tuple[str, ...] = ("config",)
    """Modes further out whose commands work here too (NAMESPACE of the view)."""
    rank: int = 0
    """Place among the blocks of the same parent."""
    commands: dict[str, tuple[Command, ...]] = field(default_factory=dict)
    """By first word."""

    def compiled(self) -> "Mode":
        """Return the mode with its rules compiled."""
        commands: dict[str, tuple[Command, ...]] = {}
        for rank, rule in enumerate(self.rules):
            for command in _commands(rule, rank):
                first = command.pattern.leading.partition(" ")[0]
                commands[first] = (*commands.get(first, ()), command)
        return Mode(self.name, self.prompt, self.rules, self.visible, self.rank, commands)


def _commands(rule: Rule, rank: int) -> list[Command]:
    positive = compile_pattern(rule.pattern)
    slot = rule.slot or positive.leading
    removals = (f"no {positive.leading}",) if rule.no is None else rule.no
    return [
        Command(positive, rule, negated=False, rank=rank, slot=slot),
        *(Command(compile_pattern(text), rule, negated=True, rank=rank, slot=slot) for text in removals),
    ]
