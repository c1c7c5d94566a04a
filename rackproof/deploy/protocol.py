"""The protocol of a deployment: a step reads one device, compares it with its intent, and changes it."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain
from typing import Protocol, TypeVar

from typing_extensions import override

from rackproof.errors import ValuePath

StateT = TypeVar("StateT")


class Disruption(StrEnum):
    """What a change does to traffic, from least to most."""

    NONE = "none"
    SESSION_RESET = "session-reset"
    """A routing session is torn down and comes back."""
    PORT_RESET = "port-reset"
    """A port goes down, or loses its traffic, for a moment."""
    SWITCHD_RESTART = "switchd-restart"
    """Every port of the switch goes down for a moment."""
    REBOOT = "reboot"
    """The switch restarts."""

    @property
    def rank(self) -> int:
        """Position in the order from least to most."""
        return list(Disruption).index(self)


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between the state of a device and its intent."""

    path: ValuePath
    """Path in the device's intent; ``("unexpected", line)`` for a line that the intent does not account for."""
    before: object
    """Present value; None: there is none."""
    after: object
    """Intended value; None: there is none."""
    text: str
    """Such as ``Ethernet 1/3: MTU 9100 → 9216``."""
    disruption: Disruption = Disruption.NONE
    disturbs: tuple[str, ...] = ()
    """Present users of what this change interrupts (``gpu-001 on Eth1/3/1``); empty: none."""

    @override
    def __str__(self) -> str:
        if self.disruption is Disruption.NONE:
            return self.text
        return f"{self.text} ({self.disruption.replace('-', ' ')})"


def disturbed_users(changes: Iterable[Change]) -> tuple[str, ...]:
    """Return the users that changes interrupt, each once."""
    return tuple(dict.fromkeys(chain.from_iterable(change.disturbs for change in changes)))


class Outcome(StrEnum):
    """How a step ended."""

    UNCHANGED = "unchanged"
    """The device was as intended already."""
    CHANGED = "changed"
    """The device was changed, confirmed and saved."""
    ROLLED_BACK = "rolled back"
    """The step failed; the device has its previous configuration, and that was verified."""
    RETURNING = "returning"
    """The step failed and the device does not answer; its own timer rolls it back."""
    FAILED = "failed"
    """The step failed and could not be rolled back; a person must check the device."""
    UNKNOWN = "unknown"
    """The device could not be read, so nothing was changed."""
    UNTOUCHED = "untouched"
    """The step was not begun, or refused before anything was sent."""


@dataclass(frozen=True, slots=True)
class Applied:
    """What a successful step did."""

    commands: tuple[str, ...] = ()
    """Lines sent to the device, in order; no secrets."""
    pending: tuple[str, ...] = ()
    """Links and sessions that are down because their peer is not deployed yet; the fabric gate checks them again."""
    notes: tuple[str, ...] = field(default=())
    """Information that fails nothing, such as a server that is not up yet."""


class Step(Protocol[StateT]):
    """One unit of a deployment: a switch, a fabric gate, a host.

    Cancelling ``apply`` or ``remove`` finishes the device or rolls it back before the cancellation takes effect.
    """

    @property
    def name(self) -> str:
        """Name, unique in a run: the device's."""
        ...

    @property
    def depends_on(self) -> tuple[str, ...]:
        """Names of the steps that must have succeeded before."""
        ...

    @property
    def redundancy_group(self) -> str:
        """Steps of one group are never applied at the same time."""
        ...

    async def read(self) -> StateT:
        """Return the live state.

        Raises
        ------
        DeviceError
            The device does not answer, or its output is not that of its kind.
        """
        ...

    def diff(self, state: StateT) -> tuple[Change, ...]:
        """Return the changes from the state to the intent; empty: none. Pure."""
        ...

    async def apply(self, changes: tuple[Change, ...]) -> Applied:
        """Apply the changes, confirm and save them; or roll the device back.

        Raises
        ------
        DeviceError
            The step failed; the error names the state of the device.
        """
        ...

    async def remove(self) -> Applied:
        """Remove everything but the base configuration of the device.

        Raises
        ------
        DeviceError
            The step failed; the error names the state of the device.
        """
        ...
