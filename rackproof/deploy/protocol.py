"""The one protocol of a deployment: a step reads one thing, says what would change, and changes it."""

from dataclasses import dataclass, field
from enum import StrEnum
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
    """One thing that would be different afterwards, as a person reads it."""

    path: ValuePath
    """Where it stands in the device's intent; ``("unexpected", line)`` for a line that nothing accounts for."""
    before: object
    """Value that the device has; None: it has none."""
    after: object
    """Value that it will have; None: it will have none."""
    text: str
    """Such as ``Ethernet 1/3: MTU 9100 → 9216``."""
    disruption: Disruption = Disruption.NONE
    disturbs: tuple[str, ...] = ()
    """Who uses now what this change interrupts (``gpu-001 on Eth1/3/1``); empty: nobody."""

    @override
    def __str__(self) -> str:
        if self.disruption is Disruption.NONE:
            return self.text
        return f"{self.text} ({self.disruption.replace('-', ' ')})"


class Outcome(StrEnum):
    """How a step ended."""

    UNCHANGED = "unchanged"
    """It was as intended already."""
    CHANGED = "changed"
    """It was changed, confirmed and saved."""
    ROLLED_BACK = "rolled back"
    """Something failed; it is as it was before, and that was verified."""
    RETURNING = "returning"
    """Something failed and the device does not answer; its own timer takes it back."""
    FAILED = "failed"
    """Something failed, and what the device is now could not be put right; a person must look."""
    UNKNOWN = "unknown"
    """It could not be read, so nothing was done to it."""
    UNTOUCHED = "untouched"
    """It was not begun, or refused before anything was sent."""


@dataclass(frozen=True, slots=True)
class Applied:
    """What a step did when it went well."""

    commands: tuple[str, ...] = ()
    """Lines sent to the device, in order; no secrets."""
    pending: tuple[str, ...] = ()
    """What cannot be up yet because its other end is not deployed; the fabric's gate looks again."""
    notes: tuple[str, ...] = field(default=())
    """What a person should know and that fails nothing, such as a server that does not answer yet."""


class Step(Protocol[StateT]):
    """Something deployed as a whole: a switch, a gate; later storage, nodes, a cluster.

    Cancelling ``apply`` or ``remove`` finishes the device in hand or rolls it back before the cancellation goes on.
    """

    @property
    def name(self) -> str:
        """Name, unique in a run: the device's."""
        ...

    @property
    def depends_on(self) -> tuple[str, ...]:
        """Names of the steps that must have gone well before."""
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
            The device does not answer, or answers something else than a device of its kind.
        """
        ...

    def diff(self, state: StateT) -> tuple[Change, ...]:
        """Return what differs between the state and the intent; empty: nothing. Pure."""
        ...

    async def apply(self, changes: tuple[Change, ...]) -> Applied:
        """Bring the changes about, confirm and save them; or leave the device as it was.

        Raises
        ------
        DeviceError
            It did not go well; the error says what the device is now.
        """
        ...

    async def remove(self) -> Applied:
        """Take the device back to its base configuration.

        Raises
        ------
        DeviceError
            It did not go well; the error says what the device is now.
        """
        ...
