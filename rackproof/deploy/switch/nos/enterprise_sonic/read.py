"""Commands that read a switch, and the parsing of their output."""

from collections.abc import Mapping
from typing import Final

from rackproof.connect.combined_output import in_one_command, no_configuration, split_output
from rackproof.deploy.protocol import Disruption
from rackproof.deploy.switch.operational_state import OperationalState
from rackproof.deploy.switch.unfinished import Unfinished
from rackproof.facts.nos.enterprise_sonic import sonic_cli as facts

SHOW_RUNNING: Final = "show running-configuration"
RUNNING: Final = f'sonic-cli -c "{SHOW_RUNNING}"'
READ_OUTS: Final = {
    "status": "show interface status",
    "lldp": "show lldp table",
    "bgp": "show bgp ipv4 unicast summary",
}
OPERATIONAL_STATE: Final = in_one_command({name: f"sonic-cli -c '{show}'" for name, show in READ_OUTS.items()})

HOST_NAME: Final = "hostname "
"""Every configuration has a line that starts so: output without it is no configuration."""


def checked_running(text: str) -> str:
    """Return the running configuration.

    Raises
    ------
    CommandError
        The output is no configuration.
    """
    if not any(line.startswith(HOST_NAME) for line in text.splitlines()):
        raise no_configuration(SHOW_RUNNING, text)
    return text


def parse_unfinished(printed: Mapping[str, str]) -> Unfinished:
    """Parse the outputs of the commands of ``UNFINISHED``."""
    armed = ""
    if printed["return"].strip() == "active":
        due = printed["due"].partition("OnCalendar=")[2].partition("\n")[0].strip() or "an unknown time"
        armed = f"an interrupted deployment left a timer: the switch rolls back to its checkpoint at {due}"
    return Unfinished(
        armed,
        Disruption.REBOOT,
        unsaved=" differ" in printed["startup"],
        leftovers=tuple(printed["files"].split()),
    )


def parse_operational_state(text: str) -> OperationalState:
    """Parse the outputs of the combined command.

    Raises
    ------
    CommandError
        One of them is not there.
    """
    parts = split_output(text, READ_OUTS)
    return OperationalState(
        ports={status.port: status for status in facts.parse_interface_status(parts["status"])},
        neighbours={heard.port: heard for heard in facts.parse_lldp_table(parts["lldp"])},
        sessions={session.neighbour: session for session in facts.parse_bgp_summary(parts["bgp"])},
    )
