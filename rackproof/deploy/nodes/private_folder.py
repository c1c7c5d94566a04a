"""The private folder of one run of Ansible: inventory, keys, connections, artefacts; gone when the run has ended."""

import atexit
import contextlib
import json
import os
import shlex
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, Final

from rackproof.connect.credentials import Credential
from rackproof.connect.redfish import controller_password
from rackproof.connect.ssh import known_host_key
from rackproof.connect.trust import key_text
from rackproof.deploy.nodes import watchdog
from rackproof.deploy.nodes.job import NodeTask
from rackproof.deploy.process_identity import ProcessIdentity, this_process
from rackproof.render.ansible_values import Expression, json_unsafe, literal, with_data_marked
from rackproof.render.inventory import group_name

PREFIX = "rackproof-run-"
IN_MEMORY: Final = Path("/dev/shm")  # noqa: S108 a folder of one run in it is for its user only
PASSWORD_VARIABLE = "RACKPROOF_HOST_PASSWORD_{number}"  # noqa: S105 the name of a variable
SSH_ARGUMENTS: Final = (
    "-F none -o UserKnownHostsFile={folder}/known_hosts -o GlobalKnownHostsFile=/dev/null"
    " -o HostKeyAlias={name} -o StrictHostKeyChecking=yes -o IdentitiesOnly=yes -o IdentityAgent=none"
)
"""Nothing of the user's own SSH, and the host keys of access.yaml by the plan's names (ssh_config(5))."""
STARTER: Final = """#!/bin/sh
echo $$ > {process}
exec {python} -m ansible playbook "$@"
"""
"""Starts Ansible and says which process it is, so that it can be asked to end."""


def starter(folder: Path) -> str:
    """Return the program that starts Ansible for the run of a folder."""
    return STARTER.format(process=shlex.quote(str(folder / watchdog.PROCESS)), python=shlex.quote(sys.executable))


class RunFolder:
    """The files of one run.

    Parameters
    ----------
    path
        An empty folder that only its owner can look into.
    in_memory
        Another one for keys and passwords, which are never on a disk.
    tasks
        The hosts of the run.
    """

    def __init__(self, path: Path, in_memory: Path, tasks: Sequence[NodeTask]) -> None:
        self.path = path
        self._in_memory = in_memory
        self.environment: dict[str, str] = {}
        """Passwords, for Ansible's process only."""
        self.secrets: list[str] = []
        """Texts that are never shown."""
        self._tasks = tasks
        self.connections = self._folder(watchdog.CONNECTIONS)
        self.inventory = self._inventory()
        self.commands = self._folder("bin")
        self._file("bin/ansible-playbook", starter(path), 0o700)

    def _inventory(self) -> Path:
        self._file("known_hosts", "".join(f"{t.device} {key_text(known_host_key(t.target))}\n" for t in self._tasks))
        hosts = {task.device: self._host(number, task) for number, task in enumerate(self._tasks)}
        groups: dict[str, dict[str, Any]] = {}
        for task in self._tasks:
            groups.setdefault(f"redundancy_{group_name(task.redundancy_group)}", {})[task.device] = {}
        children = {name: {"hosts": members} for name, members in groups.items()}
        document = {"servers": {"hosts": hosts, "children": children}}
        return self._file("inventory.json", json.dumps(with_data_marked(document, json_unsafe)))

    def _host(self, number: int, task: NodeTask) -> dict[str, Any]:
        access, credential = task.target.access, task.target.credential()
        return {
            "ansible_host": access.host,
            "ansible_port": access.port,
            "ansible_user": access.user,
            "ansible_become": access.user != "root",
            "ansible_ssh_common_args": SSH_ARGUMENTS.format(folder=self.path, name=task.device),
            **self._login(number, credential),
            **task.variables,
            **self._controller(number, task),
        }

    def _controller(self, number: int, task: NodeTask) -> Mapping[str, object]:
        """Return how the role of BIOS settings reaches a management controller; its password is in a file of ours."""
        if task.controller is None:
            return {}
        access, password = task.controller.access, controller_password(task.controller)
        self.secrets.append(password)
        file = self._secret(f"controller-{number}", password)
        return {
            "server_settings_bmc_address": access.host,
            "server_settings_bmc_port": access.port,
            "server_settings_bmc_user": access.user,
            "server_settings_bmc_password": Expression(
                "{{ lookup('ansible.builtin.file', " + literal(str(file)) + ", rstrip=false) }}"
            ),
            "server_settings_bmc_ca": access.certificates,
        }

    def _login(self, number: int, credential: Credential) -> Mapping[str, str]:
        """Return the variables that a login needs: a key in a file of ours, or a password in the environment."""
        found: dict[str, str] = {}
        if credential.private_key is not None:
            text = credential.private_key.get_secret_value()
            self.secrets.append(text)
            found["ansible_ssh_private_key_file"] = str(self._secret(f"key-{number}", text))
        if credential.password is not None:
            variable = PASSWORD_VARIABLE.format(number=number)
            self.environment[variable] = credential.password.get_secret_value()
            self.secrets.append(self.environment[variable])
            found["ansible_password"] = Expression("{{ lookup('ansible.builtin.env', " + literal(variable) + ") }}")
        return found

    def _folder(self, name: str) -> Path:
        folder = self.path / name
        folder.mkdir(mode=0o700)
        return folder

    def _file(self, name: str, text: str, mode: int = 0o600) -> Path:
        return written(self.path / name, text, mode)

    def _secret(self, name: str, text: str) -> Path:
        return written(self._in_memory / name, text, 0o600)


def written(path: Path, text: str, mode: int) -> Path:
    """Write a new file that only its mode lets others read, and return its path."""
    path.touch(mode=mode)
    path.write_text(text, encoding="utf-8")
    return path


@contextmanager
def run_folder(tasks: Sequence[NodeTask]) -> Iterator[RunFolder]:
    """Yield the folder of a run; afterwards its kept connections are ended and nothing of it is left.

    It lies among the system's temporary files: the paths of its sockets must be short (unix(7): 108 bytes). Keys and
    passwords lie in memory. A watchdog removes both when this process dies, and the next run removes what a machine
    left that lost both of them.

    Raises
    ------
    HostKeyError
        A host's key was not recorded.
    CredentialError
        A credential leads nowhere.
    """
    parents = (Path(tempfile.gettempdir()), folder_in_memory())
    sweep(parents)
    prefix = f"{PREFIX}{owner_text(this_process())}-"
    path, in_memory = (Path(tempfile.mkdtemp(prefix=prefix, dir=parent)) for parent in parents)
    clean = partial(watchdog.clean_up, path, in_memory)
    atexit.register(clean)  # for a program that ends while its run goes on: a second Ctrl-C
    with watched(path, in_memory):
        try:
            yield RunFolder(path, in_memory, tasks)
        finally:
            atexit.unregister(clean)
            clean()


@contextmanager
def watched(*folders: Path) -> Iterator[None]:
    """Have a process of its own clean up if this process dies, also by SIGKILL."""
    words = [sys.executable, "-I", "-S", watchdog.__file__, *map(str, folders)]
    with subprocess.Popen(  # noqa: S603 our own program
        words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    ):  # leaving closes its standard input, which ends it, and waits for it
        yield


def folder_in_memory() -> Path:
    """Return a folder in memory (shm_overview(7)); where the system has none, that of temporary files."""
    return IN_MEMORY if os.access(IN_MEMORY, os.W_OK | os.X_OK) else Path(tempfile.gettempdir())


def owner_text(process: ProcessIdentity) -> str:
    """Return a process as the name of a folder has it: number and start."""
    return f"{process.process}-{process.started or 0}"


def sweep(parents: Iterable[Path]) -> None:
    """Remove the folders of runs whose process has ended; those of other users stay."""
    here = this_process()
    for path in chain.from_iterable(parent.glob(f"{PREFIX}*-*-*") for parent in parents):
        number, started, *_ = path.name.removeprefix(PREFIX).split("-")
        if number.isdigit() and replace(here, process=int(number), started=started).has_ended() and is_ours(path):
            watchdog.clean_up(path)


def is_ours(path: Path) -> bool:
    """Whether a folder belongs to the user of this process, and is no link."""
    with contextlib.suppress(OSError):
        status = path.lstat()
        return stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid()
    return False
