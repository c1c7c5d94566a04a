"""Applies the networkd or netplan configuration of the planned ports and waits until it is active."""

from __future__ import annotations

import ipaddress
import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

from ansible.module_utils.basic import AnsibleModule

DOCUMENTATION = r"""
module: apply_network
short_description: Addresses, rules and routes of a running host
description:
  - Compares the running host with the role's live settings of kind C(link), C(address), C(rule) and C(route).
  - Reconfigures the named ports only, and only when something differs or a file changed.
  - Refuses, changing nothing, if the address that Ansible uses would be removed.
options:
  settings:
    description: The role's live settings.
    type: list
    elements: dict
    required: true
  renderer:
    description: Network configuration system that applies the files.
    type: str
    choices: [networkd, netplan]
    required: true
  dirty:
    description: Whether a file changed since the files were last applied.
    type: bool
    default: false
  timeout_s:
    description: Time limit for all settings to become active.
    type: int
    default: 45
author: Rackproof (@rackproof)
"""

EXAMPLES = r"""
- name: Apply the addresses
  apply_network:
    settings: "{{ addresses_live.settings }}"
    renderer: networkd
"""

RETURN = r"""
differences:
  description: Settings that differed.
  type: list
  returned: always
"""

# The number of the kernel's main table (rtnetlink(7), RT_TABLE_MAIN).
MAIN = 254


def run(*command: str) -> str:
    """Run a command and return its output."""
    finished = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 no shell
    if finished.returncode:
        raise OSError(f"{' '.join(command)}: {finished.stderr.strip()}")
    return finished.stdout


class Live:
    """The current network state of the host."""

    def __init__(self) -> None:
        shown = json.loads(run("ip", "-j", "address", "show"))
        self.mtus = {link["ifname"]: link["mtu"] for link in shown}
        self.addresses = {
            (link["ifname"], f"{each['local']}/{each['prefixlen']}") for link in shown for each in link["addr_info"]
        }
        rules = json.loads(run("ip", "-j", "-N", "rule", "show"))
        self.rules = {(rule["src"], int(rule["table"])) for rule in rules}
        routes = json.loads(run("ip", "-j", "-N", "-4", "route", "show", "table", "all"))
        self.routes = {
            (route["dst"], route.get("dev"), route.get("gateway"), int(route.get("table", MAIN))) for route in routes
        }

    def difference(self, setting: dict[str, Any]) -> str:
        """Return how the host differs from a setting; empty if it does not, or if another module handles the kind."""
        kind = setting["kind"]
        if kind == "link":
            mtu = self.mtus.get(setting["name"])
            if mtu is None:
                return f"{setting['name']} does not exist"
            return f"{setting['name']}: MTU {mtu}, not {setting['mtu_bytes']}" if mtu != setting["mtu_bytes"] else ""
        if kind == "address":
            held = (setting["link"], setting["address"]) in self.addresses
            return "" if held else f"{setting['link']} lacks address {setting['address']}"
        if kind == "rule":
            return "" if (setting["from"], setting["table"]) in self.rules else f"no rule from {setting['from']}"
        if kind == "route":
            table = MAIN if setting["table"] == "main" else setting["table"]
            route = (destination(setting["to"]), setting["link"], setting["gateway"], table)
            return "" if route in self.routes else f"no route to {setting['to']} in table {setting['table']}"
        return ""

    def differences(self, settings: list[dict[str, Any]]) -> list[str]:
        """Return all differences."""
        return [difference for setting in settings if (difference := self.difference(setting))]


def destination(prefix: str) -> str:
    """Return a prefix as ``ip`` prints it: a whole address without its length."""
    return prefix.removesuffix("/32")


def cut_off(settings: list[dict[str, Any]], live: Live) -> str:
    """Return why the change would cut Ansible's connection; empty if it would not."""
    came_to = os.environ.get("SSH_CONNECTION", "").split()[2:3]
    wanted = {(each["link"], str(ipaddress.ip_interface(each["address"]).ip)) for each in of_kind(settings, "address")}
    named = {link for link, _ in wanted}
    for link, address in live.addresses:
        ip = address.split("/", maxsplit=1)[0]
        if [ip] == came_to and link in named and (link, ip) not in wanted:
            return f"Ansible uses {ip} on {link}, which the plan gives another address: use another address of the host"
    return ""


def of_kind(settings: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    """Return the settings of one kind."""
    return [setting for setting in settings if setting["kind"] == kind]


def apply_files(renderer: str, names: list[str]) -> None:
    """Load the files and reconfigure the named ports that exist; new ones are configured when networkd creates them."""
    if renderer == "netplan":
        run("netplan", "apply")
        return
    run("networkctl", "reload")
    there = [name for name in names if Path("/sys/class/net", name).exists()]
    if there:
        run("networkctl", "reconfigure", *there)


def wait(settings: list[dict[str, Any]], timeout_s: int) -> list[str]:
    """Wait until no setting differs; return the remaining differences at the time limit."""
    deadline = time.monotonic() + timeout_s
    while (left := Live().differences(settings)) and time.monotonic() < deadline:
        time.sleep(0.5)
    return left


def main() -> None:
    """Compare the network with the settings and apply the files if it differs."""
    module = AnsibleModule(
        argument_spec={
            "settings": {"type": "list", "elements": "dict", "required": True},
            "renderer": {"type": "str", "choices": ["networkd", "netplan"], "required": True},
            "dirty": {"type": "bool", "default": False},
            "timeout_s": {"type": "int", "default": 45},
        },
        supports_check_mode=True,
    )
    settings = module.params["settings"]
    names = [link["name"] for link in of_kind(settings, "link")]
    live = Live()
    differences = live.differences(settings)
    if problem := cut_off(settings, live):
        module.fail_json(msg=problem)
    changed = bool(names) and (module.params["dirty"] or bool(differences))
    if changed and not module.check_mode:
        bring_up(module, settings, names)
    after = "".join(f"{line}\n" for line in differences)
    module.exit_json(changed=changed, differences=differences, diff={"before": after, "after": ""})


def bring_up(module: AnsibleModule, settings: list[dict[str, Any]], names: list[str]) -> None:
    """Apply the files and wait; fail with the remaining differences."""
    try:
        apply_files(module.params["renderer"], names)
        left = wait(settings, module.params["timeout_s"])
    except OSError as error:
        module.fail_json(msg=str(error), changed=True)
    if left:
        hint = "see journalctl -u systemd-networkd on the host; a port without carrier takes no address of a bond"
        module.fail_json(msg=f"after {module.params['timeout_s']} s: {'; '.join(left)} ({hint})", changed=True)


if __name__ == "__main__":
    main()
