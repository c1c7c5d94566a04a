"""Runs steps in the order of their dependencies: one at a time in a redundancy group, all others at once."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rackproof.connect.errors import DeviceError
from rackproof.deploy.errors import StepError, outcome_after
from rackproof.deploy.events import Ended, Progressed, Report
from rackproof.deploy.protocol import Applied, Change, Outcome, Step

SUCCEEDED = frozenset({Outcome.UNCHANGED, Outcome.CHANGED})


@dataclass(frozen=True, slots=True)
class StepResult:
    """How one step ended."""

    step: str
    outcome: Outcome
    text: str = ""
    """Cause, without the step's name; empty: the outcome suffices."""
    hint: str = ""
    changes: tuple[Change, ...] = ()
    """Differences before the step."""
    applied: Applied = field(default_factory=Applied)

    @property
    def succeeded(self) -> bool:
        """Whether the device is as intended now."""
        return self.outcome in SUCCEEDED


@dataclass(frozen=True, slots=True)
class Compared:
    """Live state of a step compared with its intent: the changes, or the error of reading it."""

    step: str
    changes: tuple[Change, ...] = ()
    error: DeviceError | None = None
    state: object = None
    """The state that was read."""


async def compare(steps: Sequence[Step[Any]], report: Report) -> tuple[Compared, ...]:
    """Read and compare all steps at once.

    Parameters
    ----------
    steps
        Steps to compare.
    report
        Called for each compared step.
    """

    async def one(step: Step[Any]) -> Compared:
        try:
            state = await step.read()
            compared = Compared(step.name, step.diff(state), state=state)
        except DeviceError as error:
            compared = Compared(step.name, error=error)
        report(Progressed(step.name, "compared"))
        return compared

    return tuple(await asyncio.gather(*map(one, steps)))


class Run:
    """One run of steps; after a cancellation no step begins, and every step in progress finishes or rolls back.

    Parameters
    ----------
    steps
        Steps to run.
    compared
        Results of an earlier comparison; a step without one is read and compared in its turn.
    report
        Called with each progress event.
    """

    def __init__(self, steps: Iterable[Step[Any]], compared: Iterable[Compared], report: Report) -> None:
        self._steps: Mapping[str, Step[Any]] = {step.name: step for step in steps}
        self._compared = {one.step: one for one in compared}
        self._report = report
        self._groups = {step.redundancy_group: asyncio.Lock() for step in self._steps.values()}
        self._failed_groups = {
            step.redundancy_group: step.name
            for step in self._steps.values()
            if (known := self._compared.get(step.name)) is not None and known.error is not None
        }
        """Group to its failed member, which holds the others back; a member that cannot be read fails at once."""
        self._ended: dict[str, asyncio.Future[StepResult]] = {}
        self.in_progress: set[str] = set()
        """Steps that are being applied; those that were cancelled stay in it."""
        self.interrupted = False
        """Whether the user stopped the run."""

    async def all(self) -> tuple[StepResult, ...]:
        """Run every step to its end and return the results in the order given."""
        tasks = {name: asyncio.create_task(self._one(step), name=name) for name, step in self._steps.items()}
        self._ended = dict(tasks)
        try:
            await asyncio.wait(tasks.values())
        except asyncio.CancelledError:
            self.interrupted = True
            for task in tasks.values():
                task.cancel()
            await asyncio.wait(tasks.values())
        return tuple(task.result() for task in tasks.values())

    async def _one(self, step: Step[Any]) -> StepResult:
        try:
            result = await self._in_turn(step)
        except asyncio.CancelledError:
            if step.name in self.in_progress:
                raise
            result = StepResult(step.name, Outcome.UNTOUCHED, "the run was interrupted before its turn came")
        if not result.succeeded:
            self._failed_groups.setdefault(step.redundancy_group, step.name)
        self._report(Ended(step.name, result.outcome, result.text))
        return result

    async def _in_turn(self, step: Step[Any]) -> StepResult:
        needed = [name for name in step.depends_on if name in self._steps]
        if needed:
            await asyncio.wait([self._ended[name] for name in needed])
        broken = [name for name in needed if not self._ended[name].result().succeeded]
        if broken:
            return StepResult(step.name, Outcome.UNTOUCHED, f"it depends on {', '.join(broken)}, which did not succeed")
        async with self._groups[step.redundancy_group]:
            culprit = self._failed_groups.get(step.redundancy_group)
            if culprit not in {None, step.name}:
                text = f"{culprit} of the same redundancy group failed, so this one keeps carrying traffic"
                return StepResult(step.name, Outcome.UNTOUCHED, text)
            return await self._apply(step)

    async def _apply(self, step: Step[Any]) -> StepResult:
        known = self._compared.get(step.name)
        changes: tuple[Change, ...] = ()
        try:
            if known is not None and known.error is not None:
                raise known.error
            changes = step.diff(await step.read()) if known is None else known.changes
            if not changes:
                return StepResult(step.name, Outcome.UNCHANGED)
            self.in_progress.add(step.name)
            applied = await step.apply(changes)
        except DeviceError as error:
            done = Applied(commands=error.commands if isinstance(error, StepError) else ())
            result = StepResult(step.name, outcome_after(error), error.cause, error.hint, changes, done)
        else:
            result = StepResult(step.name, Outcome.CHANGED, changes=changes, applied=applied)
        self.in_progress.discard(step.name)
        return result
