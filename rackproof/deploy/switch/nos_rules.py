"""The protocol of a NOS's module: how its output is read, and how its configurations are compared."""

from collections.abc import Callable, Mapping
from typing import Protocol

from rackproof.deploy.protocol import Disruption
from rackproof.deploy.switch.compare.diff import Difference
from rackproof.deploy.switch.device_lock import LockPlace
from rackproof.deploy.switch.operational_state import OperationalState
from rackproof.deploy.switch.settings import SettingChanges
from rackproof.deploy.switch.stage import Stage
from rackproof.deploy.switch.unfinished import Unfinished
from rackproof.plan.model.plan import SwitchIntent
from rackproof.render.config_tree import ConfigTree


class NosRules(Protocol):
    """What reading and comparing a switch needs of a module of ``rackproof.deploy.switch.nos``."""

    RUNNING: str
    """Command of the device's shell that prints the running configuration."""
    UNFINISHED: Mapping[str, str]
    """Name of each command that finds what an interrupted deployment left; none of them fails."""
    LOCK: LockPlace
    """Where the lock of deployments lies on the device."""
    OPERATIONAL_STATE: str
    """Command that prints ports, LLDP neighbours and BGP sessions."""

    def checked_running(self, text: str) -> str:
        """Return the output of ``RUNNING``, or raise CommandError where it is no configuration."""
        ...

    def parse_unfinished(self, printed: Mapping[str, str]) -> Unfinished:
        """Parse the outputs of ``UNFINISHED``; raises CommandError where one of them is garbled."""
        ...

    def parse_operational_state(self, text: str) -> OperationalState:
        """Parse the output of ``OPERATIONAL_STATE``."""
        ...

    def without(self, tree: ConfigTree, unmanaged: tuple[str, ...]) -> ConfigTree:
        """Return a configuration without the lines that begin with one of the unmanaged prefixes."""
        ...

    def configuration_text(self, tree: ConfigTree, running: str) -> str:
        """Return a part of the running configuration as text for the NOS's parser, in the release's own syntax."""
        ...

    def shown(self, chains: tuple[str, ...], matters: Callable[[str], bool]) -> tuple[str, ...]:
        """Return the lines for which ``matters`` holds as the NOS writes them; a chain is a line behind its blocks."""
        ...

    def settings(self, unknown: tuple[str, ...], missing: tuple[str, ...], intended: ConfigTree) -> SettingChanges:
        """Return the changes of settings that lines express, in words.

        ``unknown`` and ``missing`` are those of the parsed running configuration, each line behind its blocks.
        """
        ...

    def next_stage(self, running: ConfigTree, intended: ConfigTree, printed: str = "") -> Stage | None:
        """Return the next stage from one configuration to another; None: they are equal.

        ``printed`` is the running configuration as the device prints it. Where the syntax differs between releases, the
        lines of the stage use the syntax of that release.
        """
        ...

    def disruption(self, difference: Difference, running: SwitchIntent) -> Disruption:
        """Return what applying a difference does to the traffic of a switch that runs ``running``."""
        ...
