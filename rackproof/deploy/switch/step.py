"""The step that deploys one switch."""

import asyncio
import threading
from collections.abc import Coroutine
from dataclasses import replace
from functools import cached_property
from typing import Any, TypeVar

from rackproof.deploy.errors import RefusedError
from rackproof.deploy.events import Report, unreported
from rackproof.deploy.protocol import Applied, Change
from rackproof.deploy.switch.change_session import ChangeSession
from rackproof.deploy.switch.compare.changes import Comparison
from rackproof.deploy.switch.compare.managed_config import managed_tree
from rackproof.deploy.switch.confirmation import verdict
from rackproof.deploy.switch.device_lock import holding
from rackproof.deploy.switch.driver import find_driver
from rackproof.deploy.switch.job import SwitchOptions, SwitchTask
from rackproof.deploy.switch.operational_state import OperationalState
from rackproof.deploy.switch.preconditions import refuse_address_change, refuse_disruption, refuse_wrong_cabling
from rackproof.deploy.switch.read import SwitchState, read_switch
from rackproof.deploy.switch.transaction import Goal, apply_goal, finish, return_now
from rackproof.plan.model.plan import SwitchIntent
from rackproof.render.config_tree import ConfigTree
from rackproof.render.switch import ParsedConfiguration, parse_switch, render_switch

T = TypeVar("T")


class SwitchStep:
    """Reads, compares and changes one switch.

    Parameters
    ----------
    task
        The switch and its intent.
    options
        Options of the user.
    confirmed
        Names of the switches that are deployed and confirmed, shared by the steps of a run.
    report
        Called with each progress event.
    """

    def __init__(
        self,
        task: SwitchTask,
        options: SwitchOptions | None = None,
        confirmed: set[str] | None = None,
        report: Report = unreported,
    ) -> None:
        self.task = task
        self.options = options or SwitchOptions()
        self.confirmed = set() if confirmed is None else confirmed
        self.report = report
        self._driver = find_driver(task.nos.model)

    @property
    def name(self) -> str:
        """Name of the switch."""
        return self.task.device

    @property
    def depends_on(self) -> tuple[str, ...]:
        """Names of the steps that must have succeeded before."""
        return self.task.depends_on

    @property
    def redundancy_group(self) -> str:
        """Switches of one group are never changed at the same time."""
        return self.task.redundancy_group

    @cached_property
    def intended_tree(self) -> ConfigTree:
        """The intended configuration, as far as Rackproof owns it."""
        return self._tree(render_switch(self.task.nos.model, self.task.model, self.task.intent))

    async def read(self) -> SwitchState:
        """Return the running configuration, and the operational state too if the configuration differs from the intent.

        Raises
        ------
        UnreachableError
            It does not answer, or its output is not that of its NOS.
        """
        state = await read_switch(self.task.target, self._driver, self._is_intended)
        if state.operational is None and not state.unfinished:
            self.confirmed.add(self.name)
        return state

    def diff(self, state: SwitchState) -> tuple[Change, ...]:
        """Return the changes from the state that was read to the intent; empty: none. Pure."""
        unfinished = self.unfinished_changes(state)
        return (*unfinished, *self._changes(state, self.task.intent, self.intended_tree))

    def unfinished_changes(self, state: SwitchState) -> tuple[Change, ...]:
        """Return the changes that finish or return an interrupted deployment; empty: there was none."""
        if not state.unfinished:
            return ()
        return tuple(state.unfinished.changes(intended=self._is_intended(state.running)))

    def found(self, state: SwitchState) -> ParsedConfiguration:
        """Parse the running configuration into an intent; unknown and missing lines are as the NOS writes them."""
        parsed = self._parsed(self._tree(state.running), state.running)
        unknown, missing = (self._driver.shown(chains, bool) for chains in (parsed.unknown, parsed.missing))
        return replace(parsed, unknown=unknown, missing=missing)

    async def apply(self, changes: tuple[Change, ...]) -> Applied:
        """Apply the changes, confirm and save them; or roll the switch back.

        A cancellation finishes the change or rolls it back; the outcome says which.

        Raises
        ------
        DeviceError
            The step failed; the error names the state of the switch.
        """
        stop = threading.Event()
        return await shielded(self._apply(changes, stop), stop)

    async def remove(self) -> Applied:
        """Remove everything but the base configuration: host name, management, users and host keys stay.

        Raises
        ------
        DeviceError
            The step failed; the error names the state of the switch.
        """
        stop = threading.Event()
        return await shielded(self._remove(stop), stop)

    async def pending(self) -> tuple[str, ...]:
        """Return the links and sessions to other switches that are not up.

        Raises
        ------
        UnreachableError
            The switch does not answer.
        """
        now = (
            await read_switch(self.task.target, self._driver, lambda _running: False)
        ).operational or OperationalState()
        seen = verdict(self.task, self.task.intent, OperationalState(), now, ())
        return (*seen.pending, *seen.contradicting)

    async def _apply(self, changes: tuple[Change, ...], stop: threading.Event) -> Applied:
        session = self._session(stop)
        async with holding(session.lock):
            self._report_cleared(session)
            session.report("reading again")
            before = await session.read_state()
            fresh = self.diff(before)
            if fresh != changes and {change.text for change in fresh} != {change.text for change in changes}:
                cause = "the running configuration changed since it was compared: something else configures the switch"
                raise RefusedError(self.name, cause, "run `rackproof diff` again, and apply what it then shows")
            done = await self._reach(session, self._goal(self.task.intent, self.intended_tree), before)
        self.confirmed.add(self.name)
        return done

    async def _reach(self, session: ChangeSession, goal: Goal, before: SwitchState) -> Applied:
        """Bring a switch to a goal; an interrupted deployment is finished if its result is the goal, else returned."""
        notes = tuple(filter(None, (session.lock.cleared,)))
        self._refuse(before, goal)
        if before.unfinished.armed and self._tree(before.running) != goal.tree:
            before = await return_now(session, before)
            notes = (*notes, "the switch was returned from an interrupted deployment first")
            self._refuse(before, goal)
        if self._tree(before.running) != goal.tree:
            if not self.options.allow_disruption and goal.intent is self.task.intent:
                refuse_disruption(self.task, self._changes(before, goal.intent, goal.tree))
            done = await apply_goal(session, goal, before)
        else:
            done = await finish(session, goal, before) if before.unfinished else Applied()
        return replace(done, notes=(*notes, *done.notes))

    def _refuse(self, before: SwitchState, goal: Goal) -> None:
        """Raise RefusedError where the preconditions of a deployment do not hold; a removal has none."""
        if goal.intent is self.task.intent:
            refuse_address_change(self.task, self._changes(before, goal.intent, goal.tree))
            refuse_wrong_cabling(self.task, before.operational or OperationalState())

    def _report_cleared(self, session: ChangeSession) -> None:
        if session.lock.cleared:
            session.report(session.lock.cleared)

    async def _remove(self, stop: threading.Event) -> Applied:
        session = self._session(stop)
        async with holding(session.lock):
            self._report_cleared(session)
            before = await session.read_state()
            base = base_intent(self.found(before).intent)
            tree = self._tree(render_switch(self.task.nos.model, self.task.model, base))
            return await self._reach(session, self._goal(base, tree), before)

    def _changes(self, state: SwitchState, intent: SwitchIntent, intended: ConfigTree) -> tuple[Change, ...]:
        running = self._tree(state.running)
        if running == intended:
            return ()
        operational = state.operational or OperationalState()
        parsed = self._parsed(running, state.running)
        return Comparison(self.task, intent, running, intended, parsed, operational).changes()

    def _goal(self, intent: SwitchIntent, tree: ConfigTree) -> Goal:
        return Goal(intent, tree, self.options.wait_for_return, self.confirmed)

    def _session(self, stop: threading.Event) -> ChangeSession:
        return self._driver.Session(self.task, self._driver, self.options.timeouts, self.report, stop)

    def _is_intended(self, running: str) -> bool:
        return self._tree(running) == self.intended_tree

    def _parsed(self, managed: ConfigTree, running: str) -> ParsedConfiguration:
        return parse_switch(self.task.nos.model, self.task.model, self._driver.configuration_text(managed, running))

    def _tree(self, text: str) -> ConfigTree:
        return managed_tree(self.task.nos.model, text, self.task.unmanaged)


def base_intent(running: SwitchIntent) -> SwitchIntent:
    """Return the base configuration of a switch: only what makes it reachable."""
    return replace(
        running,
        ntp=(),
        dns=(),
        syslog=(),
        breakouts={},
        ports={},
        port_channels={},
        vlans={},
        loopback=None,
        anycast_mac=None,
        bgp=None,
        vxlan=None,
        roce=None,
        telemetry=None,
        lldp=True,
        vrfs={},
        policy=None,
        dhcp_relays={},
        default_route=None,
    )


async def shielded(work: Coroutine[Any, Any, T], stop: threading.Event) -> T:
    """Run work on a device to its end; a cancellation only sets ``stop``, and the work ends itself."""
    task = asyncio.ensure_future(work)
    while True:
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise
            stop.set()
