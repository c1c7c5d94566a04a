"""What is read from a switch, each in one command of its shell."""

from typing import Final

from rackproof.deploy.failures import AttemptError
from rackproof.deploy.surroundings import Surroundings
from rackproof.facts import cumulus as facts

MARK: Final = "@@"
RUNNING: Final = "nv config show"
READ_OUTS: Final = {
    "interfaces": "nv show interface -o json",
    "lldp": "nv show interface --view lldp-detail -o json",
    "bgp": "nv show vrf default router bgp neighbor -o json",
}
SURROUNDINGS: Final = "; ".join(f"echo '{MARK} {name}'; {show}" for name, show in READ_OUTS.items()) + "; true"
"""All read-outs in one command, each behind a line that names it; a switch without BGP has no neighbours to show."""

SET: Final = "- set:"
"""Every configuration has this line: without it the answer is no configuration."""


def checked_running(text: str) -> str:
    """Return the running configuration.

    Raises
    ------
    AttemptError
        The text is something else.
    """
    if SET not in text.splitlines():
        said = next((line for line in text.splitlines() if line.strip()), "nothing")
        raise AttemptError(f"`{RUNNING}` answers no configuration, but: {said.strip()}")
    return text


def surroundings_of(text: str) -> Surroundings:
    """Return what the read-outs say.

    Raises
    ------
    AttemptError
        One of them is not there, or cannot be read.
    """
    parts = dict(part.partition("\n")[::2] for part in text.split(f"{MARK} ")[1:])
    missing = READ_OUTS.keys() - parts.keys()
    if missing:
        raise AttemptError(f"the switch did not answer `{READ_OUTS[min(missing)]}`")
    try:
        return Surroundings(
            ports={status.port: status for status in facts.parse_interfaces(parts["interfaces"])},
            neighbours={heard.port: heard for heard in facts.parse_lldp(parts["lldp"])},
            sessions={session.neighbour: session for session in facts.parse_bgp(parts["bgp"])},
        )
    except ValueError as error:
        raise AttemptError(f"a read-out of the switch is not JSON: {error}") from error
