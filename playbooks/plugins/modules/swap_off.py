"""Disables swap, immediately and after a reboot."""

from __future__ import annotations

import subprocess
from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = r"""
module: swap_off
short_description: Disables swap
description:
  - Masks systemd's C(swap.target), which enables swap of fstab and of the partition table, and disables active swap.
author: Rackproof (@rackproof)
"""

EXAMPLES = r"""
- name: Disable swap
  swap_off:
"""

RETURN = r"""
used:
  description: Files and devices that were in use as swap.
  type: list
  returned: always
"""

SWAPS = Path("/proc/swaps")
MASK = Path("/etc/systemd/system/swap.target")


def in_use() -> list[str]:
    """Return the files and devices in use as swap; the first line of the list is its header (proc(5))."""
    return [line.split()[0] for line in SWAPS.read_text(encoding="utf-8").splitlines()[1:]]


def masked() -> bool:
    """Whether systemd enables no swap."""
    return MASK.is_symlink() and str(MASK.readlink()) == "/dev/null"


def main() -> None:
    """Disable swap if it is enabled."""
    module = AnsibleModule(argument_spec={}, supports_check_mode=True)
    used, mask = in_use(), not masked()
    commands = [["systemctl", "mask", "swap.target"]] * mask + [["swapoff", "--all"]] * bool(used)
    for command in commands if not module.check_mode else []:
        finished = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 constants
        if finished.returncode:
            module.fail_json(msg=f"{' '.join(command)}: {finished.stderr.strip()}")
    before = "".join(f"{name}\n" for name in used) + "swap.target is not masked\n" * mask
    module.exit_json(changed=bool(commands), used=used, diff={"before": before, "after": ""})


if __name__ == "__main__":
    main()
