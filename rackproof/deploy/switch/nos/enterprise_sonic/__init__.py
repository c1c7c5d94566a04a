"""Dell Enterprise SONiC: Linux with ``sonic-cli`` on top."""

from collections.abc import Callable

from rackproof.deploy.switch.managed_config import tree_text, without
from rackproof.deploy.switch.nos.enterprise_sonic.change_session import SonicInHand as InHand
from rackproof.deploy.switch.nos.enterprise_sonic.disruption import disruption
from rackproof.deploy.switch.nos.enterprise_sonic.read import RUNNING, SURROUNDINGS, checked_running, surroundings_of
from rackproof.deploy.switch.nos.enterprise_sonic.stages import next_stage
from rackproof.render.config_tree import ConfigTree

__all__ = [
    "RUNNING",
    "SURROUNDINGS",
    "InHand",
    "checked_running",
    "disruption",
    "next_stage",
    "shown",
    "surroundings_of",
    "text_of",
    "without",
]


def shown(chains: tuple[str, ...], matters: Callable[[str], bool]) -> tuple[str, ...]:
    """Return the lines that matter as they are: each line of a block is one of its own."""
    return tuple(filter(matters, chains))


def text_of(tree: ConfigTree, _running: str) -> str:
    """Return a part of a running configuration as text."""
    return tree_text(tree)
