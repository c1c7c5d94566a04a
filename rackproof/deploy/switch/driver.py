"""What a NOS's module offers to a deployment, and how it is found."""

import importlib
import threading
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Protocol, cast

from rackproof.deploy.events import Report
from rackproof.deploy.protocol import Disruption
from rackproof.deploy.switch.diff import Difference
from rackproof.deploy.switch.job import Patience, SwitchTask
from rackproof.deploy.switch.operational_state import Surroundings
from rackproof.deploy.switch.stage import Stage
from rackproof.errors import BadInputError
from rackproof.plan.model.plan import SwitchIntent
from rackproof.render.config_tree import ConfigTree

if TYPE_CHECKING:
    from rackproof.deploy.switch.change_session import SwitchInHand


class Driver(Protocol):
    """A module of ``rackproof.deploy.switch.nos``."""

    RUNNING: str
    """Command of the device's shell that prints the running configuration."""
    SURROUNDINGS: str
    """Command that prints ports, neighbours and sessions."""

    def InHand(  # noqa: N802 a class
        self, task: SwitchTask, driver: "Driver", patience: Patience, report: Report, stop: threading.Event
    ) -> "SwitchInHand":
        """Take a switch in hand: how it is changed, and how it gets back."""
        ...

    def checked_running(self, text: str) -> str:
        """Return what ``RUNNING`` printed, or raise AttemptError where that is no configuration."""
        ...

    def surroundings_of(self, text: str) -> Surroundings:
        """Return what ``SURROUNDINGS`` printed."""
        ...

    def without(self, tree: ConfigTree, unmanaged: tuple[str, ...]) -> ConfigTree:
        """Return a configuration without what begins as one of the unmanaged starts."""
        ...

    def text_of(self, tree: ConfigTree, running: str) -> str:
        """Return a part of a running configuration as text that the NOS's parser reads, in the words of the whole."""
        ...

    def shown(self, chains: tuple[str, ...], matters: Callable[[str], bool]) -> tuple[str, ...]:
        """Return those lines that matter, each given behind its blocks, as a person who knows the NOS reads them."""
        ...

    def next_stage(self, running: ConfigTree, intended: ConfigTree, printed: str = "") -> Stage | None:
        """Return the next stage on the way from one configuration to another; None: they agree.

        ``printed`` is the running configuration as the device prints it: where releases differ in their words, the
        lines are in its own.
        """
        ...

    def disruption(self, difference: Difference, running: SwitchIntent) -> Disruption:
        """Return what a difference does to traffic when a switch that is configured so is changed."""
        ...


@cache
def driver_of(nos: str) -> Driver:
    """Return the module of a NOS, found by its name.

    Raises
    ------
    BadInputError
        Rackproof cannot deploy to this NOS.
    """
    module = f"rackproof.deploy.switch.nos.{nos.replace('-', '_')}"
    try:
        return cast("Driver", importlib.import_module(module))
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise BadInputError(f"Rackproof renders {nos}, but cannot deploy to it", f"no {module}") from error
