"""What goes wrong on a device: which device, why, what state it is in now, how to go on."""

from rackproof.deploy.step import Outcome
from rackproof.errors import BadInputError, RackproofError


class StepError(RackproofError):
    """A step did not go well.

    Parameters
    ----------
    device
        Name of the device, or of what the step is about.
    cause
        What happened, without the device's name.
    outcome
        What the device is now.
    hint
        How to go on.
    commands
        Lines that were sent before it went wrong.
    """

    def __init__(
        self, device: str, cause: str, outcome: Outcome, hint: str = "", commands: tuple[str, ...] = ()
    ) -> None:
        super().__init__(f"{device}: {cause}", hint)
        self.device = device
        self.cause = cause
        self.outcome = outcome
        self.commands = commands


class UnreachableError(StepError):
    """The device does not answer, so nothing can be said about it."""

    def __init__(self, device: str, cause: str, hint: str = "") -> None:
        super().__init__(device, cause, Outcome.UNKNOWN, hint)


class HostKeyError(UnreachableError):
    """The device shows another host key than the one that was recorded, or none was recorded."""


class LoginError(UnreachableError):
    """The device does not accept the user's credentials."""


class UnreadableError(UnreachableError):
    """The device answers, but not what a device of its kind answers."""


class RefusedError(StepError):
    """The step was refused before anything was sent to the device."""

    def __init__(self, device: str, cause: str, hint: str = "") -> None:
        super().__init__(device, cause, Outcome.UNTOUCHED, hint)


class CablingError(RefusedError):
    """The device's neighbours contradict the plan."""


class DisruptionRefusedError(RefusedError):
    """The change would interrupt somebody, and nobody allowed that."""


class CredentialError(BadInputError):
    """A credential reference leads to nothing that can be used."""


class SiteBusyError(RackproofError):
    """Another deployment of the same site is under way."""


class AttemptError(Exception):
    """Something failed while a device was being changed; the change decides what becomes of the device."""

    def __init__(self, cause: str, hint: str = "") -> None:
        super().__init__(cause)
        self.cause = cause
        self.hint = hint
