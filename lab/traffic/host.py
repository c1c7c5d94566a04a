"""Hosts of a running lab as ends of traffic: scripts run as root, over one connection to each."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from lab.daemon.messages import LabStatus
from lab.errors import LabError
from lab.folder import LabFolder
from lab.hosts.identity import Connection, connected, run_as_root

_ANSWER_S = 60.0


@dataclass(frozen=True, slots=True)
class Host:
    """A host and the connection to it."""

    name: str
    connection: Connection

    async def run(self, script: str) -> str:
        """Run a script as root and return what it printed.

        Raises
        ------
        LabError
            The host does not answer, or the script failed.
        """
        try:
            return await run_as_root(self.connection, script)
        except LabError as error:
            raise LabError(f"{self.name}: {error.message}", error.hint) from error


@asynccontextmanager
async def connected_hosts(folder: Path, status: LabStatus) -> AsyncIterator[Mapping[str, Host]]:
    """Connect to the hosts of a lab; yields them by name.

    Raises
    ------
    LabError
        One does not answer.
    """
    key = str(LabFolder(folder).user_key)
    async with AsyncExitStack() as stack:
        found = {}
        for host in status.hosts:
            try:
                connection = await connected(host.port, key, host.host_key, _ANSWER_S)
            except LabError as error:
                raise LabError(f"{host.name}: {error.message}", error.hint) from error
            found[host.name] = Host(host.name, await stack.enter_async_context(connection))
        yield found
