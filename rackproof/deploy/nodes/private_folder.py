"""The private folder of one run of Ansible: inventory, keys, connections, artefacts; gone when the run has ended."""

import atexit
import contextlib
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, Final

from rackproof.connect.credentials import Credential
from rackproof.connect.redfish import controller_password
from rackproof.connect.ssh import known_host_key
from rackproof.connect.trust import key_text
from rackproof.deploy.nodes.job import NodeTask
from rackproof.render.ansible_values import Expression, json_unsafe, literal, with_data_marked
from rackproof.render.inventory import group_name

PREFIX = "rackproof-"
CONNECTIONS = "cp"
PROCESS = "pid"
PASSWORD_VARIABLE = "RACKPROOF_HOST_PASSWORD_{number}"  # noqa: S105 the name of a variable
SSH_ARGUMENTS: Final = (
    "-F none -o UserKnownHostsFile={folder}/known_hosts -o GlobalKnownHostsFile=/dev/null"
    " -o HostKeyAlias={name} -o StrictHostKeyChecking=yes -o IdentitiesOnly=yes -o IdentityAgent=none"
)
"""Nothing of the user's own SSH, and the host keys of access.yaml by the plan's names (ssh_config(5))."""
LEAVE_S = 5.0
"""Longest to wait for a kept connection to end."""
STARTER: Final = """#!/bin/sh
echo $$ > {process}
exec {python} -m ansible playbook "$@"
"""
"""Starts Ansible and says which process it is, so that it can be asked to end."""


def starter(folder: Path) -> str:
    """Return the program that starts Ansible for the run of a folder."""
    return STARTER.format(process=shlex.quote(str(folder / PROCESS)), python=shlex.quote(sys.executable))


class RunFolder:
    """The files of one run.

    Parameters
    ----------
    path
        An empty folder that only its owner can look into.
    tasks
        The hosts of the run.
    """

    def __init__(self, path: Path, tasks: Sequence[NodeTask]) -> None:
        self.path = path
        self.environment: dict[str, str] = {}
        """Passwords, for Ansible's process only."""
        self.secrets: list[str] = []
        """Texts that are never shown."""
        self._tasks = tasks
        self.connections = self._folder(CONNECTIONS)
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
        file = self._file(f"controller-{number}", password)
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
            found["ansible_ssh_private_key_file"] = str(self._file(f"key-{number}", text))
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
        path = self.path / name
        path.touch(mode=mode)
        path.write_text(text, encoding="utf-8")
        return path


@contextmanager
def run_folder(tasks: Sequence[NodeTask]) -> Iterator[RunFolder]:
    """Yield the folder of a run; afterwards its kept connections are ended and nothing of it is left.

    It lies among the system's temporary files: the paths of its sockets must be short (unix(7): 108 bytes).

    Raises
    ------
    HostKeyError
        A host's key was not recorded.
    CredentialError
        A credential leads nowhere.
    """
    path = Path(tempfile.mkdtemp(prefix=PREFIX))
    clean = partial(clean_up, path)
    atexit.register(clean)  # for a program that ends while its run goes on: a second Ctrl-C
    try:
        yield RunFolder(path, tasks)
    finally:
        atexit.unregister(clean)
        clean()


def clean_up(path: Path) -> None:
    """End everything that a run's folder knows of, and remove it."""
    if (process := ansible_process(path)) is not None:
        with contextlib.suppress(OSError):  # it has ended, as it should
            os.killpg(process, signal.SIGKILL)
    if (path / CONNECTIONS).is_dir():
        end_connections(path / CONNECTIONS)
    shutil.rmtree(path, ignore_errors=True)


def ansible_process(path: Path) -> int | None:
    """Return Ansible's process, which leads its session; None: it has not begun."""
    with contextlib.suppress(OSError, ValueError):
        return int((path / PROCESS).read_text(encoding="ascii"))
    return None


def end_connections(folder: Path) -> None:
    """End the connections that ssh keeps open for the next task (ssh(1): ``-O exit``)."""
    for socket in folder.iterdir():
        words = ["ssh", "-F", "none", "-o", f"ControlPath={socket}", "-O", "exit", "any"]
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            subprocess.run(words, capture_output=True, timeout=LEAVE_S, check=False)  # noqa: S603 a path of ours
