"""Results of a run of Ansible for each host, from its events: present task, changes, failure."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

LONGEST_CAUSE = 400
"""Characters of a module's message that are shown."""
TROUBLE: Final = frozenset({"runner_on_failed", "runner_on_unreachable"})
Event = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a host stopped."""

    task: str
    """Role and task: ``base : Keep the files``."""
    cause: str
    """Message of the module, on one line."""
    unreachable: bool = False
    """Whether the host did not answer."""


@dataclass(slots=True)
class HostRun:
    """Result of one host in a run of Ansible."""

    changed: list[str] = field(default_factory=list)
    """Tasks that changed something, in order."""
    trouble: Trouble | None = None
    """The last failure."""
    doing: str = ""
    """Its present task, or the last one when the run ended."""
    held_back_by: tuple[str, ...] = ()
    """Hosts of the same run that failed: Ansible may have stopped before this one was done."""
    ended: bool = False
    """Whether Ansible's statistics list it as processed without failure."""


class Follower:
    """Takes the events of one run, in the thread that runs it.

    Parameters
    ----------
    hosts
        Names of the hosts of the run.
    report
        Called with a host and its present task.
    secrets
        Texts that are never shown.
    """

    def __init__(self, hosts: Iterable[str], report: Callable[[str, str], None], secrets: Sequence[str] = ()) -> None:
        self.hosts = {host: HostRun() for host in hosts}
        self.output: list[str] = []
        """Last lines of Ansible's own output."""
        self._report = report
        self._secrets = secrets

    def take(self, event: Event) -> bool:
        """Process an event; return False, so that ansible-runner stores nothing of it on disk."""
        data: Event = event.get("event_data") or {}
        if text := str(event.get("stdout") or "").strip():
            self.output = [*self.output, self.clean(text)][-20:]
        if event.get("event") == "playbook_on_stats":
            self._take_statistics(data)
        elif data.get("host") in self.hosts:
            self._take_host_event(str(event["event"]), data, self.hosts[data["host"]])
        return False

    def clean(self, text: str) -> str:
        """Return a text on one line, short, with every secret starred."""
        for secret in filter(None, (secret.strip() for secret in self._secrets)):
            text = text.replace(secret, "***")
        line = " ".join(re.sub(r"\x1b\[[0-9;]*m", "", text).split())
        return line if len(line) <= LONGEST_CAUSE else f"{line[:LONGEST_CAUSE]}…"

    def _take_host_event(self, kind: str, data: Event, host: HostRun) -> None:
        task = task_title(data)
        if kind == "runner_on_start":
            host.doing = task
            self._report(str(data["host"]), task)
        elif kind in TROUBLE and not data.get("ignore_errors"):
            cause = self.clean(failure_cause(data.get("res") or {}))
            host.trouble = Trouble(task, cause, kind == "runner_on_unreachable")
        elif kind == "runner_on_ok" and (data.get("res") or {}).get("changed"):
            host.changed.append(task)

    def _take_statistics(self, data: Event) -> None:
        """Take Ansible's final statistics; rescued failures are not in them."""
        failed = {*(data.get("failures") or {}), *(data.get("dark") or {})}
        for name, host in self.hosts.items():
            host.held_back_by = tuple(sorted(failed - {name}))
            host.ended = name in (data.get("processed") or {}) and name not in failed
            if host.ended:
                host.trouble = None


def task_title(data: Event) -> str:
    """Return role and name of a task."""
    name = str(data.get("task") or data.get("task_action") or "a task")
    role = str(data.get("role") or "")
    return name if not role or name.startswith(f"{role} : ") else f"{role} : {name}"


def failure_cause(result: Mapping[str, Any]) -> str:
    """Return the cause of a failed module: its message, and the last line of its output."""
    for item in result.get("results") or ():
        if isinstance(item, Mapping) and (item.get("failed") or item.get("unreachable")):
            return failure_cause(item)
    message = str(result.get("msg") or "it failed without a message")
    more = next((text for key in ("module_stderr", "stderr", "module_stdout") if (text := last_line(result, key))), "")
    return message if not more or more in message else f"{message}: {more}"


def last_line(result: Mapping[str, Any], key: str) -> str:
    """Return the last line of what a program printed."""
    lines = str(result.get(key) or "").strip().splitlines()
    return lines[-1].strip() if lines else ""
