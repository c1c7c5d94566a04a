"""What is to be done on one host."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from rackproof import paths
from rackproof.connect.ssh import Target
from rackproof.render.managed_files import ManagedFile, live_settings, managed_files, owned_patterns

Variables = Mapping[str, Any]
PLAYBOOK = "nodes.yml"


@dataclass(frozen=True, slots=True)
class Holding:
    """What a host must hold."""

    files: Mapping[str, ManagedFile] = field(default_factory=dict)
    """By path."""
    owned: tuple[str, ...] = ()
    """Patterns of paths that are Rackproof's: what matches and is not among the files is left over."""
    live: tuple[Mapping[str, Any], ...] = ()
    """Settings of the running host, each with its kind."""

    @property
    def question(self) -> str:
        """What the script on the host is asked, as JSON."""
        files = {
            path: {"sha256": digest(file.content), "mode": file.mode, "owner": file.owner}
            for path, file in self.files.items()
        }
        return json.dumps({"files": files, "owned": self.owned, "live": self.live})


def digest(text: str) -> str:
    """Return the SHA-256 of a file's text."""
    return hashlib.sha256(text.encode()).hexdigest()


def holding(variables: Variables, roles: Path) -> Holding:
    """Return what the roles of a folder keep on the host that has these variables.

    Raises
    ------
    BadInputError
        A template of a role cannot be rendered.
    """
    folders = sorted(folder for folder in roles.iterdir() if (folder / "vars" / "managed.yml").is_file())
    return Holding(
        files={file.path: file for folder in folders for file in managed_files(folder, variables)},
        owned=tuple(one.pattern for folder in folders for one in owned_patterns(folder, variables)),
        live=tuple(setting for folder in folders for setting in live_settings(folder, variables)),
    )


@dataclass(frozen=True, slots=True)
class Commands:
    """What a person types to go on; ``{host}`` stands for the host."""

    resume: str
    """Goes on with a host."""
    discover: str
    """Records what is in the hosts."""


@dataclass(frozen=True)
class NodeTask:
    """One host and what it is meant to be."""

    target: Target
    variables: Variables
    """Of the roles: the site's and the host's own."""
    redundancy_group: str
    depends_on: tuple[str, ...] = ()
    resume: str = "run it again"
    """The command that goes on with this host."""
    discover: str = "rackproof discover"
    """The command that records where its ports are."""
    contradictions: tuple[str, ...] = ()
    """What was found in it against the plan when somebody looked for its ports."""
    controller: Target | None = None
    """How its management controller is reached (Redfish); None: nobody says it, and its BIOS is left alone."""
    roles: Path = paths.ROLES
    playbook: Path = paths.PLAYBOOKS / PLAYBOOK

    @property
    def device(self) -> str:
        """Name of the host."""
        return self.target.device

    @property
    def unrecorded(self) -> tuple[str, ...]:
        """Ports of which nobody has recorded where they are: none of their settings can be told."""
        ports = self.variables.get("port_names_ports") or ()
        return tuple(port["name"] for port in ports if not (port["pci_address"] or port["mac_address"]))

    @cached_property
    def holding(self) -> Holding:
        """What the host must hold."""
        return holding(self.variables, self.roles)


@dataclass(frozen=True, slots=True)
class NodeOptions:
    """What the user allows, and how patiently."""

    allow_disruption: bool = False
    """Whether a host may be restarted while a job runs on it."""
    gather_s: float = 0.3
    """How long the first host of a run waits for others whose turn comes now."""
    task_s: int = 1800
    """Longest that one task may take on a host: a restart, or drivers that are built there."""
    reboot_s: int = 1500
    """Longest that a host may take to be back after a restart: firmware of servers with eight GPUs takes minutes."""
    run_s: int = 7200
    """Longest that a run of Ansible may take."""
    stop_s: float = 20.0
    """How long Ansible may take to end after it was asked to."""
