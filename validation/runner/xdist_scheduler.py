"""Grouping: the tests of a device stay together on one of xdist's processes, which reads its facts once."""

from typing import Any

from xdist.scheduler import LoadScopeScheduling

SITE = "site"
"""Group of everything that is not of one device: live checks run one at a time."""


class DeviceScheduling(LoadScopeScheduling):  # type: ignore[misc]  # published without types
    """xdist's scheduling by scope, where a device is a scope.

    xdist's own ``loadgroup`` reads its groups from names that it writes into tests, and where that fails, as on pytest
    9.2.0, it says nothing and scatters them.
    """

    def _split_scope(self, nodeid: str) -> str:
        """Return the device in brackets at the end of a test's name."""
        _, bracket, device = nodeid.partition("[")
        return device.removesuffix("]") if bracket else SITE


def scheduler(config: Any, log: Any) -> DeviceScheduling:  # noqa: ANN401 xdist's
    """Return what xdist hands tests out with."""
    return DeviceScheduling(config, log)
