"""Paths of NVUE as settings: the state of a port; all else that a path sets is in the intent, or shown as a path."""

import re
from collections.abc import Iterable
from typing import Final

from rackproof.deploy.switch.compare.managed_config import BEHIND, has_line
from rackproof.deploy.switch.settings import Setting, SettingChanges, setting_changes
from rackproof.render.config_tree import ConfigTree

DOWN: Final = re.compile(BEHIND.join(("interface", r"swp(?P<port>\d+)(?:s(?P<child>\d+))?", "link", "state", "down")))


def settings(unknown: Iterable[str], _missing: Iterable[str], intended: ConfigTree) -> SettingChanges:
    """Return the ports that are set to down and have settings of a port in use, in words."""
    matches = [match for chain in unknown if (match := DOWN.fullmatch(chain)) and not has_line(intended, chain)]
    down = (Setting(port_number(match), "state", "down", absent="up", on_port=True) for match in matches)
    return SettingChanges(setting_changes(down, ()), frozenset(match[0] for match in matches))


def port_number(match: re.Match[str]) -> str:
    """Return the number of a port as texts show it: swp1s0 is the first child of port 1, 1/1/1."""
    child = match["child"]
    return f"1/{match['port']}" + ("" if child is None else f"/{int(child) + 1}")
