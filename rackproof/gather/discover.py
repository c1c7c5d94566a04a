"""Discovery: reads the network ports of servers over SSH with one script each, and keeps the as-built record."""

import asyncio
import inspect
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rackproof.connect.access import LoadedAccess
from rackproof.connect.errors import CommandError, DeviceError, UnreadableError
from rackproof.connect.ssh import Target, shell
from rackproof.facts.hosts.ports import FoundServer, parse_ports
from rackproof.facts.scripts import gather_ports
from rackproof.files import write_whole
from rackproof.gather.compare_as_built import Comparison, compare_server
from rackproof.plan.from_file import PlannedSite
from rackproof.plan.model.plan import Plan
from rackproof.render.yaml_text import yaml_text
from rackproof.site.as_built import FILE_NAME, AsBuilt, AsBuiltServer, load_as_built

AS_ROOT: Final = 'if [ "$(id -u)" = 0 ]; then exec python3 -; else exec sudo -n python3 -; fi'
"""The SMBIOS table may be read by root only."""
ENDING: Final = "\nimport json\nprint(json.dumps(gather()))\n"
HEAD: Final = "# What `rackproof discover` found in each server; a later change against it is an error.\n"


@dataclass(frozen=True, slots=True)
class Discovered:
    """The answer of one server."""

    server: str
    found: FoundServer | None
    error: DeviceError | None = None
    """Why there is no answer."""


@dataclass(frozen=True, slots=True)
class Survey:
    """The servers of a site, compared with its plan and its record."""

    compared: tuple[Comparison, ...]
    """Servers that answered."""
    silent: tuple[Discovered, ...]
    """Servers that did not."""

    @property
    def consistent(self) -> dict[str, AsBuiltServer]:
        """Every server that contradicts neither plan nor record, as it is recorded."""
        return {one.server: one.record for one in self.compared if not one.contradictions}


async def survey(
    planned: PlannedSite, record: AsBuilt, targets: Sequence[Target], accepted: Collection[str] = ()
) -> Survey:
    """Read servers and compare them with the plan and the record; nothing is written.

    Parameters
    ----------
    planned, record, targets
        The site, its as-built record, and the servers to read.
    accepted
        Servers and ports (gpu-001:rail3) that may differ from the record.
    """
    answers = await discover(targets)
    return Survey(
        tuple(
            compare_server(
                planned.plan, one.server, one.found, record.servers.get(one.server), planned.catalogue, accepted
            )
            for one in answers
            if one.found is not None
        ),
        tuple(one for one in answers if one.error is not None),
    )


@dataclass(frozen=True, slots=True)
class Recorded:
    """The record after a survey."""

    path: Path
    record: AsBuilt
    survey: Survey
    changed: bool
    """Whether the file differs from what it was before."""


async def bring_record_up_to_date(
    planned: PlannedSite,
    access: LoadedAccess,
    names: Sequence[str],
    accepted: Collection[str] = (),
    *,
    keep: bool = True,
) -> Recorded:
    """Survey servers, and record those that contradict neither plan nor record.

    Parameters
    ----------
    planned, access
        The site, and how its servers are reached; the record lies beside the latter.
    names
        Servers to read.
    accepted
        Servers and ports (gpu-001:rail3) that may differ from the record.
    keep
        Whether the file is written; else the record is only returned.

    Raises
    ------
    BadInputError
        The record cannot be used, or access.yaml does not name a server.
    OSError
        The record cannot be written; it is as it was.
    """
    path = access.path.parent / FILE_NAME
    before = load_as_built(path)
    found = await survey(planned, before, [access.target(name) for name in names], accepted)
    after = with_servers(before, found.consistent, tuple(planned.plan.servers))
    changed = keep and bool(found.consistent) and write_as_built(path, after)
    return Recorded(path, after, found, changed)


async def discover(targets: Sequence[Target]) -> tuple[Discovered, ...]:
    """Read many servers at once."""
    return tuple(await asyncio.gather(*map(_discovered, targets)))


async def _discovered(target: Target) -> Discovered:
    try:
        return Discovered(target.device, await found_in(target))
    except DeviceError as error:
        return Discovered(target.device, None, error)


async def found_in(target: Target) -> FoundServer:
    """Read the network ports of one server.

    Raises
    ------
    UnreachableError
        It does not answer, or its user may not run the script as root, or it has no Python.
    """
    hint = "it needs python3, and its user sudo without a password"
    try:
        return parse_ports(await shell(target, AS_ROOT, inspect.getsource(gather_ports) + ENDING))
    except CommandError as error:
        raise UnreadableError(target.device, error.cause, hint) from error
    except ValueError as error:
        raise UnreadableError(target.device, str(error), hint) from error


def write_as_built(path: Path, record: AsBuilt) -> bool:
    """Write the record, servers and ports in their order; the file changes as a whole or not.

    Returns whether anything differs from what stood there before.

    Raises
    ------
    OSError
        It cannot be written; the file is as it was.
    """
    text = (HEAD + yaml_text(record.model_dump(mode="json"))).encode()
    if path.is_file() and path.read_bytes() == text:
        return False
    write_whole(path, [text])
    return True


def without_record(plan: Plan, record: AsBuilt, names: Iterable[str]) -> tuple[str, ...]:
    """Return those of the named servers whose ports go by slot and of which nothing is recorded."""
    return tuple(name for name in names if plan.servers[name].position is not None and name not in record.servers)


def with_servers(record: AsBuilt, servers: Mapping[str, AsBuiltServer], order: Sequence[str]) -> AsBuilt:
    """Return a record with servers added or replaced; those of the plan first, in its order."""
    all_of_them = {**record.servers, **servers}
    names = [*(name for name in order if name in all_of_them), *(name for name in all_of_them if name not in order)]
    return AsBuilt(servers={name: all_of_them[name] for name in names})
