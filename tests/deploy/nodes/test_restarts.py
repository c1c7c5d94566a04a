"""The play that restarts servers, where one does not come back: those after it stay up. Nothing is restarted here."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Final, cast

import pytest
from yaml12 import parse_yaml

from rackproof import paths

PLAY: Final = "Reboot servers that need it, one redundancy group at a time"
HOSTS: Final = ("gpu-001", "gpu-002", "gpu-003")
PROGRAM: Final = Path(sys.executable).with_name("ansible-playbook")


def rehearsal(lost: str) -> list[dict[str, Any]]:
    """Return the play with a failure, on one host, in the place of the restart, and the fate of each host after it."""
    text = (paths.ROOT / "playbooks" / "nodes.yml").read_text(encoding="utf-8")
    plays = cast("list[dict[str, Any]]", parse_yaml(text))
    play = next(one for one in plays if one["name"] == PLAY)
    restart = next(task for task in play["tasks"] if "block" in task)
    restart["block"] = [
        {"name": "Restart it", "ansible.builtin.fail": {"msg": "no answer"}, "when": f"inventory_hostname == '{lost}'"},
        {"name": "Note it", "ansible.builtin.set_fact": {"restarted": True}},
    ]
    told = "{{ nodes_reboot_problem | default('restarted' if restarted is defined else 'neither') }}"
    fates = {"name": "Tell", "ansible.builtin.debug": {"msg": told}}
    return [play, {"hosts": "all", "gather_facts": False, "tasks": [fates]}]


@pytest.mark.parametrize("lost", HOSTS)
def test_those_after_a_server_that_did_not_come_back_stay_up(tmp_path: Path, lost: str) -> None:
    variables = {name: {"host_redundancy_group": name, "nodes_reboot_asked": {"reasons": ["a test"]}} for name in HOSTS}
    inventory = {
        "all": {"vars": {"ansible_connection": "local"}, "children": {"nodes_to_reboot": {"hosts": variables}}}
    }
    (tmp_path / "hosts.yaml").write_text(json.dumps(inventory), encoding="utf-8")
    (tmp_path / "play.yml").write_text(json.dumps(rehearsal(lost)), encoding="utf-8")
    words = [str(PROGRAM), "-i", str(tmp_path / "hosts.yaml"), str(tmp_path / "play.yml")]
    quiet = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "ANSIBLE_STDOUT_CALLBACK": "ansible.builtin.json"}

    done = subprocess.run(words, capture_output=True, text=True, check=False, env=quiet, timeout=60)

    said = json.loads(done.stdout)["plays"][-1]["tasks"][-1]["hosts"]
    fates = [said[name]["msg"] for name in HOSTS]
    place = HOSTS.index(lost)
    assert fates[:place] == ["restarted"] * place
    problem = "the server did not come back from its restart as expected (Restart it): no answer"
    assert fates[place].startswith(problem)
    assert fates[place + 1 :] == [f"not restarted, because {lost} did not come back from a restart"] * (2 - place)
