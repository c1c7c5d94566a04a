"""The driver of a NOS: its module in ``nos``, found by the NOS's name."""

import importlib
import threading
from functools import cache
from typing import Protocol, cast

from rackproof.deploy.events import Report
from rackproof.deploy.switch.change_session import ChangeSession
from rackproof.deploy.switch.job import SwitchTask, Timeouts
from rackproof.deploy.switch.nos_rules import NosRules
from rackproof.errors import BadInputError


class Driver(NosRules, Protocol):
    """A module of ``rackproof.deploy.switch.nos``: its rules, and its change session."""

    def Session(  # noqa: N802 a class
        self, task: SwitchTask, rules: NosRules, timeouts: Timeouts, report: Report, stop: threading.Event
    ) -> ChangeSession:
        """Return a session that changes one switch and can roll it back."""
        ...


@cache
def find_driver(nos: str) -> Driver:
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
