"""The interface of a network operating system of the lab."""

from collections.abc import Iterable
from typing import Protocol

from lab.switches.device_state import DeviceState
from lab.switches.forwarding import Forwarding


class Nos(Protocol):
    """A network operating system on one switch."""

    @property
    def host_name(self) -> str:
        """Configured host name."""
        ...

    @property
    def state(self) -> DeviceState:
        """Configured state of ports and BGP."""
        ...

    @property
    def forwarding(self) -> Forwarding:
        """How the configuration forwards packets."""
        ...

    def login_prompt(self) -> str:
        """Return the prompt of the login shell."""
        ...

    def install(self) -> None:
        """Write the startup configuration of a switch with its first settings from the console."""
        ...

    def boot(self) -> None:
        """Put the startup configuration into force."""
        ...

    async def type_lines(self, lines: Iterable[str]) -> tuple[str, ...]:
        """Type configuration lines and return the answers to the refused ones."""
        ...

    def pfc_lines(self, port: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the configuration lines that switch PFC off on a port, and those that restore its present setting."""
        ...

    def running_configuration(self) -> str:
        """Return the running configuration in the form of the NOS."""
        ...

    def save(self) -> None:
        """Save the running configuration as startup configuration."""
        ...
