"""How a deployment step fails: the cause, and the state in which it leaves the device."""

from rackproof.connect.errors import DeviceError
from rackproof.deploy.protocol import Outcome
from rackproof.errors import RackproofError


class StepError(DeviceError):
    """A deployment step failed.

    Parameters
    ----------
    device
        Name of the device, or of the fabric gate.
    cause
        What happened, without the device's name.
    outcome
        State of the device after the failure.
    hint
        How to go on.
    commands
        Lines that were sent before the failure.
    """

    def __init__(
        self, device: str, cause: str, outcome: Outcome, hint: str = "", commands: tuple[str, ...] = ()
    ) -> None:
        super().__init__(device, cause, hint)
        self.outcome = outcome
        self.commands = commands


class RefusedError(StepError):
    """The step was refused before anything was sent to the device."""

    def __init__(self, device: str, cause: str, hint: str = "") -> None:
        super().__init__(device, cause, Outcome.UNTOUCHED, hint)


class CablingError(RefusedError):
    """The device's neighbors contradict the plan."""


class DisruptionRefusedError(RefusedError):
    """The change would disrupt traffic, and the user did not allow that."""


class SiteBusyError(RackproofError):
    """Another deployment of the same site is under way."""


def outcome_after(error: DeviceError) -> Outcome:
    """Return the state of a device after a step failed: unknown where the device did not answer."""
    return error.outcome if isinstance(error, StepError) else Outcome.UNKNOWN
