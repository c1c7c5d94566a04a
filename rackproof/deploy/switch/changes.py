"""The changes of a switch: differences as text, with their disruption and impact."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from rackproof.deploy.protocol import Change, Disruption
from rackproof.deploy.switch.change_text import change_text
from rackproof.deploy.switch.diff import Difference, differences
from rackproof.deploy.switch.driver import find_driver
from rackproof.deploy.switch.impact import users_disturbed
from rackproof.deploy.switch.job import SwitchTask
from rackproof.deploy.switch.managed_config import has_line
from rackproof.deploy.switch.operational_state import OperationalState
from rackproof.plan.model.plan import SwitchIntent
from rackproof.render.config_tree import ConfigTree
from rackproof.render.switch import ParsedConfiguration

UNEXPECTED = "unexpected"
MISSING = "missing"


@dataclass(frozen=True, slots=True)
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
        lines = [*self._unexpected(), *self._missing()]
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

    def _unexpected(self) -> Iterator[Change]:
        """Yield the running lines that the intent does not account for."""
        for line in self._shown(self.parsed.unknown, lambda chain: not has_line(self.intended, chain)):
            yield Change((UNEXPECTED, line), line, None, f"unexpected line `{line}`: removed")

    def _missing(self) -> Iterator[Change]:
        """Yield the lines that the running configuration lacks for the values that it sets."""
        for line in self._shown(self.parsed.missing, lambda chain: has_line(self.intended, chain)):
            yield Change((MISSING, line), None, line, f"missing line `{line}`: added")

    def _shown(self, chains: tuple[str, ...], matters: Callable[[str], bool]) -> tuple[str, ...]:
        return find_driver(self.task.nos.model).shown(chains, matters)
