"""The NOSes of the lab, one folder each, found by its name.

A folder's ``__init__`` has ``USER``, the account that a switch is delivered with, and ``create``, which returns the NOS
of a switch (``protocol.py``) and the programs that its shell has beside coreutils and systemd.
"""

import importlib
from collections.abc import Mapping
from types import ModuleType

from lab.errors import LabError
from lab.switches.machine import Machine
from lab.switches.nos.protocol import Nos
from lab.switches.shell.call import Program


def create(machine: Machine) -> tuple[Nos, Mapping[str, Program]]:
    """Return the NOS of a switch and its programs.

    Raises
    ------
    LabError
        The lab has no such NOS.
    """
    created: tuple[Nos, Mapping[str, Program]] = _module(machine.spec.nos).create(machine)
    return created


def default_user(name: str) -> str:
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
