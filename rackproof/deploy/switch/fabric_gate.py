"""The gate at the end of a fabric: nothing between its switches may still be pending."""

import asyncio
from collections.abc import Sequence

from rackproof.deploy.errors import StepError
from rackproof.deploy.protocol import Applied, Change, Outcome
from rackproof.deploy.switch.job import Timeouts
from rackproof.deploy.switch.step import SwitchStep


class FabricGateStep:
    """Waits until every link and session between the switches of a fabric is up.

    Parameters
    ----------
    fabric
        Name of the fabric.
    switches
        The steps of all its switches.
    timeouts
        How long to wait.
    """

    def __init__(self, fabric: str, switches: Sequence[SwitchStep], timeouts: Timeouts) -> None:
        self.fabric = fabric
        self._switches = tuple(switches)
        self._timeouts = timeouts

    @property
    def name(self) -> str:
        """Name of the step."""
        return f"{self.fabric}/gate"

    @property
    def depends_on(self) -> tuple[str, ...]:
        """Every switch of the fabric."""
        return tuple(step.name for step in self._switches)

    @property
    def redundancy_group(self) -> str:
        """A gate changes nothing: it is a group of its own."""
        return self.name

    async def read(self) -> tuple[str, ...]:
        """Return what is pending.

        Raises
        ------
        UnreachableError
            A switch does not answer.
        """
        found = await asyncio.gather(*(step.pending() for step in self._switches))
        return tuple(
            f"{step.name}: {pending}" for step, those in zip(self._switches, found, strict=True) for pending in those
        )

    def diff(self, state: tuple[str, ...]) -> tuple[Change, ...]:
        """Return each thing that is not up."""
        return tuple(Change(("pending", pending), "down", "up", f"{pending} is not up") for pending in state)

    async def apply(self, changes: tuple[Change, ...]) -> Applied:
        """Wait until nothing is pending.

        Raises
        ------
        StepError
            Something still is.
        """
        pending: tuple[str, ...] = tuple(str(change.path[1]) for change in changes)
        try:
            async with asyncio.timeout(self._timeouts.confirm_s):
                while pending:
                    await asyncio.sleep(self._timeouts.poll_s)
                    pending = await self.read()
        except TimeoutError as error:
            cause = f"still not up after {self._timeouts.confirm_s:g} s: {'; '.join(pending)}"
            hint = "look at cables and optics of these ports; the switches themselves are configured as intended"
            raise StepError(self.name, cause, Outcome.FAILED, hint) from error
        return Applied()

    async def remove(self) -> Applied:
        """Return at once: a gate leaves nothing behind."""
        return Applied()
