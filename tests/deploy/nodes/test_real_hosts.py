"""Two hosts that are machines, brought up by Ansible alone: what check mode says is what then happens, and it lasts."""

from __future__ import annotations

import os
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import ansible_runner
import pytest

from lab.daemon import client
from lab.hosts.requirements import why_not
from rackproof import paths
from tests.conftest import NO_FABRIC
from tests.deploy.nodes.real_lab import ONE, TWO, RealLab, real_lab

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.lab_hosts, pytest.mark.slow, pytest.mark.proof]

HOSTS: Final = (ONE, TWO)
UNKNOWABLE: Final[dict[str, str]] = {}
"""Tasks of which check mode cannot know whether they will change something, and why."""
ASK_FOR_RESTART: Final = (
    "sudo mkdir -p /run/rackproof/reboot-required.d; echo rehearsal | sudo tee /run/rackproof/reboot-required.d/base"
)
TOGETHER: Final = "-e nodes_reboot_at_once=2"
"""Nobody uses the hosts yet: they restart at the same time."""
OTHER_ROLES: Final = "rdma_stack,port_names,gpu_driver,server_settings"
"""Roles before the restart that have nothing to do with it."""
GO_ON: Final = "Stop if the restart failed"
"""Task that ends the play of hosts that were to be restarted and are not as they should be."""
QUIET: Final = {"ANSIBLE_CONFIG": str(paths.ANSIBLE_CONFIG), "ANSIBLE_NOCOLOR": "1"}


@dataclass
class Played:
    """What a run of the playbook did, or said that it would do."""

    status: int = -1
    changed: dict[str, set[tuple[str, str]]] = field(default_factory=lambda: defaultdict(set))
    """Host to the tasks that changed something, each with the file, or with nothing."""
    counted: dict[str, int] = field(default_factory=dict)
    """Host to Ansible's own count of changes."""
    failures: list[str] = field(default_factory=list)

    def take(self, event: dict[str, Any]) -> bool:
        """Take an event; nothing of it is kept on the disk."""
        data = event.get("event_data") or {}
        if event["event"] == "playbook_on_stats":
            self.counted = {host: data["changed"].get(host, 0) for host in HOSTS}
        elif event["event"] in {"runner_on_failed", "runner_on_unreachable"}:
            self.failures.append(f"{data['host']}: {data['task']}: {data['res'].get('msg')}")
        elif event["event"] == "runner_on_ok" and data["res"].get("changed"):
            # The reasons of a restart follow its name; some come up only as tasks do their work.
            name = data["task"].partition(":")[0]
            task = name if data.get("role") is None else f"{data['role']} : {name}"
            self.changed[data["host"]] |= {(task, file) for file in files_with_differences(data["res"])}
        return False


def files_with_differences(result: dict[str, Any]) -> set[str]:
    """Return the files that a task shows differences of; an empty name where it has none."""
    shown = result.get("diff") or []
    shown = shown if isinstance(shown, list) else [shown]
    return {one["after_header"] for one in shown if "after_header" in one} or {""}


def play(lab: RealLab, folder: Path, *words: str) -> Played:
    """Run ``ansible-playbook playbooks/nodes.yml`` on the inventory of the lab."""
    played = Played()
    done = ansible_runner.run(
        private_data_dir=str(folder),
        project_dir=str(paths.ROOT),
        playbook=str(paths.PLAYBOOKS / "nodes.yml"),
        inventory=str(paths.build_folder(lab.name) / "ansible" / "hosts.yaml"),
        cmdline=" ".join(words),
        envvars={**QUIET, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        event_handler=played.take,
        quiet=True,
    )
    played.status = done.rc
    return played


def known(changed: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """Return the changes of which check mode can know."""
    return {(task, file) for task, file in changed if task not in UNKNOWABLE}


@pytest.fixture(scope="module", name="lab")
def _lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealLab]:
    if why_not():
        pytest.skip(NO_FABRIC)
    with real_lab(tmp_path_factory.mktemp("site")) as lab:
        for verb in ("discover", "inventory"):
            said = lab.rackproof(verb)
            assert said.status == 0, said.text
        yield lab


def test_check_mode_is_true_the_second_run_changes_nothing_and_all_of_it_outlives_a_restart(
    lab: RealLab, tmp_path: Path
) -> None:
    said = play(lab, tmp_path, "--check", "--diff", TOGETHER)
    assert (said.status, said.failures) == (0, [])

    done = play(lab, tmp_path, "--diff", TOGETHER)
    assert (done.status, done.failures) == (0, [])
    for host in HOSTS:
        assert known(done.changed[host]) == known(said.changed[host])

    again = play(lab, tmp_path)
    assert (again.status, again.failures) == (0, [])
    assert again.counted == {ONE: 0, TWO: 0}, again.changed

    lab.restart(*HOSTS)
    left = lab.rackproof("diff", "--only", "gpu")
    assert (left.status, "2 devices without changes" in left.text) == (0, True), left.text


def test_where_a_restart_does_not_come_back_the_next_host_stays_up_and_is_told_why(
    lab: RealLab, tmp_path: Path
) -> None:
    for host in HOSTS:
        lab.on(host, ASK_FOR_RESTART)
    boot = lab.boot_id(TWO)
    client.fault(lab.folder, "reboot-hangs", {"host": ONE})
    try:
        done = play(lab, tmp_path, "--skip-tags", OTHER_ROLES, "-e", "nodes_reboot_timeout_s=60")
    finally:
        client.clear(lab.folder, "reboot-hangs")

    lost, spared = sorted(failure for failure in done.failures if GO_ON in failure)
    assert lost.startswith(f"{ONE}: {GO_ON}: the server did not come back from its restart")
    assert spared.startswith(f"{TWO}: {GO_ON}: not restarted, because {ONE} did not")
    assert [failure for failure in done.failures if failure.startswith(f"{TWO}:")] == [spared]
    assert lab.boot_id(TWO) == boot
