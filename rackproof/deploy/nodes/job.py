"""The job of one host: target, intent, options."""

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar

from rackproof import paths
from rackproof.connect.ssh import Target
from rackproof.render.managed_files import ManagedFile, live_settings, managed_files, owned_patterns

Variables = Mapping[str, Any]
T = TypeVar("T")
PLAYBOOK = "nodes.yml"


@dataclass(frozen=True, slots=True)
class Holding:
    """Files and settings that a host must hold."""

    files: Mapping[str, ManagedFile] = field(default_factory=dict)
    """By path."""
    owned: tuple[str, ...] = ()
    """Patterns of paths that Rackproof owns: a file that matches and is not in ``files`` is left over."""
    live: tuple[Mapping[str, Any], ...] = ()
    """Settings of the running host, each with its kind."""

    @property
    def question(self) -> str:
        """Input of the state script, as JSON."""
        files = {
            path: {"sha256": digest(file.content), "mode": file.mode, "owner": file.owner}
            for path, file in self.files.items()
        }
        return json.dumps({"files": files, "owned": self.owned, "live": self.live})


def digest(text: str) -> str:
    """Return the SHA-256 of a file's text."""
    return hashlib.sha256(text.encode()).hexdigest()


def holding(variables: Variables, roles: Path) -> Holding:
    """Return the files and settings that the roles of a folder keep on a host with these variables.

    Raises
    ------
    BadInputError
        A template of a role cannot be rendered.
    """
    folders = sorted(folder for folder in roles.iterdir() if (folder / "vars" / "managed.yml").is_file())
    return Holding(
        files={file.path: file for file in in_every(folders, managed_files, variables)},
        owned=tuple(one.pattern for one in in_every(folders, owned_patterns, variables)),
        live=in_every(folders, live_settings, variables),
    )


def in_every(
    folders: Sequence[Path], entries: Callable[[Path, Variables], Iterable[T]], variables: Variables
) -> tuple[T, ...]:
    """Return the entries of all role folders, in order."""
    return tuple(chain.from_iterable(entries(folder, variables) for folder in folders))


@dataclass(frozen=True, slots=True)
class Commands:
    """Commands that hints name; ``{host}`` stands for the host."""

    resume: str
    """Resumes a host."""
    discover: str
    """Records the hardware of the hosts."""


@dataclass(frozen=True)
class NodeTask:
    """One host and its intent."""

    target: Target
    variables: Variables
    """Of the roles: the site's and the host's own."""
    redundancy_group: str
    depends_on: tuple[str, ...] = ()
    resume: str = "run it again"
    """The command that resumes this host."""
    discover: str = "rackproof discover"
    """The command that records the positions of its ports."""
    contradictions: tuple[str, ...] = ()
    """Contradictions that discovery found between its hardware and the plan."""
    controller: Target | None = None
    """How its management controller is reached (Redfish); None: no entry in access.yaml; its BIOS is left alone."""
    roles: Path = paths.ROLES
    playbook: Path = paths.PLAYBOOKS / PLAYBOOK

    @property
    def device(self) -> str:
        """Name of the host."""
        return self.target.device

    @property
    def unrecorded(self) -> tuple[str, ...]:
        """Ports whose positions are not recorded, so that their settings are unknown."""
        ports = self.variables.get("port_names_ports") or ()
        return tuple(port["name"] for port in ports if not (port["pci_address"] or port["mac_address"]))

    @cached_property
    def holding(self) -> Holding:
        """Files and settings that the host must hold."""
        return holding(self.variables, self.roles)


@dataclass(frozen=True, slots=True)
class NodeOptions:
    """Options of the user, and timeouts."""

    allow_disruption: bool = False
    """Whether a host may be restarted while a job runs on it."""
    gather_s: float = 0.3
    """How long the first host of a run waits for others that begin now."""
    task_s: int = 1800
    """Longest that one task may take on a host: a restart, or drivers that are built there."""
    reboot_s: int = 1500
    """Longest that a host may take to be back after a restart: firmware of servers with eight GPUs takes minutes."""
    run_s: int = 7200
    """Longest that a run of Ansible may take."""
    stop_s: float = 20.0
    """How long Ansible may take to end after it was asked to."""
