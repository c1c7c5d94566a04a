"""Enables automount units and checks that file systems are mounted with the planned transport."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = r"""
module: nfs_mounts
short_description: NFS mounts of the systemd units of a role
description:
  - Enables the automount units and accesses every mount point once, so that the file systems are mounted.
  - Compares server, protocol and transport with C(/proc/self/mountstats), not with the mount options. A mount that
    differs is mounted again; if it is in use, the module fails and does not change it.
options:
  mounts:
    description: C(path), C(source), C(unit) (name without suffix), C(transport) (rdma or tcp).
    type: list
    elements: dict
    required: true
  changed_paths:
    description: Files that this run wrote; a mount whose unit is among them is mounted again.
    type: list
    elements: str
    default: []
author: Rackproof (@rackproof)
"""

EXAMPLES = r"""
- name: Have file systems mounted
  nfs_mounts:
    mounts: [{path: /mnt/scale, source: "10.20.1.11:/ifs", unit: mnt-scale, transport: rdma}]
"""

RETURN = r"""
mounted:
  description: What is mounted where, over which transport.
  type: list
  returned: always
"""

STATS = Path("/proc/self/mountstats")
ANEW = "mount anew"
TIMEOUT_S = 90
"""Time limit of an access; a mount from a server that does not answer ends later, at the unit's TimeoutSec."""


def transports(text: str) -> dict[str, tuple[str, str]]:
    """Return source and transport of every NFS mount by its path (the kernel's net/sunrpc/xprt*.c print_stats)."""
    found = {}
    for part in re.split(r"(?m)^device ", text):
        head = re.match(r"(\S+) mounted on (\S+) with fstype nfs4? ", part)
        if head:
            transport = re.search(r"^\s*xprt:\s+(\S+)", part, re.MULTILINE)
            found[head.group(2)] = (head.group(1), transport.group(1) if transport else "none")
    return found


def systemctl(*words: str) -> str:
    """Run systemctl; return the error, or an empty text."""
    command = ["systemctl", *words]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 no shell
    return finished.stderr.strip() or f"{' '.join(command)} failed" if finished.returncode else ""


def unit_is(verb: str, unit: str) -> bool:
    """Whether a unit is active, or enabled."""
    command = ["systemctl", "--quiet", verb, unit]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0  # noqa: S603 no shell


def touch(mount: dict[str, Any]) -> str:
    """Access the mount point, which mounts it; return the error. A child process does, because access may hang."""
    command = ["ls", "--directory", f"{mount['path']}/."]
    try:
        finished = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT_S)  # noqa: S603
    except subprocess.TimeoutExpired:
        return f"{mount['source']} did not answer within {TIMEOUT_S} s"
    if not finished.returncode:
        return ""
    journal = ["journalctl", "--no-pager", "--output=cat", "--lines=3", f"--unit={mount['unit']}.mount"]
    said = subprocess.run(journal, capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603 no shell
    return f"{mount['source']} is not mounted on {mount['path']}: {said or finished.stderr.strip()}"


def unlike(mount: dict[str, Any], found: dict[str, tuple[str, str]]) -> str:
    """Return how a mount differs from the planned one; empty if it does not."""
    if mount["path"] not in found:
        return f"{mount['path']} is not mounted"
    source, transport = found[mount["path"]]
    if source != mount["source"]:
        return f"{mount['path']}: expected {mount['source']}, actual {source}"
    if transport != mount["transport"]:
        return f"{mount['path']}: expected transport {mount['transport']}, actual {transport}"
    return ""


def look(mount: dict[str, Any], written: list[str]) -> list[str]:
    """Return the actions for a mount; mounting on first use is not one of them."""
    automount = f"{mount['unit']}.automount"
    todo = [f"enable {automount}"] if not unit_is("is-enabled", automount) else []
    todo += [f"start {automount}"] if not unit_is("is-active", automount) else []
    found = transports(STATS.read_text(encoding="utf-8"))
    if mount["path"] in found:
        rewritten = any(path.startswith(f"/etc/systemd/system/{mount['unit']}.") for path in written)
        reason = unlike(mount, found) or ("its unit changed" if rewritten else "")
        todo += [f"{ANEW}: {reason}"] if reason else []
    return todo


def act(mount: dict[str, Any], todo: list[str]) -> str:
    """Perform the actions and access the mount point; return the error, or an empty text."""
    unit = mount["unit"]
    if any(line.startswith(ANEW) for line in todo) and (problem := systemctl("stop", f"{unit}.mount")):
        return f"{mount['path']} is in use and keeps its old settings until it is unmounted: {problem}"
    if todo and (problem := systemctl("enable", f"{unit}.automount") or systemctl("restart", f"{unit}.automount")):
        return problem
    return touch(mount) or unlike(mount, transports(STATS.read_text(encoding="utf-8")))


def main() -> None:
    """Change mounts that differ and report server and transport of each."""
    module = AnsibleModule(
        argument_spec={
            "mounts": {"type": "list", "elements": "dict", "required": True},
            "changed_paths": {"type": "list", "elements": "str", "default": []},
        },
        supports_check_mode=True,
    )
    mounts = module.params["mounts"]
    todo = {mount["path"]: look(mount, module.params["changed_paths"]) for mount in mounts}
    wrong = [] if module.check_mode else [problem for one in mounts if (problem := act(one, todo[one["path"]]))]
    if wrong:
        module.fail_json(msg="; ".join(wrong))
    lines = [line for each in todo.values() for line in each]
    found = transports(STATS.read_text(encoding="utf-8"))
    mounted = [f"{path}: {found[path][0]} over {found[path][1]}" for path in todo if path in found]
    after = "".join(f"{line}\n" for line in lines)
    module.exit_json(changed=bool(lines), mounted=mounted, diff={"before": "", "after": after})


if __name__ == "__main__":
    main()
