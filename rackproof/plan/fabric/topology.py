"""Load a topology module by its name: ``single-switch`` is topologies/single_switch.py."""

import importlib
import pkgutil
from typing import Final, Protocol

from rackproof.errors import Problems
from rackproof.paths import TOPOLOGIES
from rackproof.plan.fabric.demand import Demand
from rackproof.plan.fabric.layout import Layout

PACKAGE: Final = "rackproof.plan.fabric.topologies"


class Topology(Protocol):
    """A topology module."""

    ROLES: tuple[str, ...]
    """Roles of fabrics that can be built so."""
    NOS_FEATURES: tuple[str, ...]
    """Features a NOS needs for it (``features`` of the catalogue's NOS files)."""
    STANDS_WITH_DEVICES: bool
    """Whether leaves stand in the racks of what they serve; else where the fabric's switches stand."""

    def lay_out(self, demand: Demand, problems: Problems) -> Layout:
        """Build the fabric; what does not fit is recorded in ``problems``."""


def topology_names() -> tuple[str, ...]:
    """Return the words a site file may use for ``topology``."""
    return tuple(sorted(module.name.replace("_", "-") for module in pkgutil.iter_modules([str(TOPOLOGIES)])))


def topology(name: str) -> Topology:
    """Return the topology module of a word.

    Raises
    ------
    ModuleNotFoundError
        There is no such topology.
    """
    return importlib.import_module(f"{PACKAGE}.{name.replace('-', '_')}")
