"""Every role says what it takes, takes what the plan renders, and its page is fresh."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any, Final

import pytest
import yaml12

from rackproof.paths import ROOT
from tests.unit.roles.inventory_variables import HOSTS

if TYPE_CHECKING:
    from pathlib import Path

SPECS: Final = sorted((ROOT / "roles").glob("*/meta/argument_specs.yml"))
ANSIBLE: Final = str(ROOT / ".venv" / "bin" / "ansible-playbook")
VALIDATION: Final = """
- hosts: all
  gather_facts: false
  tasks:
"""


def ansible(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([ANSIBLE, *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def test_pages_are_fresh() -> None:
    command = [sys.executable, "roles/generate.py", "--check"]
    finished = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert finished.returncode == 0, finished.stdout + finished.stderr


@pytest.mark.parametrize("playbook", sorted((ROOT / "playbooks").glob("*.yml")), ids=lambda path: path.stem)
def test_playbook_parses(playbook: Path) -> None:
    finished = ansible("--syntax-check", "-i", "localhost,", str(playbook))

    assert finished.returncode == 0, finished.stderr


def test_roles_take_what_the_plan_renders(tmp_path: Path) -> None:
    playbook = tmp_path / "validate.yml"
    tasks = [f"    - validate_argument_spec: {{argument_spec: {json.dumps(options(spec))}}}\n" for spec in SPECS]
    playbook.write_text(VALIDATION + "".join(tasks))
    hosts = {name: {"ansible_connection": "local", **variables} for name, variables in HOSTS.items()}
    inventory = tmp_path / "hosts.json"
    inventory.write_text(json.dumps({"all": {"hosts": hosts}}))

    finished = ansible("-i", str(inventory), str(playbook), "-e", "ansible_become=false")

    assert finished.returncode == 0, finished.stdout
    assert finished.stdout.count("failed=0") == len(HOSTS)


def options(spec: Path) -> object:
    document: Any = yaml12.read_yaml(spec)
    return document["argument_specs"]["main"]["options"]


@pytest.mark.parametrize("spec", SPECS, ids=lambda path: path.parts[-3])
def test_every_default_is_described(spec: Path) -> None:
    defaults = yaml12.read_yaml(spec.parents[1] / "defaults" / "main.yml")
    described = options(spec)

    assert isinstance(defaults, dict)
    assert isinstance(described, dict)
    assert set(defaults) <= set(described)
    assert "{{" not in str(defaults)
