"""What Ansible writes and what the comparison expects are the same bytes, and both say what is wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from rackproof.errors import BadInputError
from rackproof.paths import ROOT
from rackproof.render.managed_files import live_settings, managed_files, needed_variables, owned_patterns
from tests.unit.roles.inventory_variables import HOSTS
from tests.unit.source_tree import CHECKOUT

if TYPE_CHECKING:
    from pathlib import Path

PLAYBOOK = """
- hosts: all
  gather_facts: false
  roles: [example]
"""
LISTED = """
example_managed:
  files:
    - {path: "/etc/{{ item.name }}.conf", template: port.j2, mode: "0640", each: example_ports, notify: [Say so],
       when: item.name != "none"}
    - {path: /etc/only-debian, file: fixed, os: [debian-12], mode: "0755"}
    - {path: /etc/checked, template: port.j2, mode: "0644", validate: grep -q fine %s, each: example_checked}
  owned:
    - {pattern: "/etc/rail*.conf", notify: [Say so]}
  live: live.json.j2
"""
VARIABLES: dict[str, Any] = {
    "host_os": "debian-12",
    "example_ports": [{"name": "rail0", "to": ["10.0.0.0/8"]}, {"name": "none", "to": []}],
    "example_checked": [],
}


@pytest.fixture
def role(tmp_path: Path) -> Path:
    folder = tmp_path / "roles" / "example"
    texts = {
        "vars/managed.yml": LISTED,
        "vars/debian-12.yml": "example_os: Debian",
        "vars/ubuntu-24.04.yml": "example_os: Ubuntu",
        "defaults/main.yml": "example_word: größe\nexample_checked: []\n",
        "templates/port.j2": "{{ item | to_json }} {{ example_word }} on {{ example_os }}\n",
        "templates/live.json.j2": '[{"kind": "sysctl", "name": "a", "value": {{ example_os | to_json }}}]',
        "files/fixed": "#!/bin/sh\necho {{ nothing is rendered here }}\n",
        "handlers/main.yml": "- {name: Say so, ansible.builtin.debug: {msg: the handler ran}}\n",
        "tasks/main.yml": '- {name: Keep files, managed_files: {root: "{{ example_root }}"}}\n',
    }
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def play(role: Path, *options: str, **variables: object) -> subprocess.CompletedProcess[str]:
    playbook = role.parent.parent / "play.yml"
    playbook.write_text(PLAYBOOK)
    known = {
        **VARIABLES,
        "example_root": str(role.parent.parent / "root"),
        "ansible_python_interpreter": sys.executable,
    }
    ansible = CHECKOUT / ".venv" / "bin" / "ansible-playbook"
    command = [str(ansible), "-i", "localhost,", "-c", "local", str(playbook), *options]
    environment = {"ANSIBLE_CONFIG": str(ROOT / "ansible.cfg"), "ANSIBLE_ROLES_PATH": str(role.parent)}
    return subprocess.run(
        [*command, "-e", "ansible_become=false", "-e", json.dumps({**known, **variables})],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_ansible_writes_what_is_expected(role: Path) -> None:
    root = role.parent.parent / "root"

    foretold = play(role, "--check", "--diff")
    assert not root.exists()
    first = play(role, "--diff")
    second = play(role)

    assert "changed=1" in foretold.stdout, foretold.stdout
    assert "+++ after: /etc/rail0.conf" in foretold.stdout
    assert "changed=1" in first.stdout
    assert "the handler ran" in first.stdout
    assert "changed=0" in second.stdout
    assert "the handler ran" not in second.stdout
    expected = managed_files(role, VARIABLES)
    assert [file.path for file in expected] == ["/etc/rail0.conf", "/etc/only-debian"]
    for file in expected:
        written = root / file.path.lstrip("/")
        assert written.read_bytes() == file.content.encode()
        assert f"{written.stat().st_mode & 0o7777:04o}" == file.mode


def test_a_port_that_went_away_leaves_no_file(role: Path) -> None:
    root = role.parent.parent / "root"
    play(role)

    foretold = play(role, "--check", example_ports=[])
    assert (root / "etc" / "rail0.conf").exists()
    finished = play(role, example_ports=[])

    assert "changed=1" in foretold.stdout
    assert "the handler ran" in finished.stdout
    assert [path.name for path in (root / "etc").iterdir()] == ["only-debian"]


def test_nothing_is_replaced_where_one_file_does_not_parse(role: Path) -> None:
    finished = play(role, example_checked=[{"name": "broken"}])

    assert finished.returncode == 2
    assert "the new file does not parse: /etc/rail0.conf" not in finished.stdout
    assert "the new file does not parse" in finished.stdout
    assert [path for path in (role.parent.parent / "root").rglob("*") if path.is_file()] == []


def test_what_is_missing_is_named(role: Path) -> None:
    with pytest.raises(BadInputError, match=r"templates/port.j2: 'example_os' is undefined"):
        managed_files(role, {**VARIABLES, "host_os": "fedora"})
    assert "'example_os' is undefined" in play(role, host_os="fedora").stdout


def test_what_a_role_needs_is_found(role: Path) -> None:
    assert needed_variables(role) == {"host_os", "example_ports", "example_checked", "example_word", "example_os"}
    assert owned_patterns(role, VARIABLES)[0].notify == ("Say so",)
    assert live_settings(role, VARIABLES) == ({"kind": "sysctl", "name": "a", "value": "Debian"},)


@pytest.mark.parametrize("host", HOSTS)
@pytest.mark.parametrize("folder", sorted((ROOT / "roles").glob("*/vars/managed.yml")), ids=lambda path: path.parts[-3])
def test_every_role_renders_for_every_kind_of_host(folder: Path, host: str) -> None:
    role = folder.parents[1]

    files = managed_files(role, HOSTS[host])

    assert len({file.path for file in files}) == len(files)
    assert all(file.content.endswith("\n") for file in files)
    assert all(setting["kind"] for setting in live_settings(role, HOSTS[host]))
