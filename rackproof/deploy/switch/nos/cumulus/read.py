"""Commands that read a switch, and the parsing of their output."""

from collections.abc import Mapping
from typing import Final

from rackproof.connect.combined_output import in_one_command, no_configuration, split_output
from rackproof.connect.errors import CommandError
from rackproof.deploy.protocol import Disruption
from rackproof.deploy.switch.nos.cumulus.commit_confirm import revision_awaiting_confirmation
from rackproof.deploy.switch.operational_state import OperationalState
from rackproof.deploy.switch.unfinished import Unfinished
from rackproof.facts.nos.cumulus import nv_show as facts

RUNNING: Final = "nv config show"
READ_OUTS: Final = {
    "interfaces": "nv show interface -o json",
    "lldp": "nv show interface --view lldp-detail -o json",
    "bgp": "nv show vrf default router bgp neighbor -o json",
}
OPERATIONAL_STATE: Final = in_one_command(READ_OUTS) + "; true"
"""All commands in one; the last one fails on a switch without BGP."""

SET: Final = "- set:"
"""Every configuration has this line: output without it is no configuration."""


def checked_running(text: str) -> str:
    """Return the running configuration.

    Raises
    ------
    CommandError
        The output is no configuration.
    """
    if SET not in text.splitlines():
        raise no_configuration(RUNNING, text)
    return text


def parse_unfinished(printed: Mapping[str, str]) -> Unfinished:
    """Parse the outputs of the commands of ``UNFINISHED``; raises CommandError where they are garbled."""
    revision = revision_awaiting_confirmation(printed["revisions"])
    armed = f"revision {revision} awaits confirmation, and the switch rolls it back by itself" if revision else ""
    return Unfinished(armed, Disruption.NONE, unsaved=bool(printed["startup"].strip()))


def parse_operational_state(text: str) -> OperationalState:
    """Parse the outputs of the combined command.

    Raises
    ------
    CommandError
        One of them is not there, or cannot be read.
    """
    parts = split_output(text, READ_OUTS)
    try:
        return OperationalState(
            ports={status.port: status for status in facts.parse_interfaces(parts["interfaces"])},
            neighbours={heard.port: heard for heard in facts.parse_lldp(parts["lldp"])},
            sessions={session.neighbour: session for session in facts.parse_bgp(parts["bgp"])},
        )
    except ValueError as error:
        raise CommandError(f"an output of the switch is not JSON: {error}") from error
