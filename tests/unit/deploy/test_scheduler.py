"""Order, redundancy groups, failures and interruptions, with steps that touch nothing."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest
from typing_extensions import override

from rackproof.connect.errors import UnreachableError
from rackproof.deploy.errors import StepError
from rackproof.deploy.events import Ended, Event
from rackproof.deploy.protocol import Applied, Change, Outcome
from rackproof.deploy.scheduler import Run, StepResult, compare

CHANGE = Change(("hostname",), "a", "b", "hostname a → b")


@dataclass
class Board:
    """What the steps of one test did."""

    order: list[str] = field(default_factory=list)
    in_progress: set[str] = field(default_factory=set)
    most_in_hand: int = 0
    events: list[Event] = field(default_factory=list)


@dataclass
class FakeStep:
    name: str
    board: Board
    redundancy_group: str = ""
    depends_on: tuple[str, ...] = ()
    changes: tuple[Change, ...] = (CHANGE,)
    fails: Outcome | None = None
    unreachable: bool = False
    gate: asyncio.Event | None = None
    begun: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self.redundancy_group = self.redundancy_group or self.name

    async def read(self) -> str:
        await asyncio.sleep(0)
        if self.unreachable:
            raise UnreachableError(self.name, "no answer")
        return "state"

    def diff(self, state: str) -> tuple[Change, ...]:
        assert state == "state"
        return self.changes

    async def apply(self, changes: tuple[Change, ...]) -> Applied:
        assert changes == self.changes
        self.board.order.append(self.name)
        self.board.in_progress.add(self.name)
        self.begun.set()
        self.board.most_in_hand = max(self.board.most_in_hand, len(self.board.in_progress))
        for _ in range(3):
            await asyncio.sleep(0)
        if self.gate is not None:
            await self.gate.wait()
        self.board.in_progress.remove(self.name)
        if self.fails is not None:
            raise StepError(self.name, "refused", self.fails, "look", ("line",))
        return Applied(("line",))

    async def remove(self) -> Applied:
        return Applied()


class FinishingStep(FakeStep):
    """Finishes what is in hand when it is cancelled, as a switch's step does."""

    @override
    async def apply(self, changes: tuple[Change, ...]) -> Applied:
        work = asyncio.ensure_future(super().apply(changes))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            assert self.gate is not None
            self.gate.set()
            return await work


def run(board: Board, *steps: FakeStep) -> dict[str, StepResult]:
    async def whole() -> tuple[StepResult, ...]:
        compared = await compare(steps, board.events.append)
        return await Run(steps, compared, board.events.append).all()

    return {result.step: result for result in asyncio.run(whole())}


@pytest.fixture
def board() -> Board:
    return Board()


def test_everything_independent_runs_at_once(board: Board) -> None:
    steps = [FakeStep(f"leaf-{number}", board) for number in range(300)]
    results = run(board, *steps)
    assert {result.outcome for result in results.values()} == {Outcome.CHANGED}
    assert board.most_in_hand == 300


def test_members_of_a_group_are_changed_one_at_a_time(board: Board) -> None:
    results = run(board, *(FakeStep(name, board, redundancy_group="pair") for name in ("a", "b", "c")))
    assert {result.outcome for result in results.values()} == {Outcome.CHANGED}
    assert board.most_in_hand == 1


def test_dependants_wait(board: Board) -> None:
    run(board, FakeStep("gate", board, depends_on=("a", "b")), FakeStep("a", board), FakeStep("b", board))
    assert board.order[-1] == "gate"


def test_a_failure_stops_its_group_and_its_dependants_only(board: Board) -> None:
    results = run(
        board,
        FakeStep("a", board, redundancy_group="pair", fails=Outcome.ROLLED_BACK),
        FakeStep("b", board, redundancy_group="pair"),
        FakeStep("gate", board, depends_on=("a",)),
        FakeStep("other", board),
    )
    assert {name: result.outcome for name, result in results.items()} == {
        "a": Outcome.ROLLED_BACK,
        "b": Outcome.UNTOUCHED,
        "gate": Outcome.UNTOUCHED,
        "other": Outcome.CHANGED,
    }
    assert "a of the same redundancy group" in results["b"].text
    assert "it depends on a" in results["gate"].text
    assert results["a"].text == "refused"
    assert results["a"].hint == "look"
    assert results["a"].applied.commands == ("line",)
    assert board.order == ["a", "other"]


def test_a_member_that_does_not_answer_holds_the_others_back(board: Board) -> None:
    results = run(
        board,
        FakeStep("a", board, redundancy_group="pair"),
        FakeStep("b", board, redundancy_group="pair", unreachable=True),
    )
    assert results["a"].outcome is Outcome.UNTOUCHED
    assert results["b"].outcome is Outcome.UNKNOWN
    assert not board.order


def test_nothing_is_done_where_nothing_differs(board: Board) -> None:
    results = run(board, FakeStep("a", board, changes=()))
    assert results["a"].outcome is Outcome.UNCHANGED
    assert not board.order


def test_an_interruption_finishes_what_is_in_hand_and_begins_nothing_new(board: Board) -> None:
    async def interrupted() -> tuple[Run, tuple[StepResult, ...]]:
        gate = asyncio.Event()
        first = FinishingStep("a", board, redundancy_group="pair", gate=gate)
        steps = [first, FakeStep("b", board, redundancy_group="pair"), FakeStep("late", board, depends_on=("a",))]
        run = Run(steps, (), board.events.append)
        task = asyncio.create_task(run.all())
        await first.begun.wait()
        assert run.in_progress == {"a"}
        task.cancel()
        return run, await task

    run, results = asyncio.run(interrupted())
    assert run.interrupted
    assert [result.outcome for result in results] == [Outcome.CHANGED, Outcome.UNTOUCHED, Outcome.UNTOUCHED]
    assert board.order == ["a"]
    assert not run.in_progress


def test_a_second_interruption_tells_what_was_in_hand(board: Board) -> None:
    async def broken_off() -> Run:
        step = FakeStep("a", board, gate=asyncio.Event())
        run = Run([step], (), board.events.append)
        task = asyncio.create_task(run.all())
        await step.begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return run

    assert asyncio.run(broken_off()).in_progress == {"a"}


def test_every_end_is_reported_once(board: Board) -> None:
    run(board, FakeStep("a", board), FakeStep("b", board, fails=Outcome.FAILED))
    ended = [event for event in board.events if isinstance(event, Ended)]
    assert sorted((event.step, event.outcome) for event in ended) == [
        ("a", Outcome.CHANGED),
        ("b", Outcome.FAILED),
    ]
