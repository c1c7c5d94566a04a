"""A command that makes a change take effect."""

from __future__ import annotations

import subprocess

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = r"""
module: take_effect
short_description: Run a command that makes a change take effect
description:
  - For handlers. Every run of one changes something, such as a restart; check mode says so, and runs nothing.
options:
  argv:
    description: The command.
    type: list
    elements: str
    required: true
author: Rackproof (@rackproof)
"""

EXAMPLES = r"""
- name: Restart the resolver
  take_effect:
    argv: [systemctl, restart, systemd-resolved.service]
"""

RETURN = r"""
stdout:
  description: What the command said; nothing in check mode.
  type: str
  returned: success
"""


def main() -> None:
    """Run the command, or say that it would be run."""
    argument_spec = {"argv": {"type": "list", "elements": "str", "required": True}}
    module = AnsibleModule(argument_spec=argument_spec, supports_check_mode=True)
    if module.check_mode:
        module.exit_json(changed=True, stdout="")
    argv = module.params["argv"]
    finished = subprocess.run(argv, capture_output=True, text=True, check=False)  # noqa: S603 from the role
    if finished.returncode:
        said = finished.stderr.strip() or finished.stdout.strip() or f"status {finished.returncode}"
        module.fail_json(msg=f"{' '.join(argv)}: {said}")
    module.exit_json(changed=True, stdout=finished.stdout)


if __name__ == "__main__":
    main()
