"""The ssh command for a host of a lab, independent of the user's configuration."""

from collections.abc import Sequence
from pathlib import Path

from lab.daemon.messages import LabStatus
from lab.errors import LabError, LabNotRunningError
from lab.folder import LabFolder
from lab.switches.ssh_server import LOOPBACK


def ssh_command(folder: Path, status: LabStatus, host: str, command: Sequence[str] = ()) -> list[str]:
    """Return the command that opens a shell on a host, or runs a command there.

    Raises
    ------
    LabError
        No lab is running, or none of its hosts has that name.
    """
    if not status.running:
        raise LabNotRunningError
    found = next((one for one in status.hosts if one.name == host), None)
    if found is None:
        names = ", ".join(one.name for one in status.hosts)
        hint = f"it has {names}" if names else "it has switches alone: `rackproof lab up --hosts 2` makes some"
        raise LabError(f"the lab has no host called {host} that is a machine", hint)
    files = LabFolder(folder.resolve())
    return [
        *("ssh", "-F", "none", "-p", str(found.port), "-l", found.user, "-i", str(files.user_key)),
        *("-o", "IdentitiesOnly=yes", "-o", f"UserKnownHostsFile={files.known_hosts}", "-o", "LogLevel=ERROR"),
        *("-o", "StrictHostKeyChecking=yes", LOOPBACK, *command),
    ]
