"""Cumulus Linux: the NVUE configuration that ``nv config patch`` takes and ``nv config show`` prints.

NVUE takes one structured document, so it is built as a tree and not from templates. Start at ``render`` below: each
``write_*`` adds a feature; ``schema`` refuses paths that templates/cumulus/nvue.yaml lacks; ``parse`` reads back.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from rackproof.errors import BadInputError
from rackproof.plan.network.nos_syntax import nos_dialect
from rackproof.render.nos.cumulus import interfaces, qos, routing, system, telemetry
from rackproof.render.nos.cumulus.document import read_document, write_known
from rackproof.render.nos.cumulus.grouping import group, spread
from rackproof.render.nos.cumulus.left_alone import LEFT_ALONE, entry_for
from rackproof.render.nos.cumulus.owned import base_tree, owned_part
from rackproof.render.nos.cumulus.parse import switch_intent
from rackproof.render.nos.cumulus.patch import patches
from rackproof.render.nos.cumulus.ports import port_names
from rackproof.render.nos.cumulus.release import BASE, Release, parse_release, release_name
from rackproof.render.nos.cumulus.renames import tree_to_release
from rackproof.render.nos.cumulus.schema import refused
from rackproof.render.nos.cumulus.tree import ends
from rackproof.render.ownership import reported_topics
from rackproof.render.parsed import ParsedConfiguration, explained

if TYPE_CHECKING:
    from rackproof.hardware.models import NosModel, SwitchModel
    from rackproof.plan.model.plan import SwitchIntent
    from rackproof.render.config_tree import ConfigTree
    from rackproof.render.nos.cumulus.grouping import Groups

__all__ = ["LEFT_ALONE", "SUFFIX", "left_alone", "nvue_tree", "owned_tree", "parse", "patches", "render"]

SUFFIX = ".yaml"
SHOWN: Final = 5
"""Refused paths that an error names."""


def render(nos: NosModel, model: SwitchModel, intent: SwitchIntent) -> str:
    """Return the whole configuration, without users, in the words of the intent's dialect.

    Raises
    ------
    BadInputError
        The intent needs a path that no manual page and no export of NVIDIA shows.
    """
    tree, groups = _parts(nos, model, intent)
    group(tree, groups)
    release = parse_release(intent.dialect) if intent.dialect else BASE
    if release != BASE:
        tree = tree_to_release(tree, release)
    text = write_known(tree, release)
    if text is None:
        raise _refusal(tree, release)
    return text


def nvue_tree(nos: NosModel, model: SwitchModel, intent: SwitchIntent) -> ConfigTree:
    """Return the configuration as a tree, every interface by itself, in the words of the base release."""
    tree, groups = _parts(nos, model, intent)
    spread(tree, groups)
    return tree


def _parts(nos: NosModel, model: SwitchModel, intent: SwitchIntent) -> tuple[ConfigTree, Groups]:
    """Return the configuration as a tree, and apart from it the ports and sessions, of which there are many alike."""
    tree: ConfigTree = {}
    groups: Groups = {}
    names = port_names(nos, model, intent.breakouts)
    system.write_services(tree, intent)
    system.write_relays(tree, intent, names)
    telemetry.write_telemetry(tree, intent)
    interfaces.write_own_addresses(tree, intent)
    interfaces.write_ports(groups, intent, names)
    interfaces.write_bonds(tree, intent, names)
    interfaces.write_vlans(tree, intent)
    routing.write_bgp(tree, groups, intent, names)
    routing.write_vrfs(tree, groups, intent, names)
    routing.write_overlay(tree, intent)
    routing.write_policy(tree, intent.policy)
    routing.write_default_route(tree, intent)
    qos.write_qos(tree, intent)
    return tree, groups


def _refusal(tree: ConfigTree, release: Release) -> BadInputError:
    """Return the error about paths that no manual page or export shows."""
    found = islice(refused(tree, release), SHOWN)
    return BadInputError(
        f"not known to be accepted by Cumulus Linux {release_name(release)}: {'; '.join(found)}",
        "templates/cumulus/nvue.yaml lists the known paths, each with its source and its releases",
    )


def parse(nos: NosModel, model: SwitchModel, text: str) -> ParsedConfiguration:
    """Return what the file means, and the lines in which it is not the rendering of that."""
    document = read_document(text)
    tree = base_tree(document)
    intent = switch_intent(nos, model, tree, _dialect(nos, document.release))
    return explained(intent, owned_part(tree), owned_part(nvue_tree(nos, model, intent)))


def _dialect(nos: NosModel, release: Release | None) -> str | None:
    """Return the name of the dialect that a file is written in; None where it does not say its release."""
    return nos_dialect(nos, release_name(release)) if release else None


def owned_tree(text: str) -> ConfigTree:
    """Return what a rendered file answers for, in the words of the base release."""
    return owned_part(base_tree(read_document(text)))


def left_alone(text: str) -> tuple[str, ...]:
    """Return the topics of the paths that Rackproof leaves alone, beyond those that every switch has."""
    found = ((entry_for(words), " ".join(words)) for words in ends(base_tree(read_document(text))))
    return reported_topics((entry, line) for entry, line in found if entry is not None)
