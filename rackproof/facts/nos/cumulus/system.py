"""Identity and running configuration of a switch with Cumulus Linux."""

from typing import Final

from rackproof.facts.fact import Answers, FactError, command_output
from rackproof.facts.models import SwitchIdentity
from rackproof.facts.nos.cumulus.nvue import json_object
from rackproof.facts.nos.readers import Reader

SYSTEM: Final = "nv show system -o json"
PLATFORM: Final = "nv show platform -o json"
CONFIGURATION: Final = "nv config show"
SET: Final = "- set:"
"""Every configuration has this line."""


def identity(answers: Answers) -> SwitchIdentity:
    """Parse ``nv show system`` and ``nv show platform``."""
    system, platform = json_object(answers, SYSTEM), json_object(answers, PLATFORM)
    return SwitchIdentity(
        str(platform.get("product-name", "")),
        str(platform.get("serial-number", "")),
        str(platform.get("system-mac", "")),
        str(system.get("product-release", "")),
    )


def running(answers: Answers) -> str:
    """Return the applied configuration.

    Raises
    ------
    FactError
        The switch prints something else.
    """
    text = command_output(answers, CONFIGURATION)
    if SET not in text.splitlines():
        raise FactError(f"`{CONFIGURATION}` answers no configuration")
    return text


IDENTITY: Final = Reader(identity, (SYSTEM, PLATFORM))
RUNNING: Final = Reader(running, (CONFIGURATION,))
