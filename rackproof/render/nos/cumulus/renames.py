"""What other releases call a path of the base release, Cumulus Linux 5.13.

Sources: NVIDIA's page "New and Changed NVUE Commands" of Cumulus Linux 5.15 (tables DNS Server, NTP, LLDP, IP
Interface, On/Off, and the list of deprecated commands); NVUE reference, Syslog (5.13);
Bidirectional-Forwarding-Detection of 5.15 (profiles; 3 times 300 ms are the defaults).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Final

from rackproof.render.nos.cumulus.release import BEFORE_BASE, STATE_WORDS, Release
from rackproof.render.nos.cumulus.schema import SWITCH, known, value_kind
from rackproof.render.nos.cumulus.tree import ends, tree_from_paths

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from rackproof.render.config_tree import ConfigTree
    from rackproof.render.nos.cumulus.tree import Words

LATER: Final = {"on": "enabled", "off": "disabled"}
EARLIER: Final = {later: earlier for earlier, later in LATER.items()}
ANY_EARLIER: Final[Release] = (0, 0)
ANY_LATER: Final[Release] = (99, 0)


@dataclass(frozen=True, slots=True)
class Rename:
    """A path of the base release, and what stands in its place in others; ``<a>`` is any one word."""

    base: Words
    other: Words
    first: Release = STATE_WORDS
    last: Release = ANY_LATER
    besides: tuple[Words, ...] = ()
    """Paths that the other release needs besides."""


def _words(text: str) -> Words:
    return tuple(text.split(" "))


def _later(base: str, other: str, *besides: str) -> Rename:
    return Rename(_words(base), _words(other), besides=tuple(map(_words, besides)))


BFD_PROFILE: Final = "fabric"

RENAMES: Final = (
    _later("interface <i> ip vrf <v>", "interface <i> vrf <v>"),
    _later("interface <i> ip address dhcp", "interface <i> ipv4 dhcp-client state enabled"),
    _later("interface <i> ip address <a>", "interface <i> ipv4 address <a>"),
    _later("interface <i> ip gateway <a>", "interface <i> ipv4 gateway <a>"),
    _later("interface <i> ip vrr address <a>", "interface <i> ipv4 vrr address <a>"),
    _later("interface <i> ip vrr enable on", "interface <i> ipv4 vrr state enabled"),
    _later("interface <i> ip vrr enable off", "interface <i> ipv4 vrr state disabled"),
    _later("interface <i> ip vrr state <s>", "interface <i> ipv4 vrr vrr-state <s>"),
    _later("service dns <v> server <a>", "system dns server <a> vrf <v>"),
    _later("service ntp mgmt server <a>", "system ntp server <a>", "system ntp vrf mgmt"),
    _later("service lldp state <s>", "system lldp state <s>"),
    *(
        _later(
            f"vrf <v> router bgp {kind} <g> bfd enable on",
            f"vrf <v> router bgp {kind} <g> bfd profile {BFD_PROFILE}",
            "router bfd state enabled",
            f"router bfd profile {BFD_PROFILE} detect-multiplier 3",
            f"router bfd profile {BFD_PROFILE} min-rx-interval 300",
            f"router bfd profile {BFD_PROFILE} min-tx-interval 300",
        )
        for kind in ("neighbor", "peer-group")
    ),
    Rename(
        _words("system syslog server <a> vrf <v>"), _words("service syslog <v> server <a>"), ANY_EARLIER, BEFORE_BASE
    ),
)


def tree_to_release(tree: ConfigTree, release: Release) -> ConfigTree:
    """Return a tree of the base release in the words of another; branches that no rename reaches are shared."""
    if release >= STATE_WORDS:
        return tree_from_paths(to_release(ends(tree), release))
    reached = {rule.base[0] for rule in _rules(release)}
    renamed = tree_from_paths(
        to_release(ends({word: below for word, below in tree.items() if word in reached}), release)
    )
    for word, below in tree.items():
        if word not in reached and word not in renamed:
            renamed[word] = below
        elif word not in reached:
            renamed[word] = tree_from_paths((*ends(below), *ends(renamed[word])))
    return renamed


def to_release(paths: Iterable[Words], release: Release) -> Iterator[Words]:
    """Yield paths of the base release in the words of another; what it needs besides comes last."""
    rules = _rules(release)
    besides: dict[Words, None] = {}
    for words in paths:
        rule, found = _first_match(rules, words, base=True)
        if rule is not None:
            besides |= dict.fromkeys(rule.besides)
            yield _filled(rule.other, found)
        else:
            yield _with_state_words(words) if release >= STATE_WORDS else words
    yield from besides


def to_base(paths: Iterable[Words], release: Release) -> Iterator[Words]:
    """Yield paths of a release in the words of the base release; unknown paths stay as they are."""
    rules = _rules(release)
    besides = set(chain.from_iterable(rule.besides for rule in rules))
    for words in paths:
        if words in besides:
            continue
        rule, found = _first_match(rules, words, base=False)
        if rule is not None:
            yield _filled(rule.base, found)
        else:
            yield _without_state_words(words) if release >= STATE_WORDS else words


def _rules(release: Release) -> tuple[Rename, ...]:
    """Return the renames that hold in a release."""
    return tuple(rule for rule in RENAMES if rule.first <= release <= rule.last)


def _first_match(rules: Iterable[Rename], words: Words, *, base: bool) -> tuple[Rename | None, dict[str, str]]:
    """Return the first rule that ``words`` match, with what each ``<a>`` stands for."""
    for rule in rules:
        found = _match(rule.base if base else rule.other, words)
        if found is not None:
            return rule, found
    return None, {}


def _match(pattern: Words, words: Words) -> dict[str, str] | None:
    """Return what each ``<a>`` of ``pattern`` stands for in ``words``; None where they do not match."""
    if len(pattern) != len(words) or pattern[0] != words[0]:
        return None
    found = {}
    for expected, word in zip(pattern, words, strict=True):
        if expected.startswith("<"):
            found[expected] = word
        elif expected != word:
            return None
    return found


def _filled(pattern: Words, found: Mapping[str, str]) -> Words:
    """Return ``pattern`` with every ``<a>`` replaced."""
    return tuple(found.get(word, word) for word in pattern)


def _with_state_words(words: Words) -> Words:
    """Return a path with ``state enabled`` for ``enable on``."""
    if words[-1] not in LATER or len(words) < 2:
        return words
    kind = value_kind(words)
    if kind is None or kind.name != SWITCH:
        return words
    last = "state" if words[-2] == "enable" else words[-2]
    return (*words[:-2], last, LATER[words[-1]])


def _without_state_words(words: Words) -> Words:
    """Return a path with ``enable on`` for ``state enabled``, where the base release has it so."""
    if words[-1] not in EARLIER or len(words) < 2 or known(words):
        return words
    switch = "enable" if words[-2] == "state" else words[-2]
    candidate = (*words[:-2], switch, EARLIER[words[-1]])
    return candidate if known(candidate) else words
