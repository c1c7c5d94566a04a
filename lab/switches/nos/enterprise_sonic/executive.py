"""Commands outside configuration mode, and pipes."""

import importlib
import pkgutil
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cache

from lab.switches.nos.enterprise_sonic import show_output
from lab.switches.nos.enterprise_sonic.interpreter import SyntaxRefusedError, syntax_error
from lab.switches.nos.enterprise_sonic.pattern import Failure, Pattern, compile_pattern
from lab.switches.nos.enterprise_sonic.rule import Ask
from lab.switches.nos.enterprise_sonic.system import EnterpriseSonic
from lab.switches.nos.enterprise_sonic.words import split


@dataclass(frozen=True, slots=True)
class Request:
    """An executive command about to run."""

    system: EnterpriseSonic
    arguments: Mapping[str, str]
    ask: Ask


@dataclass(frozen=True, slots=True)
class Executive:
    """An executive command."""

    pattern: str
    source: str
    run: Callable[[Request], Awaitable[str]]


@cache
def _commands() -> dict[str, tuple[tuple[Pattern, Executive], ...]]:
    """Return the commands of all modules of ``show_output``, by first word."""
    found: dict[str, tuple[tuple[Pattern, Executive], ...]] = {}
    for info in pkgutil.iter_modules(show_output.__path__):
        module = importlib.import_module(f"{show_output.__name__}.{info.name}")
        for command in module.COMMANDS:
            pattern = compile_pattern(command.pattern)
            first = pattern.leading.partition(" ")[0]
            found[first] = (*found.get(first, ()), (pattern, command))
    return found


async def run_executive(system: EnterpriseSonic, line: str, ask: Ask) -> str:
    """Run an executive command and return what is printed.

    Raises
    ------
    SyntaxRefusedError
        There is no such command.
    """
    command, *pipes = (part.strip() for part in line.split("|"))
    words = split(command)
    if not words:
        raise SyntaxRefusedError('Invalid input detected at "^" marker.', 0)
    failure = Failure()
    for pattern, executive in _commands().get(words[0].text, ()):
        match = pattern.match([word.text for word in words], failure)
        if match is not None:
            await system.switch.links.refresh(system.spec.name)
            text = await executive.run(Request(system, match.arguments, ask))
            for pipe in pipes:
                text = _filter(text, pipe, line)
            return text
    raise syntax_error(failure, words)


def _filter(text: str, pipe: str, line: str) -> str:
    """``grep``, ``except``, ``find`` and ``no-more`` (include/pipe.xml of the management framework)."""
    verb, _, rest = pipe.partition(" ")
    wanted = rest.strip().removesuffix(" ignore-case").strip('"')
    lines = text.splitlines(keepends=True)
    if verb == "no-more" and not rest:
        return text
    if not wanted or verb not in {"grep", "except", "find"}:
        raise SyntaxRefusedError('Invalid input detected at "^" marker.', line.find(pipe))
    if verb == "find":
        first = next((number for number, one in enumerate(lines) if wanted in one), len(lines))
        return "".join(lines[first:])
    return "".join(one for one in lines if (wanted in one) == (verb == "grep"))
