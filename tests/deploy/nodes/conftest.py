"""Two small hosts, a role that keeps a file on them, and the steps that bring them up."""

from __future__ import annotations

import asyncio
import os
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from rackproof.connect.access import LoadedAccess
from rackproof.connect.ssh import Limits
from rackproof.deploy.events import Event, Progressed
from rackproof.deploy.nodes import private_folder
from rackproof.deploy.nodes.job import NodeOptions, NodeTask
from rackproof.deploy.nodes.shared_run import SharedRuns
from rackproof.deploy.nodes.step import NodeStep
from rackproof.deploy.scheduler import Compared, Run, StepResult, compare
from rackproof.site.access import Access, DeviceAccess
from tests.deploy.nodes.ssh_hosts import HostThread, SshHost

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ONE, TWO = "gpu-001", "gpu-002"
OPTIONS: Final = NodeOptions(gather_s=0.05, task_s=60, run_s=120, stop_s=5.0)
MANAGED: Final = """
probe_managed:
  files:
    - {path: "{{ probe_disk }}/ports.conf", template: ports.conf.j2, mode: "0644", owner: root,
       validate: check-ports %s}
    - {path: "{{ probe_disk }}/time.conf", template: time.conf.j2, mode: "0640", owner: root}
  live: live.json.j2
"""
TASKS: Final = """
- name: Say that it began
  ansible.builtin.command: test -n begun
  changed_when: false
- name: Keep the files
  managed_files:
- name: Set what runs
  ansible.builtin.shell: "{{ probe_script }}"
  changed_when: false
- name: Wait until it is back
  ansible.builtin.wait_for_connection: {timeout: 1, sleep: 1, connect_timeout: 1}
  when: probe_restarts
"""
PLAYBOOK: Final = """
- name: Bring up nodes
  hosts: servers
  gather_facts: false
  roles: [probe]
"""


@dataclass
class HostBench:
    """Hosts, what they are meant to be, and the deployment that works on them."""

    folder: Path
    thread: HostThread
    hosts: dict[str, SshHost]
    variables: dict[str, dict[str, Any]]
    events: list[Event] = field(default_factory=list)
    when: dict[str, Callable[[], object]] = field(default_factory=dict)
    """What a host begins to do (a part of its words) to what then happens, once."""
    controllers: dict[str, DeviceAccess] = field(default_factory=dict)
    """Name in access.yaml to how a management controller is reached."""
    limits: Limits = field(default_factory=lambda: Limits(connect_s=3.0, login_s=5.0, command_s=20.0))

    def report(self, event: Event) -> None:
        self.events.append(event)
        if isinstance(event, Progressed):
            for doing in [doing for doing in self.when if doing in f"{event.step}: {event.doing}"]:
                self.when.pop(doing)()

    def steps(self, options: NodeOptions = OPTIONS, group: str | None = None) -> dict[str, NodeStep]:
        devices = {name: host.access() for name, host in self.hosts.items()}
        loaded = LoadedAccess(Access(devices={**devices, **self.controllers}), self.folder / "a")
        runs = SharedRuns(options)
        return {name: NodeStep(self.task(loaded, name, group), runs, options, self.report) for name in self.hosts}

    def task(self, loaded: LoadedAccess, name: str, group: str | None) -> NodeTask:
        return NodeTask(
            replace(loaded.target(name), limits=self.limits),
            self.variables[name],
            group or name,
            resume=f"`rackproof up site-a --only {name}`",
            controller=loaded.controller(name),
            roles=self.folder / "roles",
            playbook=self.folder / "nodes.yml",
        )

    def compared(self) -> dict[str, Compared]:
        return {one.step: one for one in asyncio.run(compare(tuple(self.steps().values()), self.report))}

    def up(self, options: NodeOptions = OPTIONS, group: str | None = None) -> dict[str, StepResult]:
        """Compare and bring up, as ``rackproof up`` does."""

        async def whole() -> tuple[StepResult, ...]:
            steps = tuple(self.steps(options, group).values())
            return await Run(steps, await compare(steps, self.report), self.report).all()

        return {result.step: result for result in asyncio.run(whole())}

    def stop(self, host: str) -> None:
        """Take a host off the network, with the connections it has."""
        self.thread.call(self.hosts[host].stop())

    def left_behind(self) -> list[Path]:
        """Folders of runs that are still there."""
        parents = (Path(tempfile.gettempdir()), private_folder.folder_in_memory())
        return [path for parent in parents for path in parent.glob(f"{private_folder.PREFIX}{os.getpid()}-*")]

    def file(self, host: str, name: str) -> str | None:
        path = self.hosts[host].disk / name
        return path.read_text() if path.exists() else None

    def files(self, host: str) -> list[str]:
        return sorted(path.name for path in self.hosts[host].disk.iterdir())


def write_role(folder: Path) -> None:
    for name, text in {
        "roles/probe/vars/managed.yml": MANAGED,
        "roles/probe/defaults/main.yml": "probe_script: 'true'\nprobe_restarts: false\nprobe_live: []\n",
        "roles/probe/tasks/main.yml": TASKS,
        "roles/probe/templates/ports.conf.j2": "mtu={{ probe_mtu_bytes }}\nname=rail0\n",
        "roles/probe/templates/time.conf.j2": "ntp={{ probe_ntp }}\n",
        "roles/probe/templates/live.json.j2": "{{ probe_live | to_json }}\n",
        "nodes.yml": PLAYBOOK,
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HostBench]:
    write_role(tmp_path)
    monkeypatch.setenv("ANSIBLE_ROLES_PATH", str(tmp_path / "roles"))
    thread = HostThread()
    hosts = {name: SshHost(name, tmp_path / name) for name in (ONE, TWO)}
    for host in hosts.values():
        thread.call(host.start())
    variables = {
        name: {"host_os": "debian-12", "probe_disk": str(host.disk), "probe_mtu_bytes": 9000, "probe_ntp": "192.0.2.1",
               "probe_live": [], "ansible_python_interpreter": "/usr/bin/python3"}
        for name, host in hosts.items()
    }  # fmt: skip
    yield HostBench(tmp_path, thread, hosts, variables)
    for host in hosts.values():
        thread.call(host.stop())
    thread.close()
