"""The change session of Cumulus Linux: a patch that NVUE applies with commit-confirm, which is also the rollback."""

import asyncio
import threading
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final

from typing_extensions import override

from rackproof.connect.errors import CommandError, UnreachableError
from rackproof.deploy.errors import RefusedError
from rackproof.deploy.events import Report
from rackproof.deploy.protocol import Outcome
from rackproof.deploy.switch.change_session import AS_BEFORE, ChangeSession, Return
from rackproof.deploy.switch.job import SwitchTask, Timeouts
from rackproof.deploy.switch.nos.cumulus import commit_confirm
from rackproof.deploy.switch.nos.cumulus.changes import SET, UNSET, next_stage, paths, running_release
from rackproof.deploy.switch.nos_rules import NosRules
from rackproof.deploy.switch.operational_state import OperationalState
from rackproof.deploy.switch.stage import Stage
from rackproof.deploy.switch.unfinished import Unfinished
from rackproof.render.nos.cumulus.document import read_document, write_set, write_unset
from rackproof.render.nos.cumulus.grouping import group
from rackproof.render.nos.cumulus.tree import tree_from_paths
from rackproof.render.switch import owned_tree

SETTLE_READS: Final = 10
"""Reads of a switch whose ports still come up, before its state is judged."""

UNDO_LIMIT: Final = 2
"""Patches at most to undo a change that was confirmed already."""


class NvueChangeSession(ChangeSession):
    """Changes one switch with Cumulus Linux; parameters as of `ChangeSession`."""

    def __init__(
        self, task: SwitchTask, rules: NosRules, timeouts: Timeouts, report: Report, stop: threading.Event
    ) -> None:
        super().__init__(task, rules, timeouts, report, stop)
        self._due_epoch_s = 0
        """When NVUE rolls back an unconfirmed revision, by the switch's clock; 0: none was applied."""

    @property
    def due_text(self) -> str:
        """When NVUE rolls back an unconfirmed revision, as text."""
        return datetime.fromtimestamp(self._due_epoch_s, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")

    @override
    def close(self) -> None:
        """Do nothing: every command has a connection of its own."""

    # --- apply and confirm

    @override
    async def prepare(self) -> None:
        self.report("checking that a rollback is possible")
        try:
            self.check_stop()
            if self.lock.took_over_changes:
                await self._detach()
            await self._refuse_pending_changes()
            await self.shell(commit_confirm.ROOM)
            await self.lock.renew()
        except (CommandError, UnreachableError) as error:
            cause = f"not touched, because no rollback could be prepared: {error.cause}"
            raise RefusedError(self.task.device, cause, error.hint) from error

    async def _refuse_pending_changes(self) -> None:
        """Refuse a switch with pending changes, which NVUE would apply together with ours.

        Raises
        ------
        RefusedError
            ``nv config diff`` shows changes.
        """
        pending = (await self.shell(commit_confirm.PENDING)).strip()
        if pending:
            cause = f"the switch has pending changes, which this deployment would apply too: {brief(pending)}"
            hint = "apply or discard them (`nv config detach`), and run it again"
            raise RefusedError(self.task.device, cause, hint)

    @override
    async def apply(self, stage: Stage, *, first: bool) -> None:
        if not first:
            line = stage.lines[0]
            raise CommandError(f"the switch accepts lines that its running configuration then lacks, such as `{line}`")
        self.report(f"{stage.title}: {len(stage.lines)} lines")
        running = await self.running()
        for line in stage.lines:
            self.note(line)
        await self._patch(running, stage)
        self.check_stop()
        await self._apply_with_confirm()
        await self._settle()

    async def _patch(self, running: str, stage: Stage) -> None:
        """Patch the pending configuration, and verify that ``nv config diff`` shows this change and no other.

        Raises
        ------
        CommandError
            NVUE refuses the patch, or something else is pending.
        """
        release = running_release(running)
        unset, new = paths(stage.lines, UNSET), paths(stage.lines, SET)
        if unset:
            await self.shell(commit_confirm.patch_command("unset"), write_unset(tree_from_paths(unset), release))
        if new:
            tree = tree_from_paths(new)
            group(tree)
            await self.shell(commit_confirm.patch_command("set"), write_set(tree, release))
        found = commit_confirm.deviation(await self.shell(commit_confirm.PENDING), unset, new, release)
        if found:
            raise CommandError(f"`{commit_confirm.PENDING}` shows {found}")

    async def _apply_with_confirm(self) -> None:
        """Apply the pending configuration with commit-confirm.

        Raises
        ------
        CommandError
            NVUE does not apply it, or no revision awaits confirmation.
        """
        self.report("applying with commit-confirm")
        minutes = commit_confirm.whole_minutes(self.timeouts.return_after_s)
        command = commit_confirm.apply_command(minutes)
        self.note(command)
        self._due_epoch_s = int(await self.shell(commit_confirm.CLOCK)) + 60 * minutes
        printed = await self.shell(command, limit_s=commit_confirm.APPLY_LIMIT_S)
        if commit_confirm.revision_awaiting_confirmation(await self.shell(commit_confirm.REVISIONS)) is None:
            raise CommandError(f"after `{command}` no revision awaits confirmation; it printed: {brief(printed)}")

    async def _settle(self) -> None:
        """Wait until no more ports come up: broken-out ports go down, and all ports where switchd restarts."""
        up: frozenset[str] | None = None
        with suppress(UnreachableError):  # the confirmation waits until the switch answers
            for _ in range(SETTLE_READS):
                state = (await self.read_state()).operational or OperationalState()
                now = frozenset(port for port in state.ports if state.up(port))
                if now == up:
                    return
                up = now
                await asyncio.sleep(self.timeouts.settle_s)

    @override
    async def commit(self) -> None:
        revision = commit_confirm.revision_awaiting_confirmation(await self.shell(commit_confirm.REVISIONS))
        if revision is None:
            raise CommandError("NVUE rolled the revision back before it was confirmed")
        await self._send(commit_confirm.end_command(revision, confirm=True))
        if (await self.shell(commit_confirm.UNSAVED)).strip():
            await self._send(commit_confirm.SAVE)

    async def _send(self, command: str) -> None:
        """Send a command even if the user asked to stop; raises CommandError or UnreachableError."""
        self.sent.append(command)
        await self.shell(command, limit_s=commit_confirm.APPLY_LIMIT_S)

    @override
    async def finish(self, unfinished: Unfinished) -> None:
        if unfinished.armed:
            await self.commit()
        else:
            await self._send(commit_confirm.SAVE)

    # --- roll back

    async def _detach(self) -> None:
        """Discard the pending changes of a deployment that has ended; raises CommandError or UnreachableError."""
        if (await self.shell(commit_confirm.PENDING)).strip():
            await self._send(commit_confirm.DETACH)

    @override
    async def return_now(self) -> None:
        revision = commit_confirm.revision_awaiting_confirmation(await self.shell(commit_confirm.REVISIONS))
        if revision is not None:
            await self._send(commit_confirm.end_command(revision, confirm=False))
        await self._settle()

    @override
    async def rollback(self, before: str, *, wait: bool) -> Return:
        self.report("rolling back")

        async def answers() -> bool:
            return bool(await self.shell(commit_confirm.ANSWERS))

        limit_s = self.timeouts.unreachable_s
        try:
            await self.until(answers, limit_s, f"no answer within {limit_s:g} s")
            return await self._restored(before)
        except (CommandError, UnreachableError) as error:
            return await self._await_confirm_timeout(before, error.cause, wait=wait)

    async def _restored(self, before: str) -> Return:
        """Reject the revision, discard pending changes, undo a confirmed change, and verify the configuration.

        Raises
        ------
        CommandError
            The switch refuses a command, or the connection breaks.
        """
        revision = commit_confirm.revision_awaiting_confirmation(await self.shell(commit_confirm.REVISIONS))
        if revision is not None:
            await self._send(commit_confirm.end_command(revision, confirm=False))
        await self._detach()
        for _ in range(UNDO_LIMIT):
            now = await self.running()
            if same(now, before):
                return AS_BEFORE
            await self._undo(now, before)
        text = "the switch rolled back, but its configuration differs from the one before the change"
        return Return(Outcome.FAILED, text, "compare with `rackproof diff`, and check the switch before going on")

    async def _undo(self, now: str, before: str) -> None:
        """Patch a confirmed change back; raises CommandError or UnreachableError."""
        self.report("undoing the confirmed change")
        have, want = (owned_tree(self.task.nos.model, text) for text in (now, before))
        stage = next_stage(have, want, now)
        if stage is not None:
            await self._patch(now, stage)
            await self._send("nv config apply -y")

    async def _await_confirm_timeout(self, before: str, reason: str, *, wait: bool) -> Return:
        """Leave a switch that does not answer to NVUE's own rollback, and wait for it if the user asked to."""
        if not self._due_epoch_s:
            text = f"the switch does not answer ({reason}); nothing had been applied yet"
            return Return(Outcome.ROLLED_BACK, text, "find out why it does not answer, and run it again")
        if not wait:
            text = f"the switch does not answer ({reason}); its own timer rolls it back at {self.due_text}"
            return Return(Outcome.RETURNING, text, "wait until then, find out why it does not answer, and run it again")
        self.report(f"waiting for its own timer, due at {self.due_text}")

        async def has_returned() -> bool:
            return same(await self.running(), before)

        limit_s = self.timeouts.return_after_s + self.timeouts.restart_s
        try:
            await self.until(has_returned, limit_s, "it has not rolled back")
        except CommandError as error:
            text = (
                f"the switch should have rolled back by its own timer at {self.due_text}, but has not ({error.cause})"
            )
            return Return(Outcome.FAILED, text, "connect to its console")
        return Return(Outcome.ROLLED_BACK, "the switch is as it was before, rolled back by its own timer")


def same(one: str, other: str) -> bool:
    """Whether two running configurations are equal, whatever the order of their lines."""
    return one == other or read_document(one).tree == read_document(other).tree


def brief(text: str) -> str:
    """Return an output on one line, cut after 120 characters."""
    words = " ".join(text.split())
    return words if len(words) <= 120 else f"{words[:120]}..."
