"""What of a switch's NVUE configuration a rendered file answers for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rackproof.render.nos.cumulus.left_alone import entry_for
from rackproof.render.nos.cumulus.release import BASE
from rackproof.render.nos.cumulus.renames import to_base
from rackproof.render.nos.cumulus.tree import ends, tree_from_paths

if TYPE_CHECKING:
    from rackproof.render.config_tree import ConfigTree
    from rackproof.render.nos.cumulus.document import Document
    from rackproof.render.nos.cumulus.tree import Words

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
    """Return ``tree`` without the paths that are left alone and the defaults that a switch prints."""
    return tree_from_paths(words for words in ends(tree) if _is_owned(words))


def _is_owned(words: Words) -> bool:
    """Return whether a path is one that a rendered file answers for."""
    return words[-2:] not in DEFAULTS and words[-3:] not in DEFAULTS and entry_for(words) is None
