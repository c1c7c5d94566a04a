"""Sets the generic live settings of a role: renders the list on the controller, sets the values on the host.

The list is the role's ``live.json.j2``; ``rackproof.render.managed_files`` renders it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase

from rackproof.errors import RackproofError
from rackproof.render.managed_files import live_settings, needed_variables


class ActionModule(ActionBase):
    """The part of the task that runs on the Ansible controller."""

    _requires_connection = True
    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Render the list of the role and run the module on the host."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        seen = task_vars or {}
        role = Path(seen["role_path"])
        names = [name for name in needed_variables(role) if name in seen]
        variables = {name: self._templar.resolve_variable_expression(name) for name in names}
        try:
            settings = list(live_settings(role, variables))
        except RackproofError as error:
            raise AnsibleActionFail(f"{error.message}; {error.hint}") from error
        result.update(self._execute_module("live_settings", module_args={"settings": settings}, task_vars=seen))
        result["settings"] = settings
        return result
