"""What is read from a switch, each in one command of its shell."""

from typing import Final

from rackproof.deploy.failures import AttemptError
from rackproof.deploy.surroundings import Surroundings
from rackproof.facts import enterprise_sonic as facts

MARK: Final = "@@"
RUNNING: Final = 'sonic-cli -c "show running-configuration"'
READ_OUTS: Final = {
    "status": "show interface status",
    "lldp": "show lldp table",
    "bgp": "show bgp ipv4 unicast summary",
}
SURROUNDINGS: Final = "; ".join(f"echo '{MARK} {name}'; sonic-cli -c '{show}'" for name, show in READ_OUTS.items())
"""All read-outs in one command, each behind a line that names it."""

HOST_NAME: Final = "hostname "
"""Every configuration has a line that starts so: without it the answer is no configuration."""


def checked_running(text: str) -> str:
    """Return the running configuration.

    Raises
    ------
    AttemptError
        The text is something else.
    """
    if not any(line.startswith(HOST_NAME) for line in text.splitlines()):
        said = next((line for line in text.splitlines() if line.strip()), "nothing")
        raise AttemptError(f"`show running-configuration` answers no configuration, but: {said.strip()}")
    return text


def surroundings_of(text: str) -> Surroundings:
    """Return what the read-outs say.

    Raises
    ------
    AttemptError
        One of them is not there.
    """
    parts = dict(part.partition("\n")[::2] for part in text.split(f"{MARK} ")[1:])
    missing = READ_OUTS.keys() - parts.keys()
    if missing:
        raise AttemptError(f"the switch did not answer `{READ_OUTS[min(missing)]}`")
    return Surroundings(
        ports={status.port: status for status in facts.parse_interface_status(parts["status"])},
        neighbours={heard.port: heard for heard in facts.parse_lldp_table(parts["lldp"])},
        sessions={session.neighbour: session for session in facts.parse_bgp_summary(parts["bgp"])},
    )
