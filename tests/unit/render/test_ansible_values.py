"""Texts of the user reach Ansible as data: no template in them is evaluated, whichever form the inventory has."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml12

from rackproof.deploy.nodes.private_folder import starter
from rackproof.errors import BadInputError
from rackproof.render.ansible_values import Expression, json_unsafe, literal, with_data_marked
from rackproof.render.yaml_text import yaml_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

HOSTILE: Final = "{{ lookup('pipe', 'touch evaluated') }}{% raw %} \\ ' \" {# #}"
AWKWARD: Final = "it's {{ 7 * 7 }} ''quoted'' \"twice\" }}"
SHOWN: Final = """\
- hosts: all
  gather_facts: false
  tasks:
    - ansible.builtin.copy:
        content: "{{ [plain, nested, ours] | to_json }}"
        dest: "{{ inventory_dir }}/shown.json"
"""


def as_yaml(document: Mapping[str, object]) -> str:
    return yaml_text({name: with_data_marked(value) for name, value in document.items()})


def as_json(document: Mapping[str, object]) -> str:
    return json.dumps(with_data_marked(document, json_unsafe))


@pytest.mark.parametrize(("name", "write"), [("hosts.yaml", as_yaml), ("hosts.json", as_json)])
def test_ansible_takes_texts_of_the_user_as_they_are(
    name: str, write: Callable[[Mapping[str, object]], str], tmp_path: Path
) -> None:
    variables = {
        "ansible_connection": "local",
        "ansible_python_interpreter": sys.executable,
        "plain": HOSTILE,
        "nested": [{"deep": (HOSTILE,)}],
        "ours": Expression("{{ 'a' ~ " + literal(AWKWARD) + " }}"),
    }
    (tmp_path / name).write_text(write({"all": {"hosts": {"gpu-001": variables}}}), encoding="utf-8")
    (tmp_path / "show.yml").write_text(SHOWN, encoding="utf-8")

    run_playbook(tmp_path, name)

    shown: Any = json.loads((tmp_path / "shown.json").read_text(encoding="utf-8"))
    assert shown == [HOSTILE, [{"deep": [HOSTILE]}], f"a{AWKWARD}"]
    assert not (tmp_path / "evaluated").exists()


def run_playbook(folder: Path, inventory: str) -> None:
    words = [sys.executable, "-m", "ansible", "playbook", "-i", inventory, "show.yml"]
    settings = {**os.environ, "ANSIBLE_HOME": str(folder / "home"), "ANSIBLE_LOCALHOST_WARNING": "false"}
    done = subprocess.run(words, cwd=folder, env=settings, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_text_without_a_brace_needs_no_mark() -> None:
    assert as_yaml({"address": "192.0.2.7", "mount": ["/ifs"]}) == 'address: "192.0.2.7"\nmount:\n  - /ifs\n'


def test_a_backslash_is_refused() -> None:
    with pytest.raises(BadInputError, match="holds a backslash"):
        literal("a\\")


def test_the_mark_is_yaml_of_both_versions() -> None:
    text = as_yaml({"user": HOSTILE})

    assert text.startswith('user: !unsafe "{{')
    assert yaml12.parse_yaml(text.replace("!unsafe ", "")) == {"user": HOSTILE}


def test_ansible_is_started_from_a_folder_of_any_name(tmp_path: Path) -> None:
    folder = tmp_path / 'a "b" $(touch c) `d`'
    folder.mkdir()
    program = tmp_path / "start"
    program.write_text(starter(folder), encoding="utf-8")

    subprocess.run(["sh", program, "--version"], cwd=tmp_path, capture_output=True, check=True)

    assert int((folder / "pid").read_text()) > 0
    assert not (tmp_path / "c").exists()
