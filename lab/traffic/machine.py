"""The hosts of a running lab as traffic is sent from them: scripts run as root, over SSH with the lab's own key."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from lab.errors import LabError
from lab.folder import LabFolder
from lab.hosts.identity import run_as_root
from lab.messages import LabStatus


@dataclass(frozen=True, slots=True)
class Machine:
    """A host and the way in."""

    name: str
    port: int
    host_key: str
    user_key: Path

    async def run(self, script: str) -> str:
        """Run a script as root and return what it printed.

        Raises
        ------
        LabError
            The host does not answer, or the script failed.
        """
        try:
            return await run_as_root(self.port, str(self.user_key), self.host_key, script)
        except LabError as error:
            raise LabError(f"{self.name}: {error.message}", error.hint) from error

    @classmethod
    def of_lab(cls, folder: Path, status: LabStatus) -> Mapping[str, Self]:
        """Return the hosts of a lab by name."""
        key = LabFolder(folder).user_key
        return {host.name: cls(host.name, host.port, host.host_key, key) for host in status.hosts}
