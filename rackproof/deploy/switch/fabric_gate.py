"""The gate of a fabric: the last step, which waits until no link or session between its switches is pending."""

import asyncio
from collections.abc import Sequence
from itertools import chain

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
        Timeouts of the confirmation.
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
        """Names of all switches of the fabric."""
        return tuple(step.name for step in self._switches)

    @property
    def redundancy_group(self) -> str:
        """A group of its own: a fabric gate changes nothing."""
        return self.name

    async def read(self) -> tuple[str, ...]:
        """Return the links and sessions that are pending.

        Raises
        ------
        UnreachableError
            A switch does not answer.
        """
        found = await asyncio.gather(*(step.pending() for step in self._switches))
        by_switch = zip(self._switches, found, strict=True)
        return tuple(chain.from_iterable(named(step.name, pending) for step, pending in by_switch))

    def diff(self, state: tuple[str, ...]) -> tuple[Change, ...]:
        """Return a change for each pending link or session."""
        return tuple(Change(("pending", pending), "down", "up", f"{pending} is not up") for pending in state)

    async def apply(self, changes: tuple[Change, ...]) -> Applied:
        """Wait until nothing is pending.

        Raises
        ------
        StepError
            Something is still pending.
        """
        pending: tuple[str, ...] = tuple(str(change.path[1]) for change in changes)
        try:
            async with asyncio.timeout(self._timeouts.confirm_s):
                while pending:
                    await asyncio.sleep(self._timeouts.poll_s)
                    pending = await self.read()
        except TimeoutError as error:
            cause = f"still not up after {self._timeouts.confirm_s:g} s: {'; '.join(pending)}"
            hint = "check the cables and optics of these ports; the switches themselves are configured as intended"
            raise StepError(self.name, cause, Outcome.FAILED, hint) from error
        return Applied()

    async def remove(self) -> Applied:
        """Return at once: a fabric gate changes nothing."""
        return Applied()


def named(switch: str, pending: Sequence[str]) -> tuple[str, ...]:
    """Return what is pending on a switch, each with the switch's name."""
    return tuple(f"{switch}: {one}" for one in pending)
