"""Controls one switch with Enterprise SONiC: its CLI session, its return timer and its restarts."""

import asyncio
import threading
from abc import ABC

from typing_extensions import override

from rackproof.connect.device_thread import DeviceThread
from rackproof.connect.errors import CommandError, UnreachableError
from rackproof.deploy.events import Report
from rackproof.deploy.switch.change_session import ChangeSession
from rackproof.deploy.switch.device_lock import clock_text
from rackproof.deploy.switch.job import SwitchTask, Timeouts
from rackproof.deploy.switch.nos.enterprise_sonic import return_timer
from rackproof.deploy.switch.nos.enterprise_sonic.cli_session import SonicCli
from rackproof.deploy.switch.nos_rules import NosRules
from rackproof.deploy.switch.stage import Stage


class SonicDevice(ChangeSession, ABC):
    """What a change and a rollback of Enterprise SONiC both use; parameters as of `ChangeSession`."""

    def __init__(
        self, task: SwitchTask, rules: NosRules, timeouts: Timeouts, report: Report, stop: threading.Event
    ) -> None:
        super().__init__(task, rules, timeouts, report, stop)
        self.restarted = False
        """Whether a stage that restarts the switch was begun."""
        self.saved = False
        """Whether a save was begun, so that the startup configuration may have changed."""
        self.due_epoch_s = 0
        """When the return timer fires, by the switch's clock."""
        self._thread = DeviceThread(task.device)
        self._cli: SonicCli | None = None

    # --- the return timer

    async def arm(self, *, restarts: bool = False) -> None:
        """Arm the return timer, or move its time; raises CommandError or UnreachableError.

        Parameters
        ----------
        restarts
            Whether the switch restarts first, which adds ``restart_s``.
        """
        now = int(await self.shell(return_timer.CLOCK))
        wait_s = self.timeouts.return_after_s + (self.timeouts.restart_s if restarts else 0)
        self.due_epoch_s = now + int(wait_s)
        await self.shell(return_timer.arm(self.due_epoch_s))

    @property
    def due_text(self) -> str:
        """When the return timer fires, as text."""
        return clock_text(self.due_epoch_s)

    # --- the CLI session

    async def type_stage(self, stage: Stage) -> None:
        """Type the lines of a stage; raises CommandError, also when the user asks to stop."""
        cli = await self.cli()
        await self._thread.call(cli.type_lines, stage.lines, self.note)

    async def type_restarting_line(self, line: str) -> None:
        """Type a line that restarts the switch by itself; raises CommandError."""
        cli = await self.cli()
        await self._thread.call(cli.restart_by, line, self.note)

    async def undo(self, stage: Stage) -> None:
        """Type the lines of a stage of a rollback, even if the user asked to stop; raises CommandError."""
        cli = await self.cli()
        await self._thread.call(cli.type_lines, stage.lines, self.sent.append)

    async def write_memory(self) -> None:
        """Save the running configuration as startup; raises CommandError."""
        cli = await self.cli()
        await self._thread.call(cli.save)

    async def cli(self) -> SonicCli:
        """Return the CLI session; opens one if there is none."""
        if self._cli is None:
            self._cli = await self._thread.call(SonicCli, self.task.target)
        return self._cli

    async def close_cli(self) -> None:
        """Close the CLI session, if there is one, and wait for it."""
        cli, self._cli = self._cli, None
        if cli is not None:
            await self._thread.call(cli.close)

    def abandon_cli(self) -> None:
        """Leave a CLI session that may hang to its thread, and use a new thread from now on."""
        self.close()
        self._thread = DeviceThread(self.task.device)

    @override
    def close(self) -> None:
        cli, self._cli = self._cli, None
        if cli is not None:
            self._thread.leave(cli.close)
        self._thread.stop()

    # --- restarts

    async def restart(self, command: str) -> None:
        """Run a command that restarts the switch, so that its connection breaks."""
        try:
            await self.shell(command)
        except (CommandError, UnreachableError):
            self.report("the switch went down")

    async def await_restart(self, boot: str, limit_s: float) -> None:
        """Wait until the switch has restarted and its configuration no longer changes.

        Parameters
        ----------
        boot
            Output of ``BOOT`` before the restart.
        limit_s
            How long to wait for each.

        Raises
        ------
        CommandError
            The switch did not restart, or does not answer, within the limit.
        """

        async def restarted() -> bool:
            return await self.shell(return_timer.BOOT) != boot

        async def is_settled() -> bool:
            before = await self.running()
            await asyncio.sleep(self.timeouts.settle_s)
            return before == await self.running()

        await self.until(restarted, limit_s, f"it did not restart within {limit_s:g} s")
        await self.until(is_settled, limit_s, f"its configuration did not settle within {limit_s:g} s of the restart")

    async def until_it_answers(self, limit_s: float) -> None:
        """Wait until the switch answers; raises CommandError when it does not within the limit."""

        async def answers() -> bool:
            return bool(await self.shell(return_timer.BOOT))

        await self.until(answers, limit_s, f"no answer within {limit_s:g} s")
