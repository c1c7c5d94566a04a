"""``nv show``: show output, computed from the configuration and the links of the switch.

Each show output is data that ``-o json`` prints as it is; without it a table of the same. Shapes: ``nv show interface``
and ``nv show system`` as Monitoring-Interfaces-and-Transceivers-with-NVUE and the NVUE reference (Show Commands) have
them; LLDP neighbours by their name with ``chassis`` and ``port`` in them; the summary of BGP neighbours (columns AS,
State, Uptime, Afi-Safi) as NVUE-CLI prints it since 5.12.
"""

import importlib
import json
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

from lab.switches.nos.cumulus.nv import show_output
from lab.switches.nos.cumulus.nv.run import Run
from lab.switches.nos.cumulus.tree import Tree, at

Data: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class ShowCommand:
    """A command of ``nv show``."""

    pattern: str
    """Words behind ``nv show``; a ``<name>`` is handed to ``data``."""
    data: Callable[..., Data | None]
    """From the system and the names; None: there is no such thing."""
    table: Callable[[Data], str] | None = None


@cache
def _show_commands() -> tuple[tuple[re.Pattern[str], ShowCommand], ...]:
    found: list[tuple[re.Pattern[str], ShowCommand]] = []
    for info in pkgutil.iter_modules(show_output.__path__):
        module = importlib.import_module(f"{show_output.__name__}.{info.name}")
        for pattern, data, table in module.SHOWS:
            words = (r"(\S+)" if word.startswith("<") else re.escape(word) for word in pattern.split())
            found.append((re.compile(" ".join(words)), ShowCommand(pattern, data, table)))
    # Words come before names: `interface lldp` is no interface called lldp.
    return tuple(sorted(found, key=lambda row: [word.startswith("<") for word in row[1].pattern.split()]))


async def show(run: Run) -> int:
    """Print show output."""
    form = run.value("-o", "--output") or "auto"
    view = run.value("--view", "-w")
    if view is not None:
        run.words.append(view)
    if run.option("--applied") or run.value("--rev") == "applied":
        return _configured(run, form)
    line = " ".join(run.words)
    for pattern, shown in _show_commands():
        match = pattern.fullmatch(line)
        if match is None:
            continue
        await run.system.switch.links.refresh(run.system.spec.name)
        data = shown.data(run.system, *match.groups())
        if data is None:
            return run.call.fail("Error: The requested item does not exist.")
        run.call.out.append(_printed(data, shown, form))
        return 0
    return run.call.fail(f"Error: Invalid Command: show {line}")


def _configured(run: Run, form: str) -> int:
    """Print what is configured at a path."""
    data = at(run.system.applied, *run.words)
    if not data:
        return run.call.fail("Error: The requested item does not exist.")
    run.call.out.append(json.dumps(data, indent=2) + "\n" if form == "json" else listing(data))
    return 0


def _printed(data: Data, shown: ShowCommand, form: str) -> str:
    if form == "json":
        return json.dumps(data, indent=2) + "\n"
    return (shown.table or listing)(data)


def listing(data: Tree | Data) -> str:
    """Return data as ``nv show`` lists a single object: one property a row, those of a part of it indented."""
    rows = list(_rows(data, ""))
    width = max((len(name) for name, _ in rows), default=0)
    lines = [f"{'':{width}}  operational", f"{'-' * width}  -----------"]
    lines.extend(f"{name:{width}}  {text}".rstrip() for name, text in rows)
    return "\n".join(lines) + "\n"


def _rows(data: Mapping[str, Any], pad: str) -> Iterator[tuple[str, str]]:
    for name, found in data.items():
        if isinstance(found, Mapping) and found:
            yield f"{pad}{name}", ""
            yield from _rows(found, f"{pad}  ")
        else:
            yield f"{pad}{name}", "" if isinstance(found, Mapping) else str(found)


VERBS = {"show": show}
