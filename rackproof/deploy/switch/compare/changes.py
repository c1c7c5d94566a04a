"""The changes of a switch: differences as text, with their disruption and impact."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from rackproof.deploy.protocol import Change, Disruption
from rackproof.deploy.switch.compare.change_text import change_text
from rackproof.deploy.switch.compare.diff import Difference, differences
from rackproof.deploy.switch.compare.impact import users_disturbed
from rackproof.deploy.switch.compare.managed_config import has_line
from rackproof.deploy.switch.driver import find_driver
from rackproof.deploy.switch.job import SwitchTask
from rackproof.deploy.switch.operational_state import OperationalState
from rackproof.deploy.switch.settings import SettingChanges
from rackproof.plan.model.plan import SwitchIntent
from rackproof.render.config_tree import ConfigTree
from rackproof.render.switch import ParsedConfiguration

UNEXPECTED = "unexpected"
SETTING = "setting"
MISSING = "missing"


@dataclass(frozen=True)
class Comparison:
    """Running configuration and intent of a switch."""

    task: SwitchTask
    intent: SwitchIntent
    running: ConfigTree
    intended: ConfigTree
    parsed: ParsedConfiguration
    """The running configuration as an intent, with the lines that it does not account for."""
    operational: OperationalState

    def changes(self) -> tuple[Change, ...]:
        """Return all changes: values in the order of the intent, then lines that belong to no value."""
        running = self.parsed.intent
        # The dialect is a property of the release, not a setting of the switch.
        found = [*differences(running, replace(self.intent, dialect=running.dialect))]
        driver = find_driver(self.task.nos.model)
        changes = [self._change(one, driver.disruption(one, running)) for one in found]
        lines = [*self._settings(), *self._unexpected(), *self._missing()]
        stage = driver.next_stage(self.running, self.intended)
        if stage and stage.restarts and all(change.disruption is not Disruption.REBOOT for change in changes):
            lines = [self._with_disruption(line, Disruption.REBOOT) for line in lines]
        return (*changes, *lines)

    def _change(self, difference: Difference, disruption: Disruption) -> Change:
        return self._with_users(Change(*difference, change_text(difference), disruption))

    def _with_disruption(self, change: Change, disruption: Disruption) -> Change:
        return self._with_users(replace(change, disruption=disruption))

    def _with_users(self, change: Change) -> Change:
        running = self.parsed.intent
        users = users_disturbed(self.task, running, change.path, change.disruption, self.operational)
        return replace(change, disturbs=users)

    @cached_property
    def _unexpected_chains(self) -> tuple[str, ...]:
        """The running lines that the intent does not account for, each behind its blocks."""
        return tuple(chain for chain in self.parsed.unknown if not has_line(self.intended, chain))

    @cached_property
    def _missing_chains(self) -> tuple[str, ...]:
        """The lines that the running configuration lacks for the values that it sets, each behind its blocks."""
        return tuple(chain for chain in self.parsed.missing if has_line(self.intended, chain))

    @cached_property
    def _in_words(self) -> SettingChanges:
        return find_driver(self.task.nos.model).settings(self.parsed.unknown, self.parsed.missing, self.intended)

    def _settings(self) -> Iterator[Change]:
        """Yield the settings that lines express, in words; ports with the same change are one."""
        for one in self._in_words.changes:
            yield Change((SETTING, one.key), one.before, one.after, one.text)

    def _unexpected(self) -> Iterator[Change]:
        """Yield the other lines that the intent does not account for."""
        for line in self._shown(self.parsed.unknown, frozenset(self._unexpected_chains)):
            yield Change((UNEXPECTED, line), line, None, f"unexpected line `{line}`: removed")

    def _missing(self) -> Iterator[Change]:
        """Yield the other lines that the running configuration lacks."""
        for line in self._shown(self.parsed.missing, frozenset(self._missing_chains)):
            yield Change((MISSING, line), None, line, f"missing line `{line}`: added")

    def _shown(self, chains: tuple[str, ...], matter: frozenset[str]) -> tuple[str, ...]:
        raw = matter - self._in_words.lines
        return find_driver(self.task.nos.model).shown(chains, raw.__contains__)
