"""Dell Enterprise SONiC: Linux with ``sonic-cli`` on top."""

from collections.abc import Callable

from rackproof.deploy.switch.compare.managed_config import tree_text, without
from rackproof.deploy.switch.nos.enterprise_sonic.change_session import SonicChangeSession as Session
from rackproof.deploy.switch.nos.enterprise_sonic.disruption import disruption
from rackproof.deploy.switch.nos.enterprise_sonic.read import (
    OPERATIONAL_STATE,
    RUNNING,
    checked_running,
    parse_operational_state,
    parse_unfinished,
)
from rackproof.deploy.switch.nos.enterprise_sonic.return_timer import LOCK, UNFINISHED
from rackproof.deploy.switch.nos.enterprise_sonic.settings import settings
from rackproof.deploy.switch.nos.enterprise_sonic.stages import next_stage
from rackproof.render.config_tree import ConfigTree

__all__ = [
    "LOCK",
    "OPERATIONAL_STATE",
    "RUNNING",
    "UNFINISHED",
    "Session",
    "checked_running",
    "configuration_text",
    "disruption",
    "next_stage",
    "parse_operational_state",
    "parse_unfinished",
    "settings",
    "shown",
    "without",
]


def shown(chains: tuple[str, ...], matters: Callable[[str], bool]) -> tuple[str, ...]:
    """Return the lines that matter as they are: each line of a block is one of its own."""
    return tuple(filter(matters, chains))


def configuration_text(tree: ConfigTree, _running: str) -> str:
    """Return a part of a running configuration as text."""
    return tree_text(tree)
