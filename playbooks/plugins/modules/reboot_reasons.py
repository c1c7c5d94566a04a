"""Reads the reasons why a host has to be rebooted."""

from __future__ import annotations

import shutil
from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = r"""
module: reboot_reasons
short_description: Reasons for a reboot
description:
  - Reads the arguments of the running kernel, C(/run/reboot-required), and C(/run/rackproof/reboot-required.d), where
    each role writes its reason to a file. A reboot removes that folder; an interrupted run does not.
options:
  kernel_arguments:
    description: Required arguments of the running kernel.
    type: list
    elements: str
    default: []
author: Rackproof (@rackproof)
"""

EXAMPLES = r"""
- name: Read the reasons for a reboot
  reboot_reasons:
    kernel_arguments: "{{ base_kernel_arguments }}"
"""

RETURN = r"""
reasons:
  description: One sentence each; empty if no reboot is needed.
  type: list
  returned: always
kernel_arguments_from_outside:
  description: Missing arguments that no boot loader of this host can set.
  type: list
  returned: always
"""


def main() -> None:
    """Report the reasons; change nothing."""
    module = AnsibleModule(
        argument_spec={"kernel_arguments": {"type": "list", "elements": "str", "default": []}},
        supports_check_mode=True,
    )
    running = Path("/proc/cmdline").read_text(encoding="utf-8").split()
    lacking = [argument for argument in module.params["kernel_arguments"] if argument not in running]
    has_grub = shutil.which("update-grub") is not None
    reasons = [f"the kernel runs without {' '.join(lacking)}"] if lacking and has_grub else []
    if Path("/run/reboot-required").exists():
        reasons.append("an update requires it (/run/reboot-required)")
    left = sorted(Path("/run/rackproof/reboot-required.d").glob("*"))
    reasons += [f"{path.name}: {path.read_text(encoding='utf-8').strip()}" for path in left]
    outside = [] if has_grub else lacking
    module.exit_json(changed=False, reasons=reasons, kernel_arguments_from_outside=outside)


if __name__ == "__main__":
    main()
