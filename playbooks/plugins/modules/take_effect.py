"""Runs a command that applies a change."""

from __future__ import annotations

import subprocess

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = r"""
module: take_effect
short_description: Run a command that applies a change
description:
  - For handlers. Every run counts as a change, such as a restart; check mode reports it and runs nothing.
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
  description: Output of the command; empty in check mode.
  type: str
  returned: success
"""


def main() -> None:
    """Run the command; in check mode only report it."""
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
