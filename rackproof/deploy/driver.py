"""What a NOS's module offers to a deployment, and how it is found."""

import importlib
from collections.abc import Callable
from functools import cache
from typing import Protocol, cast

from rackproof.deploy.compare import Difference
from rackproof.deploy.connection import Target
from rackproof.deploy.stage import Stage
from rackproof.deploy.step import Disruption
from rackproof.deploy.surroundings import Surroundings
from rackproof.errors import BadInputError
from rackproof.render.config_tree import ConfigTree


class Session(Protocol):
    """An interactive session; every method blocks, and raises AttemptError when the device refuses or is gone."""

    def type_lines(self, lines: tuple[str, ...], note: Callable[[str], None]) -> None:
        """Type configuration lines; ``note`` is called with each before it is sent, and may raise to stop."""
        ...

    def restart_by(self, line: str, note: Callable[[str], None]) -> None:
        """Type a line that asks, answer yes, and wait until the restarting device drops the session."""
        ...

    def save(self) -> None:
        """Make the running configuration the one that the device starts with."""
        ...

    def close(self) -> None:
        """End the session."""
        ...


class Safeguard(Protocol):
    """Commands of the device's shell that make a way back and take it."""

    CLOCK: str
    BOOT: str
    IS_ARMED: str
    DUE: str
    MAKE_CHECKPOINT: str
    DROP_CHECKPOINT: str
    DISARM: str
    HAS_CHECKPOINT: str
    GIVE_UP: str
    RETURN_NOW: str
    RESTART: str

    def arm(self, due_epoch_s: int) -> str:
        """Return the command that arms the timed return, or moves it."""
        ...

    def clock_text(self, epoch_s: int) -> str:
        """Return a time of the device's clock for a person."""
        ...


class Driver(Protocol):
    """A module of ``rackproof.deploy.nos``."""

    RUNNING: str
    """Command of the device's shell that prints the running configuration."""
    SURROUNDINGS: str
    """Command that prints ports, neighbours and sessions."""
    Session: Callable[[Target], Session]
    safeguard: Safeguard

    def checked_running(self, text: str) -> str:
        """Return what ``RUNNING`` printed, or raise AttemptError where that is no configuration."""
        ...

    def surroundings_of(self, text: str) -> Surroundings:
        """Return what ``SURROUNDINGS`` printed."""
        ...

    def next_stage(self, running: ConfigTree, intended: ConfigTree) -> Stage | None:
        """Return the next stage on the way from one configuration to another; None: they agree."""
        ...

    def disruption(self, difference: Difference, *, lossless_mode: bool) -> Disruption:
        """Return what a difference between two intents does to traffic."""
        ...


@cache
def driver_of(nos: str) -> Driver:
    """Return the module of a NOS, found by its name.

    Raises
    ------
    BadInputError
        Rackproof cannot deploy to this NOS.
    """
    module = f"rackproof.deploy.nos.{nos.replace('-', '_')}"
    try:
        return cast("Driver", importlib.import_module(module))
    except ModuleNotFoundError as error:
        if error.name != module:
            raise
        raise BadInputError(f"Rackproof renders {nos}, but cannot deploy to it", f"no {module}") from error
