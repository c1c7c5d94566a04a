"""A switch with Cumulus Linux in hand: a patch applied on trial, which is its own way back."""

import asyncio
import threading
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final

from typing_extensions import override

from rackproof.connect.errors import AttemptError, UnreachableError
from rackproof.deploy.errors import RefusedError
from rackproof.deploy.events import Report
from rackproof.deploy.protocol import Outcome
from rackproof.deploy.switch.change_session import AS_BEFORE, Return, SwitchInHand
from rackproof.deploy.switch.driver import Driver
from rackproof.deploy.switch.job import Patience, SwitchTask
from rackproof.deploy.switch.nos.cumulus import commit_confirm
from rackproof.deploy.switch.nos.cumulus.changes import SET, UNSET, next_stage, paths, release_of
from rackproof.deploy.switch.operational_state import Surroundings
from rackproof.deploy.switch.stage import Stage
from rackproof.render.nos.cumulus.document import read_document, write_set, write_unset
from rackproof.render.nos.cumulus.grouping import group
from rackproof.render.nos.cumulus.tree import tree_from_paths
from rackproof.render.switch import owned_tree

SETTLE_LOOKS: Final = 10
"""Looks at a switch whose ports still come up, before it is judged all the same."""

UNDO_LIMIT: Final = 2
"""Patches that may be needed to undo what was confirmed already."""


class NvueInHand(SwitchInHand):
    """One switch with Cumulus Linux while it is being changed; parameters as of `SwitchInHand`."""

    def __init__(
        self, task: SwitchTask, driver: Driver, patience: Patience, report: Report, stop: threading.Event
    ) -> None:
        super().__init__(task, driver, patience, report, stop)
        self._due_epoch_s = 0
        """When the trial ends by itself, by the switch's clock; 0: none was begun."""

    @property
    def due_text(self) -> str:
        """When the trial ends by itself, for a person."""
        return datetime.fromtimestamp(self._due_epoch_s, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")

    @override
    def let_go(self) -> None:
        """Nothing holds the switch: every command has a connection of its own."""

    # --- there

    @override
    async def prepare(self) -> None:
        self.tell("looking for a way back")
        device = self.task.device
        try:
            self.check_stop()
            waiting = commit_confirm.revision_on_trial(await self.shell(commit_confirm.REVISIONS))
            if waiting is not None:
                cause = f"an earlier deployment was cut off; revision {waiting} is on trial, and the switch returns"
                hint = (
                    f"wait for that, or end it with `{commit_confirm.end_command(waiting, keep=False)}` on the switch"
                )
                raise RefusedError(device, f"{cause} by itself", hint)
            pending = (await self.shell(commit_confirm.PENDING)).strip()
            if pending:
                cause = f"somebody has changes pending on the switch that applying would bring along: {brief(pending)}"
                raise RefusedError(device, cause, "apply or discard them (`nv config detach`), and run it again")
            await self.shell(commit_confirm.ROOM)
        except (AttemptError, UnreachableError) as error:
            cause = f"not touched, because no way back could be prepared: {error.cause}"
            raise RefusedError(device, cause, error.hint) from error

    @override
    async def bring_about(self, stage: Stage, *, first: bool) -> None:
        if not first:
            raise AttemptError(f"the switch accepts the lines and does not keep them, such as `{stage.lines[0]}`")
        self.tell(f"{stage.title}: {len(stage.lines)} lines")
        running = await self.running()
        for line in stage.lines:
            self.note(line)
        await self._patch(running, stage)
        self.check_stop()
        await self._begin_trial()
        await self._settle()

    async def _patch(self, running: str, stage: Stage) -> None:
        """Make the change pending, and look whether what is pending is what was meant.

        Raises
        ------
        AttemptError
            NVUE refuses it, or would apply something else.
        """
        release = release_of(running)
        unset, new = paths(stage.lines, UNSET), paths(stage.lines, SET)
        if unset:
            await self.shell(commit_confirm.patch_command("unset"), write_unset(tree_from_paths(unset), release))
        if new:
            tree = tree_from_paths(new)
            group(tree)
            await self.shell(commit_confirm.patch_command("set"), write_set(tree, release))
        found = commit_confirm.deviation(await self.shell(commit_confirm.PENDING), unset, new, release)
        if found:
            raise AttemptError(f"`{commit_confirm.PENDING}` shows {found}")

    async def _begin_trial(self) -> None:
        """Apply what is pending on trial.

        Raises
        ------
        AttemptError
            NVUE does not apply it.
        """
        self.tell("applying on trial")
        minutes = commit_confirm.minutes_of(self.patience.return_after_s)
        command = commit_confirm.begin_command(minutes)
        self.note(command)
        self._due_epoch_s = int(await self.shell(commit_confirm.CLOCK)) + 60 * minutes
        said = await self.shell(command, limit_s=commit_confirm.APPLY_LIMIT_S)
        if commit_confirm.revision_on_trial(await self.shell(commit_confirm.REVISIONS)) is None:
            raise AttemptError(f"`{command}` did not begin a trial, but said: {brief(said)}")

    async def _settle(self) -> None:
        """Give ports time to come up: they go down where they are split, and all of them where switchd restarts."""
        up: frozenset[str] | None = None
        with suppress(UnreachableError):  # whoever confirms the change waits for the switch to answer
            for _ in range(SETTLE_LOOKS):
                around = (await self.look()).surroundings or Surroundings()
                now = frozenset(port for port in around.ports if around.up(port))
                if now == up:
                    return
                up = now
                await asyncio.sleep(self.patience.settle_s)

    @override
    async def keep(self) -> None:
        revision = commit_confirm.revision_on_trial(await self.shell(commit_confirm.REVISIONS))
        if revision is None:
            raise AttemptError("the trial was over before it was confirmed")
        await self._send(commit_confirm.end_command(revision, keep=True))
        if (await self.shell(commit_confirm.UNSAVED)).strip():
            await self._send(commit_confirm.SAVE)

    async def _send(self, command: str) -> None:
        """Send a command whoever wants to stop; raises AttemptError or UnreachableError."""
        self.sent.append(command)
        await self.shell(command, limit_s=commit_confirm.APPLY_LIMIT_S)

    # --- and back

    @override
    async def take_back(self, before: str, *, wait: bool) -> Return:
        self.tell("rolling back")

        async def answers() -> bool:
            return bool(await self.shell(commit_confirm.ANSWERS))

        limit_s = self.patience.unreachable_s
        try:
            await self.until(answers, limit_s, f"no answer within {limit_s:g} s")
            return await self._returned(before)
        except (AttemptError, UnreachableError) as error:
            return await self._left_to_trial(before, error.cause, wait=wait)

    async def _returned(self, before: str) -> Return:
        """End the trial, discard what is pending, undo what was kept, and look whether the switch is as before.

        Raises
        ------
        AttemptError
            The switch refuses it, or breaks off.
        """
        revision = commit_confirm.revision_on_trial(await self.shell(commit_confirm.REVISIONS))
        if revision is not None:
            await self._send(commit_confirm.end_command(revision, keep=False))
        if (await self.shell(commit_confirm.PENDING)).strip():
            await self._send(commit_confirm.DETACH)
        for _ in range(UNDO_LIMIT):
            now = await self.running()
            if same(now, before):
                return AS_BEFORE
            await self._undo(now, before)
        text = "the switch returned, and its configuration still is not what it was before"
        return Return(Outcome.FAILED, text, "compare with `rackproof diff`, and look at the switch before going on")

    async def _undo(self, now: str, before: str) -> None:
        """Patch back what was confirmed already; raises AttemptError or UnreachableError."""
        self.tell("undoing what was kept")
        have, want = (owned_tree(self.task.nos.model, text) for text in (now, before))
        stage = next_stage(have, want, now)
        if stage is not None:
            await self._patch(now, stage)
            await self._send("nv config apply -y")

    async def _left_to_trial(self, before: str, reason: str, *, wait: bool) -> Return:
        """Leave a switch that does not answer to the end of its trial, and wait for that where somebody asked to."""
        if not self._due_epoch_s:
            text = f"the switch does not answer ({reason}); nothing had been applied yet"
            return Return(Outcome.ROLLED_BACK, text, "find out why it does not answer, and run it again")
        if not wait:
            text = f"the switch does not answer ({reason}); its own timer returns it to what it was at {self.due_text}"
            return Return(Outcome.RETURNING, text, "wait until then, find out why it does not answer, and run it again")
        self.tell(f"waiting for its own timer, due at {self.due_text}")

        async def has_returned() -> bool:
            return same(await self.running(), before)

        limit_s = self.patience.return_after_s + self.patience.restart_s
        try:
            await self.until(has_returned, limit_s, "it has not returned")
        except AttemptError as error:
            text = f"the switch should have returned by its own timer at {self.due_text}, and has not ({error.cause})"
            return Return(Outcome.FAILED, text, "connect to its console")
        return Return(Outcome.ROLLED_BACK, "the switch is as it was before, returned by its own timer")


def same(one: str, other: str) -> bool:
    """Whether two running configurations say the same, in whatever order."""
    return one == other or read_document(one).tree == read_document(other).tree


def brief(text: str) -> str:
    """Return a print-out on one line, cut where it is long."""
    words = " ".join(text.split())
    return words if len(words) <= 120 else f"{words[:120]}..."
