"""Identity and running configuration of a switch with Enterprise SONiC."""

from typing import Final

from rackproof.facts.fact import Answers
from rackproof.facts.models import SwitchIdentity
from rackproof.facts.nos.enterprise_sonic.shows import fields, show_output, show_reader

VERSION: Final = "show version"
EEPROM: Final = "show platform syseeprom"
CONFIGURATION: Final = "show running-configuration"


def identity(answers: Answers) -> SwitchIdentity:
    """Parse ``show version`` and ``show platform syseeprom``."""
    version, board = fields(show_output(answers, VERSION)), fields(show_output(answers, EEPROM))
    return SwitchIdentity(
        board.get("Product Name", ""),
        version.get("Serial Number") or board.get("Serial Number", ""),
        board.get("Base MAC Address", ""),
        version.get("Software Version", ""),
    )


def running(answers: Answers) -> str:
    """Return the running configuration."""
    return show_output(answers, CONFIGURATION)


IDENTITY: Final = show_reader(identity, VERSION, EEPROM)
RUNNING: Final = show_reader(running, CONFIGURATION)
