"""Writes all files of a role in one task: renders them on the controller, compares and replaces them on the host.

The list and the rendering are ``rackproof.render.managed_files``; see there for the shape of ``vars/managed.yml``.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase

from rackproof.errors import RackproofError
from rackproof.render.managed_files import managed_files, needed_variables, owned_patterns


class ActionModule(ActionBase):
    """The part of the task that runs on the Ansible controller."""

    _requires_connection = True
    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Render the files of the role, run the module on the host, and notify its handlers."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        seen = task_vars or {}
        role = Path(seen["role_path"])
        names = [name for name in needed_variables(role) if name in seen]
        variables = {name: self._templar.resolve_variable_expression(name) for name in names}
        try:
            files = managed_files(role, variables)
            owned = owned_patterns(role, variables)
        except RackproofError as error:
            raise AnsibleActionFail(f"{error.message}; {error.hint}") from error
        arguments = {
            "files": [asdict(file) for file in files],
            "owned": [asdict(pattern) for pattern in owned],
            "root": self._task.args.get("root", "/"),
        }
        result.update(self._execute_module("managed_files", module_args=arguments, task_vars=seen))
        result["_ansible_notify"] = result.get("notify", [])
        result.get("invocation", {}).pop("module_args", None)
        return result
