"""Reads driver version and number of GPUs with the vendor's tool."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = r"""
module: gpu_state
short_description: Version of the driver and number of GPUs
description:
  - Runs C(nvidia-smi), or C(amd-smi), or C(rocm-smi) if C(amd-smi) is missing.
  - Changes nothing. Fails with expected and actual values if they differ.
options:
  vendor:
    description: Vendor whose tool is run.
    type: str
    choices: [nvidia, amd]
    required: true
  version:
    description: Expected version, or its prefix; empty skips the check.
    type: str
    default: ""
  count:
    description: Expected number of GPUs; 0 skips the check.
    type: int
    default: 0
  fabric_manager:
    description: Whether a fabric manager of the driver's version is required.
    type: bool
    default: false
author: Rackproof (@rackproof)
"""

EXAMPLES = r"""
- name: Read the driver version of the GPUs
  gpu_state:
    vendor: nvidia
  register: found
"""

RETURN = r"""
version:
  description: Version of the driver (NVIDIA) or of ROCm (AMD); null if there is none, or the tool does not answer.
  type: str
  returned: always
count:
  description: Number of GPUs that respond.
  type: int
  returned: always
fabric_manager:
  description: Version of the fabric manager; null if there is none.
  type: str
  returned: always
said:
  description: Output of the tool if it gave no version.
  type: str
  returned: always
"""

ROCM_VERSION = Path("/opt/rocm/.info/version")
TIMEOUT_S = 60
"""Without persistence each call of nvidia-smi initialises every GPU, which takes seconds."""


def command_output(*command: str) -> tuple[str, str]:
    """Return the output of a command and an empty text, or an empty text and the error."""
    if shutil.which(command[0]) is None:
        return "", f"the command {command[0]} does not exist"
    try:
        finished = subprocess.run(  # noqa: S603 the commands are constants
            command, capture_output=True, text=True, check=False, timeout=TIMEOUT_S
        )
    except subprocess.TimeoutExpired:
        return "", f"{command[0]} did not answer within {TIMEOUT_S} s"
    if finished.returncode:
        return "", (finished.stdout + finished.stderr).strip() or f"{command[0]} ended with {finished.returncode}"
    return finished.stdout, ""


def nvidia() -> dict[str, Any]:
    """Return the state that NVIDIA's tools report: one line a GPU, with the driver version."""
    text, said = command_output("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    manager, _ = command_output("nv-fabricmanager", "--version")
    return {
        "version": lines[0] if lines else None,
        "count": len(lines),
        "fabric_manager": first(r"(\d+(?:\.\d+)+)", manager),
        "said": said,
    }


def amd() -> dict[str, Any]:
    """Return the state that AMD's tools report."""
    text, said = command_output("amd-smi", "version")
    listed, _ = command_output("amd-smi", "list")
    count = len(re.findall(r"^GPU: *\d+", listed, re.MULTILINE))
    if said.startswith("there is no command"):
        serials, said = command_output("rocm-smi", "--showid", "--json")
        count = len([name for name in json.loads(serials or "{}") if name.startswith("card")])
    return {"version": rocm_version(text), "count": count, "fabric_manager": None, "said": said}


def rocm_version(text: str) -> str | None:
    """Return the ROCm version from ``amd-smi version``, else from the file of its core package."""
    if found := first(r"ROCm version: *(\d+(?:\.\d+)+)", text):
        return found
    try:
        return first(r"(\d+(?:\.\d+)+)", ROCM_VERSION.read_text(encoding="utf-8"))
    except OSError:
        return None


def first(pattern: str, text: str) -> str | None:
    """Return the first match of a pattern."""
    found = re.search(pattern, text)
    return found.group(1) if found else None


def problems(asked: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """Return all differences from the expected values."""
    wrong = []
    if asked["version"] and not (found["version"] or "").startswith(asked["version"]):
        wrong.append(f"driver: expected {asked['version']}, actual {found['version'] or found['said'] or 'none'}")
    if asked["count"] and found["count"] != asked["count"]:
        wrong.append(f"GPUs that respond: expected {asked['count']}, actual {found['count']}")
    if asked["fabric_manager"] and found["fabric_manager"] != found["version"]:
        wrong.append(f"fabric manager: expected {found['version']}, actual {found['fabric_manager'] or 'none'}")
    return wrong


def main() -> None:
    """Read the state and compare it with the expected values."""
    module = AnsibleModule(
        argument_spec={
            "vendor": {"type": "str", "choices": ["nvidia", "amd"], "required": True},
            "version": {"type": "str", "default": ""},
            "count": {"type": "int", "default": 0},
            "fabric_manager": {"type": "bool", "default": False},
        },
        supports_check_mode=True,
    )
    found = nvidia() if module.params["vendor"] == "nvidia" else amd()
    if wrong := problems(module.params, found):
        module.fail_json(msg="; ".join(wrong), **found)
    module.exit_json(changed=False, **found)


if __name__ == "__main__":
    main()
