"""diff and up of a site whose access.yaml names hosts: they follow the switches, and are told as switches are."""

from __future__ import annotations

import functools
import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest
import yaml12

from rackproof import paths
from rackproof.cli.app import run
from rackproof.cli.output import ExitStatus
from rackproof.deploy.nodes import build_steps
from rackproof.deploy.nodes.job import NodeTask
from rackproof.deploy.switch import job as switch_task
from rackproof.site.access import Access
from rackproof.site.as_built import FILE_NAME
from rackproof.site.load import find_site
from tests.deploy.conftest import PASSWORD as SWITCH_PASSWORD
from tests.deploy.conftest import TIMEOUTS, VARIABLE, Bench, lab_bench
from tests.deploy.nodes.conftest import ONE, TWO, write_role
from tests.deploy.nodes.ssh_hosts import HostThread, SshHost
from tests.deploy.nos_words import BACKEND

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.lab
SITE = "metrum-h200"
MANAGED = """
probe_managed:
  files: [{path: "FOLDER/{{ base_hostname }}/disk/name.conf", template: name.conf.j2, mode: "0644", owner: root}]
"""


PORTS: Final = {
    f"rail{number}": {"slot": 32, "pci_address": f"0000:9c:{number:02x}.0", "device_id": "1af4:1041"}
    for number in range(16)
} | {
    f"frontend{number}": {"slot": 31, "pci_address": f"0000:9d:{number:02x}.0", "device_id": "1af4:1041"}
    for number in range(2)
}  # fmt: skip
"""What is recorded of a host: its role here does not look for it."""


class Said(NamedTuple):
    status: int
    out: str
    err: str


class Desk:
    """A person at the command line, with lab switches and two hosts beside."""

    def __init__(self, bench: Bench, hosts: dict[str, SshHost], folder: Path, capture: Any) -> None:  # noqa: ANN401
        self.bench, self.hosts, self.capture = bench, hosts, capture
        self.access = folder / "access.yaml"
        devices = {**bench.access().access.devices, **{name: host.access() for name, host in hosts.items()}}
        self.access.write_text(yaml12.format_yaml(Access(devices=devices).model_dump(mode="json", exclude_none=True)))
        self.record = folder / FILE_NAME
        self.record.write_text(yaml12.format_yaml({"servers": {name: {"ports": PORTS} for name in hosts}}))

    def run(self, *words: str) -> Said:
        status = run([words[0], SITE, "--access", str(self.access), *words[1:]])
        return Said(status, *self.capture.readouterr())


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Desk]:
    write_role(tmp_path)
    (tmp_path / "roles/probe/vars/managed.yml").write_text(MANAGED.replace("FOLDER", str(tmp_path)))
    (tmp_path / "roles/probe/templates/name.conf.j2").write_text("{{ base_hostname }}\n")
    monkeypatch.setenv("ANSIBLE_ROLES_PATH", str(tmp_path / "roles"))
    monkeypatch.setenv(VARIABLE, SWITCH_PASSWORD)
    monkeypatch.setattr(paths, "BUILD", tmp_path / "build")
    patient = functools.partial(switch_task.SwitchOptions, timeouts=TIMEOUTS)
    monkeypatch.setattr(switch_task, "SwitchOptions", patient)
    ours = functools.partial(NodeTask, roles=tmp_path / "roles", playbook=tmp_path / "nodes.yml")
    monkeypatch.setattr(build_steps, "NodeTask", ours)
    thread, hosts = HostThread(), {name: SshHost(name, tmp_path / name) for name in (ONE, TWO)}
    for host in hosts.values():
        thread.call(host.start())
    with lab_bench(find_site(SITE)) as bench:
        yield Desk(bench, hosts, tmp_path, capsys)
    for host in hosts.values():
        thread.call(host.stop())
    thread.close()


def test_hosts_are_compared_beside_switches(desk: Desk) -> None:
    said = desk.run("diff")

    assert said.status == ExitStatus.FAILED
    assert f"{BACKEND}: " in said.out
    assert f"{TWO}: 1 change" in said.out
    assert "name.conf: new, 1 lines" in said.out
    assert f"{ONE}, {TWO}: the BIOS is neither read nor changed, because access.yaml" in said.err


def test_servers_and_their_groups_are_chosen_by_name(desk: Desk) -> None:
    chosen = [json.loads(desk.run("diff", "--json", "--only", name).out) for name in (TWO, "gpu")]

    assert [[one["device"] for one in document["devices"]] for document in chosen] == [[TWO], [ONE, TWO]]
    assert chosen[0]["devices"][0]["changes"][0]["disruption"] == "none"
    assert desk.run("diff", "--only", "gpu-009").status == ExitStatus.BAD_INPUT


def test_a_host_whose_ports_are_not_where_the_plan_has_them_is_told_and_not_touched(desk: Desk) -> None:
    """The hosts here are this machine, which has no such adapters: nobody has asked them before."""
    desk.record.unlink()

    said = desk.run("up", "--yes", "--only", TWO)

    assert said.status == ExitStatus.FAILED, said
    assert f"{TWO}: not touched, because its hardware contradicts the plan: {TWO}:rail0: planned in slot" in said.out
    assert f"then `rackproof up {SITE} --only {TWO}`" in said.out
    assert list(desk.hosts[TWO].disk.iterdir()) == []
    assert not desk.record.exists()


@pytest.mark.slow
def test_hosts_follow_their_fabrics_and_the_second_run_changes_nothing(desk: Desk) -> None:
    desk.hosts[TWO].mark("no-sudo")

    done = desk.run("up", "--yes")

    assert done.status == ExitStatus.UNKNOWN, done
    assert f"{ONE}" in done.out.partition("unknown")[0]
    assert f"{TWO}: sudo is refused to user rackproof" in done.out
    assert (desk.hosts[ONE].disk / "name.conf").read_text() == f"{ONE}\n"
    assert f"{ONE}: probe : Keep the files" in done.err
    (desk.hosts[TWO].folder / "no-sudo").unlink()
    assert desk.run("up", "--yes", "--only", TWO).status == ExitStatus.DONE
    again = desk.run("up", "--yes")
    assert (again.status, "5 devices without changes" in again.out) == (ExitStatus.DONE, True)
