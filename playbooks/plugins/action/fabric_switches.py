"""Makes switches what the site file asks for, with the product's own command, and tells it as Ansible tells things."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any, Final

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase

from rackproof import paths

COULD_NOT_TELL: Final = 2
"""Exit status of ``rackproof`` where a device could not be read."""
BAD_INPUT: Final = 3
PROGRAM: Final = "import sys; from rackproof.cli import app; sys.exit(app())"


class ActionModule(ActionBase):
    """The whole task: it runs on this machine, and no host is connected to."""

    _requires_connection = False
    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Compare, or compare and change, and return what differed."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        check = self._task.check_mode
        said = rackproof(["diff"] if check else ["up", "--yes"], self._task.args, check=check)
        if "error" in said:
            raise AnsibleActionFail(f"{said['error']['message']}; {said['error']['hint']}")
        changes = {one["device"]: [change["text"] for change in one["changes"]] for one in said["devices"]}
        failures = [text for one in (*said["devices"], *said.get("results", ())) if (text := failure(one))]
        result |= {
            "changed": any(changes.values()) and not failures,
            "failed": bool(failures),
            "msg": "; ".join(failures) or summary(changes),
            "devices": said["devices"],
            "results": said.get("results", []),
            "diff": [difference(device, lines) for device, lines in changes.items() if lines],
        }
        return result


def rackproof(verb: list[str], arguments: dict[str, Any], *, check: bool) -> dict[str, Any]:
    """Run a verb of the product for a program and return its document."""
    words = [*verb, str(arguments["site"]), "--json"]
    chosen = arguments.get("only") or fabrics_of(arguments)
    words += [word for name in chosen for word in ("--only", str(name))]
    words += ["--access", str(arguments["access"])] if arguments.get("access") else []
    words += ["--allow-disruption"] if arguments.get("allow_disruption") and not check else []
    done = subprocess.run(  # noqa: S603 our own command
        [sys.executable, "-c", PROGRAM, *words], cwd=paths.ROOT, capture_output=True, text=True, check=False
    )
    if not done.stdout.strip():
        raise AnsibleActionFail(f"rackproof ended with status {done.returncode}: {done.stderr.strip()[-500:]}")
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def fabrics_of(arguments: dict[str, Any]) -> list[str]:
    """Return the fabrics of the site: everything but its servers, which have a playbook of their own."""
    from rackproof.plan.from_file import plan_site  # noqa: PLC0415 slow, and not needed where something was chosen
    from rackproof.site.load import find_site  # noqa: PLC0415 likewise

    plan = plan_site(find_site(str(arguments["site"]))).for_devices().plan
    return list(dict.fromkeys(switch.fabric for switch in plan.switches.values() if switch.intent is not None))


def failure(one: dict[str, Any]) -> str:
    """Return why a device is not as intended; empty: it is."""
    if "error" in one:
        return f"{one['device']}: {one['error']['message']} ({one['error']['hint']})"
    if one.get("outcome", "changed") in {"changed", "unchanged"}:
        return ""
    return f"{one['device']}: {one['outcome']}: {one['message']} ({one['hint']})"


def summary(changes: dict[str, list[str]]) -> str:
    """Return how many switches differed."""
    return f"{sum(bool(lines) for lines in changes.values())} of {len(changes)} switches differed"


def difference(device: str, lines: list[str]) -> dict[str, str]:
    """Return the changes of a device as Ansible shows differences."""
    return {"header": device, "prepared": "".join(f"{line}\n" for line in lines)}
