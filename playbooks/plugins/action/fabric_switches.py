"""Deploys the switches of a site with the ``rackproof`` command and returns its result in the form of Ansible."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any, Final

from ansible.errors import AnsibleActionFail
from ansible.plugins.action import ActionBase

from rackproof import paths

PROGRAM: Final = "import sys; from rackproof.cli import app; sys.exit(app())"


class ActionModule(ActionBase):
    """The task ``fabric_switches``; it runs on the Ansible controller and connects to no host."""

    _requires_connection = False
    _supports_check_mode = True

    def run(self, tmp: str | None = None, task_vars: dict[str, Any] | None = None) -> dict[str, Any]:
        """Compare the switches, change them unless in check mode, and return the differences."""
        result: dict[str, Any] = super().run(tmp, task_vars)
        check = self._task.check_mode
        answer = rackproof(["diff"] if check else ["up", "--yes"], self._task.args, check=check)
        if "error" in answer:
            raise AnsibleActionFail(f"{answer['error']['message']}; {answer['error']['hint']}")
        changes = {one["device"]: [change["text"] for change in one["changes"]] for one in answer["devices"]}
        failures = [text for one in (*answer["devices"], *answer.get("results", ())) if (text := failure(one))]
        result |= {
            "changed": any(changes.values()) and not failures,
            "failed": bool(failures),
            "msg": "; ".join(failures) or summary(changes),
            "devices": answer["devices"],
            "results": answer.get("results", []),
            "diff": [difference(device, lines) for device, lines in changes.items() if lines],
        }
        return result


def rackproof(verb: list[str], arguments: dict[str, Any], *, check: bool) -> dict[str, Any]:
    """Run a ``rackproof`` command with ``--json`` and return its document."""
    words = [*verb, str(arguments["site"]), "--json"]
    chosen = arguments.get("only") or fabric_names(arguments)
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


def fabric_names(arguments: dict[str, Any]) -> list[str]:
    """Return the names of the site's fabrics, so that its servers, which ``nodes.yml`` deploys, are left out."""
    from rackproof.plan.from_file import plan_site  # noqa: PLC0415 slow, and not needed with `only`
    from rackproof.site.load import find_site  # noqa: PLC0415 likewise

    plan = plan_site(find_site(str(arguments["site"]))).for_devices().plan
    return list(dict.fromkeys(switch.fabric for switch in plan.switches.values() if switch.intent is not None))


def failure(one: dict[str, Any]) -> str:
    """Return why a device is not as intended; empty if it is."""
    if "error" in one:
        return f"{one['device']}: {one['error']['message']} ({one['error']['hint']})"
    if one.get("outcome", "changed") in {"changed", "unchanged"}:
        return ""
    return f"{one['device']}: {one['outcome']}: {one['message']} ({one['hint']})"


def summary(changes: dict[str, list[str]]) -> str:
    """Return a sentence with the number of switches that differed."""
    return f"{sum(bool(lines) for lines in changes.values())} of {len(changes)} switches differed"


def difference(device: str, lines: list[str]) -> dict[str, str]:
    """Return the changes of a device in the form of Ansible's diff."""
    return {"header": device, "prepared": "".join(f"{line}\n" for line in lines)}
