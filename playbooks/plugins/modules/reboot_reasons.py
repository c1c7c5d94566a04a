"""Why a host has to be rebooted, if it has to be."""

from __future__ import annotations

import shutil
from pathlib import Path

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = r"""
module: reboot_reasons
short_description: Why a host has to be rebooted
description:
  - Looks at the running kernel's arguments, at C(/run/reboot-required), and at what roles left in
    C(/run/rackproof/reboot-required.d), one file a role, its text the reason. The folder goes with the reboot, and
    a run that was interrupted before it still knows.
options:
  kernel_arguments:
    description: Arguments that the running kernel has to have.
    type: list
    elements: str
    default: []
author: Rackproof (@rackproof)
"""

EXAMPLES = r"""
- name: Ask why the host has to be rebooted
  reboot_reasons:
    kernel_arguments: "{{ base_kernel_arguments }}"
"""

RETURN = r"""
reasons:
  description: One sentence each; empty where no reboot is needed.
  type: list
  returned: always
kernel_arguments_from_outside:
  description: Arguments that the kernel lacks and that no boot loader of this host can give it.
  type: list
  returned: always
"""


def main() -> None:
    """Report the reasons; nothing is changed."""
    module = AnsibleModule(
        argument_spec={"kernel_arguments": {"type": "list", "elements": "str", "default": []}},
        supports_check_mode=True,
    )
    running = Path("/proc/cmdline").read_text(encoding="utf-8").split()
    lacking = [argument for argument in module.params["kernel_arguments"] if argument not in running]
    has_grub = shutil.which("update-grub") is not None
    reasons = [f"the kernel runs without {' '.join(lacking)}"] if lacking and has_grub else []
    if Path("/run/reboot-required").exists():
        reasons.append("an update asks for it (/run/reboot-required)")
    left = sorted(Path("/run/rackproof/reboot-required.d").glob("*"))
    reasons += [f"{path.name}: {path.read_text(encoding='utf-8').strip()}" for path in left]
    outside = [] if has_grub else lacking
    module.exit_json(changed=False, reasons=reasons, kernel_arguments_from_outside=outside)


if __name__ == "__main__":
    main()
