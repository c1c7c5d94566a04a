"""Serve the recorded servers of a site over SSH until standard input ends.

usage: python -m benchmarks.serve_recordings SITE_FILE FOLDER

Writes access.yaml, as-built.yaml, an SSH client's key and configuration into the folder, then prints ``ready``.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import asyncssh

from benchmarks.recorded_servers import RecordedServers
from rackproof.gather.discover import write_as_built
from rackproof.plan.from_file import plan_site
from rackproof.render.yaml_text import yaml_text
from tests.facts.replaying import LOOPBACK, PASSWORD, ReplayedHosts

if TYPE_CHECKING:
    from rackproof.facts.fact import Answers

KEY_FILE = "id_ed25519"
PASSWORD_FILE = "password"  # noqa: S105 the name of a file
"""Files of the folder; the key opens these servers only."""
CLIENT = """\
Host *
  HostName 127.0.0.1
  User root
  StrictHostKeyChecking no
  UserKnownHostsFile /dev/null
  LogLevel ERROR
  IdentityFile {folder}/id_ed25519
  IdentitiesOnly yes
  ControlPath {folder}/%n
"""
HOST = """Host {name}
  Port {port}
"""


class CachedAnswers(Mapping[str, "Answers"]):
    """Server to its answers, rendered once and kept, as a server of a lab holds them."""

    def __init__(self, servers: RecordedServers) -> None:
        self._servers = servers
        self._made: dict[str, Answers] = {}

    def __getitem__(self, name: str) -> Answers:
        if name not in self._made:
            self._made[name] = self._servers.answers(name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._servers.names)

    def __len__(self) -> int:
        return len(self._servers.names)


def write_folder(hosts: ReplayedHosts, servers: RecordedServers, folder: Path) -> None:
    """Write access.yaml, the record of what was built, and the SSH client's key and configuration."""
    secret = folder / PASSWORD_FILE
    secret.write_text(PASSWORD, encoding="utf-8")
    secret.chmod(0o600)
    shared = {"host": LOOPBACK, "user": "root", "host_key": hosts.public_host_key, "password": {"file": PASSWORD_FILE}}
    devices = {name: {**shared, "port": port} for name, port in hosts.ports.items()}
    (folder / "access.yaml").write_text(yaml_text({"devices": devices}), encoding="utf-8")
    write_as_built(folder / "as-built.yaml", servers.as_built)
    key = folder / KEY_FILE
    key.write_bytes(asyncssh.generate_private_key("ssh-ed25519").export_private_key())
    key.chmod(0o600)
    client = "".join(HOST.format(name=name, port=port) for name, port in hosts.ports.items())
    (folder / "ssh_config").write_text(client + CLIENT.format(folder=folder), encoding="utf-8")


async def serve(site_file: Path, folder: Path) -> None:
    """Serve until standard input ends."""
    servers = RecordedServers(plan_site(site_file))
    answers = CachedAnswers(servers)
    hosts = ReplayedHosts(answers)
    await hosts.open()
    write_folder(hosts, servers, folder)
    for name in answers:
        answers[name]
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1]), Path(sys.argv[2])))
