"""Sets kernel parameters, modules and services of a host, immediately and for the next boot."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = r"""
module: live_settings
short_description: Kernel parameters, modules and services of a running host
description:
  - Called by the action plugin of the same name, which renders the role's C(live.json.j2).
  - Sets the kinds C(sysctl), C(module) and C(service); other tasks of the roles set other kinds.
  - Skips a setting whose path C(needs) does not exist.
options:
  settings:
    description: The settings.
    type: list
    elements: dict
    required: true
author: Rackproof (@rackproof)
"""

EXAMPLES = r"""
- name: Set the live settings
  live_settings:
"""

RETURN = r"""
differences:
  description: What was not as wanted.
  type: list
  returned: always
"""


def run(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a command and return its result."""
    return subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 from the role


def parameter(name: str) -> Path:
    """Return the path of a kernel parameter; a name with slashes keeps its dots (interfaces with a VLAN)."""
    return Path("/proc/sys") / (name if "/" in name else name.replace(".", "/"))


def sysctl_differs(setting: dict[str, Any]) -> bool:
    """Whether a kernel parameter has another value."""
    path = parameter(setting["name"])
    return not path.exists() or path.read_text(encoding="utf-8").split() != str(setting["value"]).split()


def set_sysctl(setting: dict[str, Any]) -> str:
    """Set a kernel parameter; return the error, or an empty text."""
    try:
        parameter(setting["name"]).write_text(str(setting["value"]), encoding="utf-8")
    except OSError as error:
        return f"kernel parameter {setting['name']}: {error.strerror}"
    if sysctl_differs(setting):
        return f"kernel parameter {setting['name']} did not become {setting['value']}"
    return ""


def module_differs(setting: dict[str, Any]) -> bool:
    """Whether a kernel module is neither loaded nor part of the kernel."""
    return not Path("/sys/module", setting["name"].replace("-", "_")).is_dir()


def set_module(setting: dict[str, Any]) -> str:
    """Load a kernel module; return the error, or an empty text."""
    finished = run("modprobe", setting["name"])
    return finished.stderr.strip() if finished.returncode else ""


def service_differs(setting: dict[str, Any]) -> bool:
    """Whether a service is not active or enabled as required."""
    name = setting["name"]
    states = {
        "active": run("systemctl", "is-active", name).stdout.strip() == "active",
        "enabled": run("systemctl", "is-enabled", name).stdout.strip() in {"enabled", "static", "alias", "indirect"},
    }
    return any(key in setting and setting[key] != state for key, state in states.items())


def set_service(setting: dict[str, Any]) -> str:
    """Enable or disable a service; return the error, or an empty text."""
    verbs = {"enabled": ("enable", "disable"), "active": ("start", "stop")}
    for key, (on, off) in verbs.items():
        if key in setting:
            finished = run("systemctl", on if setting[key] else off, setting["name"])
            if finished.returncode:
                return f"{setting['name']}: {finished.stderr.strip()}"
    return ""


KINDS = {
    "sysctl": (sysctl_differs, set_sysctl),
    "module": (module_differs, set_module),
    "service": (service_differs, set_service),
}


def words(setting: dict[str, Any]) -> str:
    """Return a setting as a line of text."""
    wanted = {key: value for key, value in setting.items() if key not in {"kind", "name", "needs"}}
    return f"{setting['kind']} {setting['name']}" + "".join(f" {key}={value}" for key, value in wanted.items())


def main() -> None:
    """Set and report the settings that differ."""
    module = AnsibleModule(
        argument_spec={"settings": {"type": "list", "elements": "dict", "required": True}}, supports_check_mode=True
    )
    asked = [each for each in module.params["settings"] if each["kind"] in KINDS]
    present = [each for each in asked if Path(each.get("needs") or "/").exists()]
    differing = [each for each in present if KINDS[each["kind"]][0](each)]
    if not module.check_mode:
        problems = [problem for each in differing if (problem := KINDS[each["kind"]][1](each))]
        if problems:
            module.fail_json(msg="; ".join(problems), changed=bool(differing))
    differences = [words(each) for each in differing]
    after = "".join(f"{line}\n" for line in differences)
    module.exit_json(changed=bool(differing), differences=differences, diff={"before": "", "after": after})


if __name__ == "__main__":
    main()
