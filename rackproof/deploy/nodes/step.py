"""The step that brings up one host."""

import asyncio
import threading
from dataclasses import replace

from rackproof.connect.errors import UnreachableError
from rackproof.deploy.errors import DisruptionRefusedError, RefusedError, StepError
from rackproof.deploy.events import Progressed, Report, unreported
from rackproof.deploy.nodes.change_text import ABSENT, host_changes, unknown_ports
from rackproof.deploy.nodes.firmware_settings import settings_that_differ
from rackproof.deploy.nodes.hints import hint_for
from rackproof.deploy.nodes.job import NodeOptions, NodeTask
from rackproof.deploy.nodes.read_state import NodeState, read_host
from rackproof.deploy.nodes.results import HostRun, Trouble
from rackproof.deploy.nodes.shared_run import SharedRuns
from rackproof.deploy.protocol import Applied, Change, Outcome, disturbed_users
from rackproof.deploy.switch.step import shielded

LEFT_AS_IT_IS = "left as it is: nothing is removed from a host that may be in use; reinstall it to start again"
MOST_DIFFERENCES = 5
"""Differences that a failure names; more are counted."""


class NodeStep:
    """Reads, compares and brings up one host.

    Parameters
    ----------
    task
        The host and its intent.
    runs
        Runs of Ansible that hosts share; one object for all hosts of a site.
    options
        Options of the user.
    report
        Called with each progress event.
    """

    def __init__(
        self,
        task: NodeTask,
        runs: SharedRuns | None = None,
        options: NodeOptions | None = None,
        report: Report = unreported,
    ) -> None:
        self.task = task
        self.options = options or NodeOptions()
        self.report = report
        self._runs = runs or SharedRuns(self.options)

    @property
    def name(self) -> str:
        """Name of the host."""
        return self.task.device

    @property
    def depends_on(self) -> tuple[str, ...]:
        """Names of the switches and fabric gates of the fabrics that the host is connected to."""
        return self.task.depends_on

    @property
    def redundancy_group(self) -> str:
        """Hosts of one group are never brought up, and so never restarted, at the same time."""
        return f"hosts {self.task.redundancy_group}"

    async def read(self) -> NodeState:
        """Return the differences of the host from its intent; its management controller is read at the same time.

        Raises
        ------
        UnreachableError
            It does not answer, hangs, or refuses the login or sudo; the hint ends with how to go on.
        """
        settings = asyncio.create_task(settings_that_differ(self.task))
        try:
            found = await read_host(self.task.target, self.task.holding)
            return replace(found, differences=(*found.differences, *await settings))
        except UnreachableError as error:
            error.hint = f"{error.hint or 'check its console'}; then {self.task.resume}"
            raise
        finally:
            settings.cancel()

    def diff(self, state: NodeState) -> tuple[Change, ...]:
        """Return the changes from the state that was read to the plan; empty: none. Pure."""
        return (*unknown_ports(self.task), *host_changes(state, self.task.holding))

    async def apply(self, changes: tuple[Change, ...]) -> Applied:
        """Bring the host up and verify it; a cancellation ends the run, and the outcome says what was changed.

        Raises
        ------
        StepError
            The step failed; the error names the task, the cause, and how to go on.
        """
        self._refuse_unknown_ports()
        self._refuse_absent(changes)
        self._refuse_disruption(changes)
        stop = threading.Event()
        return await shielded(self._apply(stop), stop)

    async def remove(self) -> Applied:
        """Leave the host as it is: removing files could cut it off or break a running job."""
        return Applied(notes=(LEFT_AS_IT_IS,))

    async def _apply(self, stop: threading.Event) -> Applied:
        done = await self._runs.bring_up(self.task, self.report, stop)
        if stop.is_set() and not done.ended:
            done.trouble = Trouble(done.doing, "interrupted")
        if done.trouble is not None:
            raise self._failure(done, done.trouble)
        self.report(Progressed(self.name, "reading again"))
        left = self.diff(await self.read())
        if left:
            raise self._still_different(left, done)
        return Applied(commands=tuple(done.changed))

    def _failure(self, done: HostRun, trouble: Trouble) -> StepError:
        """Return the error for a host that Ansible could not bring up."""
        before = f"; {len(done.changed)} tasks had changed it before" if done.changed else "; nothing was changed on it"
        word = "unreachable in" if trouble.unreachable else "failed in"
        cause = f"{word} `{trouble.task}`: {trouble.cause}{before}"
        if trouble.cause == "interrupted":
            cause = f"interrupted in `{trouble.task}`{before}"
        outcome = Outcome.FAILED if done.changed else Outcome.UNTOUCHED
        hint = hint_for(f"{word} {trouble.cause}", self.task.resume)
        hint = self.task.resume if trouble.cause == "interrupted" else hint
        return StepError(self.name, cause, outcome, hint, tuple(done.changed))

    def _still_different(self, left: tuple[Change, ...], done: HostRun) -> StepError:
        shown = "; ".join(map(str, left[:MOST_DIFFERENCES]))
        more = f", and {len(left) - MOST_DIFFERENCES} more" if len(left) > MOST_DIFFERENCES else ""
        why = "every task succeeded, but the host still differs"
        if done.held_back_by:
            why = f"not finished, because {', '.join(done.held_back_by)} failed in the same run"
        cause = f"{why}: {shown}{more}"
        hint = f"fix what overrides these settings; then {self.task.resume}"
        return StepError(self.name, cause, Outcome.FAILED, hint, tuple(done.changed))

    def _refuse_unknown_ports(self) -> None:
        """Refuse a host whose port positions are unknown: it could not be brought up completely.

        Raises
        ------
        RefusedError
            The positions are not recorded, or contradict the plan.
        """
        task = self.task
        if task.contradictions:
            cause = f"not touched, because its hardware contradicts the plan: {'; '.join(task.contradictions)}"
            hint = f"place the adapters as planned, or correct the site file; then {task.resume}"
            raise RefusedError(self.name, cause, hint)
        if task.unrecorded:
            cause = f"not touched, because the positions of {', '.join(task.unrecorded)} are not recorded"
            raise RefusedError(self.name, cause, f"`{task.discover}` records it; then {task.resume}")

    def _refuse_absent(self, changes: tuple[Change, ...]) -> None:
        """Refuse a host whose adapters are not in their planned slots.

        Raises
        ------
        RefusedError
            A part of it is missing, or in another slot.
        """
        absent = [change.text for change in changes if change.path[0] == ABSENT]
        if absent:
            cause = f"not touched, because its hardware contradicts the plan: {'; '.join(absent)}"
            hint = (
                "place the adapters as planned, or after a replacement record it, "
                f"`{self.task.discover} --accept {self.name}`; then {self.task.resume}"
            )
            raise RefusedError(self.name, cause, hint)

    def _refuse_disruption(self, changes: tuple[Change, ...]) -> None:
        """Refuse a change that interrupts a job.

        Raises
        ------
        DisruptionRefusedError
            A change interrupts a program that uses the host's GPUs or adapters.
        """
        disturbing = [change for change in changes if change.disturbs]
        if disturbing and not self.options.allow_disruption:
            users = ", ".join(disturbed_users(disturbing))
            cause = f"not touched, because this would interrupt {users}: {'; '.join(map(str, disturbing))}"
            raise DisruptionRefusedError(self.name, cause, "--allow-disruption allows it")
