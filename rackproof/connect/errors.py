"""Errors of connections and commands: device, cause and hint. They carry no outcome of a deployment."""

from rackproof.errors import BadInputError, RackproofError


class DeviceError(RackproofError):
    """A device could not be read or changed.

    Parameters
    ----------
    device
        Name of the device.
    cause
        What happened, without the device's name.
    hint
        How to go on.
    """

    def __init__(self, device: str, cause: str, hint: str = "") -> None:
        super().__init__(f"{device}: {cause}", hint)
        self.device = device
        self.cause = cause


class UnreachableError(DeviceError):
    """The device does not answer, so its state is unknown."""


class HostKeyError(UnreachableError):
    """The device shows another host key than the one that was recorded, or none was recorded."""


class LoginError(UnreachableError):
    """The device does not accept the user's credentials."""


class UnreadableError(UnreachableError):
    """The device answers, but its output is not that of its kind."""


class CredentialError(BadInputError):
    """A credential reference cannot be resolved."""


class CommandError(Exception):
    """One command or transfer failed; the caller decides what that means for the device."""

    def __init__(self, cause: str, hint: str = "") -> None:
        super().__init__(cause)
        self.cause = cause
        self.hint = hint
