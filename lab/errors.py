"""What can go wrong with a lab, in words a person can act on."""

from rackproof.errors import RackproofError


class LabError(RackproofError):
    """The lab could not do what was asked."""


class UnknownFaultError(LabError):
    """No fault of that name, or parameters it does not take."""


class LabNotRunningError(LabError):
    """There is no lab to talk to."""

    def __init__(self) -> None:
        super().__init__("no lab is running", "`rackproof lab up` starts it")
