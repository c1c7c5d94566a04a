"""What of a switch's NVUE configuration a rendered file answers for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rackproof.render.nos.cumulus.release import BASE
from rackproof.render.nos.cumulus.renames import to_base
from rackproof.render.nos.cumulus.tree import ends, tree_from_paths

if TYPE_CHECKING:
    from rackproof.render.config_tree import ConfigTree
    from rackproof.render.nos.cumulus.document import Document
    from rackproof.render.nos.cumulus.tree import Words

STARTUP: Final = "the default startup file of Cumulus Linux 5.13, as NVIDIA's enterprise-ras 3.0.0 exports it"

NOBODYS: Final[dict[Words, str]] = {
    ("system", "aaa"): "users and how they log in belong to the device: Rackproof neither shows nor changes them",
    ("system", "api"): STARTUP,
    ("system", "config"): STARTUP,
    ("system", "control-plane"): STARTUP,
    ("system", "message"): STARTUP,
    ("system", "reboot"): STARTUP,
    ("system", "ssh-server"): STARTUP,
    ("system", "timezone"): STARTUP,
    ("system", "wjh"): STARTUP,
}
"""Starts of paths that are passed over, and why."""

LENGTH: Final = 2

DEFAULTS: Final[dict[Words, str]] = {
    ("link", "state", "up"): "NVUE reference, Interface: an interface is up unless it is set to down",
    ("table", "auto"): "Cumulus Linux, Virtual-Routing-and-Forwarding-VRF: a VRF has a table of its own choice",
    ("bgp", "route-export"): "empty in exports of NVIDIA's enterprise-ras 3.0.0",
    ("bgp", "route-import"): "empty in exports of NVIDIA's enterprise-ras 3.0.0",
}
"""Ends of paths that mean nothing, with where they were seen."""


def base_tree(document: Document) -> ConfigTree:
    """Return what a file sets, in the words of the base release."""
    return tree_from_paths(to_base(ends(document.tree), document.release or BASE))


def owned_part(tree: ConfigTree) -> ConfigTree:
    """Return ``tree`` without users and what the switch says of its own accord."""
    return tree_from_paths(words for words in ends(tree) if _is_owned(words))


def _is_owned(words: Words) -> bool:
    """Return whether a path is one that a rendered file answers for."""
    return words[:LENGTH] not in NOBODYS and words[-2:] not in DEFAULTS and words[-3:] not in DEFAULTS
