"""Runs steps: in the order of their dependencies, one at a time in a redundancy group, all others at once."""

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
    """Why, without the step's name; empty where the outcome says all."""
    hint: str = ""
    changes: tuple[Change, ...] = ()
    """What differed before."""
    applied: Applied = field(default_factory=Applied)

    @property
    def succeeded(self) -> bool:
        """Whether the step is as intended now."""
        return self.outcome in SUCCEEDED


@dataclass(frozen=True, slots=True)
class Compared:
    """A step's live state against its intent: the changes, or why it could not be told."""

    step: str
    changes: tuple[Change, ...] = ()
    error: DeviceError | None = None
    state: object = None
    """What was read."""


async def compare(steps: Sequence[Step[Any]], report: Report) -> tuple[Compared, ...]:
    """Read and compare all steps at once.

    Parameters
    ----------
    steps
        What to compare.
    report
        Told of each step that is done.
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
    """One run of steps; cancelling it lets nothing new begin and every device in hand end well.

    Parameters
    ----------
    steps
        What to bring about.
    compared
        What was found for them before; a step that is not in it is read and compared in its turn.
    report
        Where progress is told.
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
        """Group to its member that did not go well; one that does not even answer holds the others back at once."""
        self._ended: dict[str, asyncio.Future[StepResult]] = {}
        self.in_progress: set[str] = set()
        """Steps that are being applied; those whose work was broken off stay in it."""
        self.interrupted = False
        """Whether the user stopped the run."""

    async def all(self) -> tuple[StepResult, ...]:
        """Run every step to its end and return how each ended, in the order given."""
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
            return StepResult(step.name, Outcome.UNTOUCHED, f"it needs {', '.join(broken)}, which did not go well")
        async with self._groups[step.redundancy_group]:
            culprit = self._failed_groups.get(step.redundancy_group)
            if culprit not in {None, step.name}:
                text = f"{culprit} of the same redundancy group did not go well, so this one keeps carrying traffic"
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
