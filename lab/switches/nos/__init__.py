"""The NOSes a lab switch can run: one folder each, found by its name, with a class ``Nos`` and its ``USER`` in it."""

import importlib
from collections.abc import Iterable, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Protocol

from lab.errors import LabError
from lab.switches.device_state import DeviceState
from lab.switches.forwarding import Forwarding
from lab.switches.shell.call import Program

if TYPE_CHECKING:
    from lab.switches.switch import LabSwitch


class Nos(Protocol):
    """A network operating system on one switch."""

    @property
    def host_name(self) -> str:
        """Name of the machine, as it is configured."""
        ...

    @property
    def programs(self) -> Mapping[str, Program]:
        """What its shell has beside coreutils and systemd."""
        ...

    @property
    def state(self) -> DeviceState:
        """Ports and BGP as they are configured."""
        ...

    @property
    def forwarding(self) -> Forwarding:
        """What the configuration means for packets."""
        ...

    def login_prompt(self) -> str:
        """Return the prompt of the login shell."""
        ...

    def install(self) -> None:
        """Write the startup configuration of a switch that was just set up at its console."""
        ...

    def boot(self) -> None:
        """Put the startup configuration into force."""
        ...

    async def type_lines(self, lines: Iterable[str]) -> tuple[str, ...]:
        """Type configuration lines and return what was answered to the refused ones."""
        ...

    def lines_of_pfc(self, port: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the configuration lines that switch PFC off on a port, and those that put it back as it is now."""
        ...

    def running_configuration(self) -> str:
        """Return the configuration in force, as the NOS shows it."""
        ...

    def save(self) -> None:
        """Make the configuration in force the one of the next boot."""
        ...


def create(switch: "LabSwitch") -> Nos:
    """Return the NOS of a switch.

    Raises
    ------
    LabError
        The lab has no such NOS.
    """
    nos: Nos = _module(switch.spec.nos).Nos(switch)
    return nos


def user_of(name: str) -> str:
    """Return the name of the account that a NOS is delivered with.

    Raises
    ------
    LabError
        The lab has no such NOS.
    """
    user: str = _module(name).USER
    return user


def _module(name: str) -> ModuleType:
    try:
        return importlib.import_module(f"lab.switches.nos.{name.replace('-', '_')}")
    except ModuleNotFoundError as error:
        raise LabError(
            f"the lab has no NOS called {name}", "a NOS of the lab is a folder of lab/switches/nos/"
        ) from error
