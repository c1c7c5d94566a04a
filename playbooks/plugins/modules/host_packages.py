"""Installs missing packages of a Debian or Ubuntu host; runs apt-get only if one is missing."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = r"""
module: host_packages
short_description: Required packages
description:
  - Queries dpkg first, so that a host with all packages needs neither a package index nor python3-apt.
options:
  present:
    description: Names. With C(a|b) either is accepted; if neither is installed, the first is.
    type: list
    elements: str
    required: true
  versions:
    description: Names and their required version, or its prefix.
    type: dict
    default: {}
  reboot_role:
    description: The role that requests a reboot after an installation; empty for no reboot.
    type: str
    default: ""
  held:
    description: Names to put on hold, so that a system upgrade does not change them.
    type: list
    elements: str
    default: []
author: Rackproof (@rackproof)
"""

EXAMPLES = r"""
- name: Install the packages of the role
  host_packages:
    present: [pciutils, chrony|systemd-timesyncd]
"""

RETURN = r"""
installed:
  description: Packages that were missing.
  type: list
  returned: always
"""

REASONS = Path("/run/rackproof/reboot-required.d")
ENVIRONMENT = {"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"}


def apt_get(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run apt-get; it waits for the lock of another run."""
    command = ["apt-get", "-qq", "-y", "-o", "DPkg::Lock::Timeout=300", *arguments]
    environment = {**os.environ, **ENVIRONMENT}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)  # noqa: S603 no shell


def installed_versions() -> dict[str, str]:
    """Return the version of every completely installed package, on hold or not (dpkg-query(1): ii, hi)."""
    query = ["dpkg-query", "-W", "-f", "${db:Status-Abbrev}|${Package}|${Version}\n"]
    listing = subprocess.run(query, capture_output=True, text=True, check=True)  # noqa: S603 a constant
    rows = (line.split("|") for line in listing.stdout.splitlines())
    return {name: version for status, name, version in rows if status.strip() in {"ii", "hi"}}


def missing(present: list[str], versions: dict[str, str], found: dict[str, str]) -> list[str]:
    """Return the packages to install, with their required versions."""
    wanted = []
    for alternatives in present:
        names = alternatives.split("|")
        version = versions.get(names[0])
        if not any(name in found and matches(found[name], version) for name in names):
            wanted.append(f"{names[0]}={version}*" if version else names[0])
    return wanted


def matches(found: str, wanted: str | None) -> bool:
    """Whether a version is the required one, with or without an epoch and a revision."""
    return wanted is None or found.startswith(wanted) or found.split(":", 1)[-1].startswith(wanted)


def cause(finished: subprocess.CompletedProcess[str]) -> str:
    """Return the error lines of apt-get."""
    lines = [line for line in finished.stderr.splitlines() if line.startswith(("E:", "dpkg:"))]
    return " ".join(lines[:5]) or finished.stderr.strip()[-500:]


def main() -> None:
    """Install missing packages and set holds."""
    module = AnsibleModule(
        argument_spec={
            "present": {"type": "list", "elements": "str", "required": True},
            "versions": {"type": "dict", "default": {}},
            "reboot_role": {"type": "str", "default": ""},
            "held": {"type": "list", "elements": "str", "default": []},
        },
        supports_check_mode=True,
    )
    present, versions = module.params["present"], module.params["versions"]
    wanted = missing(present, versions, installed_versions())
    if wanted and not module.check_mode:
        install(module, wanted)
        if left := missing(present, versions, installed_versions()):
            module.fail_json(msg=f"still not installed: {', '.join(left)}")
    loose = not_held(module.params["held"])
    if loose and not module.check_mode:
        mark("hold", *loose)
    after = "".join(f"{name}\n" for name in wanted) + "".join(f"{name} on hold\n" for name in loose)
    module.exit_json(changed=bool(wanted or loose), installed=wanted, diff={"before": "", "after": after})


def mark(*words: str) -> list[str]:
    """Run apt-mark and return the lines that it prints."""
    command = ["apt-mark", *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()  # noqa: S603 no shell


def not_held(names: list[str]) -> list[str]:
    """Return the packages that are not on hold."""
    held = mark("showhold", *names) if names else []
    return [name for name in names if name not in held]


def install(module: AnsibleModule, wanted: list[str]) -> None:
    """Install packages; if that fails, update the package index and try once more."""
    finished = apt_get(
        "install", "--no-install-recommends", "--allow-downgrades", "--allow-change-held-packages", *wanted
    )
    if finished.returncode:
        apt_get("update")
        finished = apt_get(
            "install", "--no-install-recommends", "--allow-downgrades", "--allow-change-held-packages", *wanted
        )
    if finished.returncode:
        hint = "check the host's package sources and free disk space, then run again"
        module.fail_json(msg=f"cannot install {', '.join(wanted)}: {cause(finished)} ({hint})")
    if role := module.params["reboot_role"]:
        REASONS.mkdir(parents=True, exist_ok=True)
        (REASONS / role).write_text(f"installed {', '.join(wanted)}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
