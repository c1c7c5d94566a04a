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
from rackproof.deploy.switch.change_session import SwitchInHand
from rackproof.deploy.switch.changes import Comparison
from rackproof.deploy.switch.confirmation import verdict
from rackproof.deploy.switch.driver import driver_of
from rackproof.deploy.switch.job import SwitchOptions, SwitchTask
from rackproof.deploy.switch.managed_config import managed_tree
from rackproof.deploy.switch.operational_state import Surroundings
from rackproof.deploy.switch.preconditions import refuse_disruption, refuse_losing_it, refuse_wrong_cabling
from rackproof.deploy.switch.read import SwitchState, look
from rackproof.deploy.switch.transaction import Goal, bring_about
from rackproof.plan.model.plan import SwitchIntent
from rackproof.render.config_tree import ConfigTree
from rackproof.render.switch import ParsedConfiguration, parse_switch, render_switch

T = TypeVar("T")


class SwitchStep:
    """Reads, compares and changes one switch.

    Parameters
    ----------
    task
        The switch and what it is meant to be.
    options
        What the user allows and wishes.
    confirmed
        Names of the switches that are deployed and confirmed, shared by the steps of a run.
    report
        Where progress is told.
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
        self._driver = driver_of(task.nos.model)

    @property
    def name(self) -> str:
        """Name of the switch."""
        return self.task.device

    @property
    def depends_on(self) -> tuple[str, ...]:
        """Names of the steps that must have gone well before."""
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
        """Return what the switch runs, and what it sees around it where that differs from the intent.

        Raises
        ------
        UnreachableError
            It does not answer, or not what a switch of its kind answers.
        """
        state = await look(self.task.target, self._driver, self._is_intended)
        if state.surroundings is None:
            self.confirmed.add(self.name)
        return state

    def diff(self, state: SwitchState) -> tuple[Change, ...]:
        """Return what differs between a switch as it was read and the intent; empty: nothing. Pure."""
        return self._changes(state, self.task.intent, self.intended_tree)

    def found(self, state: SwitchState) -> ParsedConfiguration:
        """Return what a switch that was read is configured to do, its lines as its NOS writes them."""
        parsed = self._parsed(self._tree(state.running), state.running)
        unknown, missing = (self._driver.shown(chains, bool) for chains in (parsed.unknown, parsed.missing))
        return replace(parsed, unknown=unknown, missing=missing)

    async def apply(self, changes: tuple[Change, ...]) -> Applied:
        """Bring the changes about, confirm and save them; or leave the switch as it was.

        A cancellation while the switch is in hand finishes it or rolls it back, and is told by the outcome.

        Raises
        ------
        DeviceError
            It did not go well; the error says what the switch is now.
        """
        stop = threading.Event()
        return await in_one_piece(self._apply(changes, stop), stop)

    async def remove(self) -> Applied:
        """Take the switch back to its base configuration: host name, management, users and host keys stay.

        Raises
        ------
        DeviceError
            It did not go well; the error says what the switch is now.
        """
        stop = threading.Event()
        return await in_one_piece(self._remove(stop), stop)

    async def pending(self) -> tuple[str, ...]:
        """Return the links and sessions to other switches that are not up.

        Raises
        ------
        UnreachableError
            The switch does not answer.
        """
        now = (await look(self.task.target, self._driver, lambda _running: False)).surroundings or Surroundings()
        seen = verdict(self.task, self.task.intent, Surroundings(), now, ())
        return (*seen.pending, *seen.contradicting)

    async def _apply(self, changes: tuple[Change, ...], stop: threading.Event) -> Applied:
        hand = self._hand(stop)
        hand.tell("looking again")
        before = await hand.look()
        fresh = self.diff(before)
        if fresh != changes and {change.text for change in fresh} != {change.text for change in changes}:
            cause = "it is not what it was when it was compared: somebody else changes it"
            raise RefusedError(self.name, cause, "compare again, and apply what is shown then")
        if not fresh:
            self.confirmed.add(self.name)
            return Applied()
        refuse_losing_it(self.task, fresh)
        refuse_wrong_cabling(self.task, before.surroundings or Surroundings())
        if not self.options.allow_disruption:
            refuse_disruption(self.task, fresh)
        done = await bring_about(hand, self._goal(self.task.intent, self.intended_tree), before)
        self.confirmed.add(self.name)
        return done

    async def _remove(self, stop: threading.Event) -> Applied:
        hand = self._hand(stop)
        before = await hand.look()
        base = base_intent(self.found(before).intent)
        tree = self._tree(render_switch(self.task.nos.model, self.task.model, base))
        if not self._changes(before, base, tree):
            return Applied()
        return await bring_about(hand, self._goal(base, tree), before)

    def _changes(self, state: SwitchState, intent: SwitchIntent, intended: ConfigTree) -> tuple[Change, ...]:
        running = self._tree(state.running)
        if running == intended:
            return ()
        around = state.surroundings or Surroundings()
        return Comparison(self.task, intent, running, intended, self._parsed(running, state.running), around).changes()

    def _goal(self, intent: SwitchIntent, tree: ConfigTree) -> Goal:
        return Goal(intent, tree, self.options.wait_for_return, self.confirmed)

    def _hand(self, stop: threading.Event) -> SwitchInHand:
        return self._driver.InHand(self.task, self._driver, self.options.patience, self.report, stop)

    def _is_intended(self, running: str) -> bool:
        return self._tree(running) == self.intended_tree

    def _parsed(self, managed: ConfigTree, running: str) -> ParsedConfiguration:
        return parse_switch(self.task.nos.model, self.task.model, self._driver.text_of(managed, running))

    def _tree(self, text: str) -> ConfigTree:
        return managed_tree(self.task.nos.model, text, self.task.unmanaged)


def base_intent(running: SwitchIntent) -> SwitchIntent:
    """Return the base configuration of a switch: what makes it reachable, and nothing else."""
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


async def in_one_piece(work: Coroutine[Any, Any, T], stop: threading.Event) -> T:
    """Run work on a device to its end; a cancellation sets ``stop``, and the work decides how it ends."""
    task = asyncio.ensure_future(work)
    while True:
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            if task.cancelled():
                raise
            stop.set()
