"""What goes wrong while a device is asked: which device, why, and how to go on. No outcome of a deployment."""

from rackproof.errors import BadInputError, RackproofError


class DeviceError(RackproofError):
    """A device could not be asked or changed.

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
    """The device answers, but not what a device of its kind answers."""


class CredentialError(BadInputError):
    """A credential reference leads to nothing that can be used."""


class CommandError(Exception):
    """One command or transfer failed; the caller decides what that means for the device."""

    def __init__(self, cause: str, hint: str = "") -> None:
        super().__init__(cause)
        self.cause = cause
        self.hint = hint
