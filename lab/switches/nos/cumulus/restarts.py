"""What applying a configuration does to what runs: which services restart, and what NVUE warns of before."""

from dataclasses import dataclass

from lab.switches.nos.cumulus.checks import is_on
from lab.switches.nos.cumulus.schema import Release
from lab.switches.nos.cumulus.tree import Tree, at, value

_RELOADS_ADAPTIVE_ROUTING = (5, 13)
"""Releases from here on reload switchd for adaptive routing and do not restart it (What's New)."""


@dataclass(frozen=True, slots=True)
class Restarts:
    """What restarts."""

    switchd: bool
    """All ports go down for a moment."""
    frr: bool
    """All routing sessions are reset."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What NVUE prints before it asks; the wording for FRR is NVUE's, the one for switchd is assumed like it."""
        found = []
        if self.frr:
            found.append(
                "Warning: The frr service will need to be restarted because the list of router services has changed."
                "  This will disrupt traffic for any existing routing protocols."
            )
        if self.switchd:
            found.append("Warning: The switchd service will need to be restarted.  This will reset all ports.")
        return tuple(found)


def restarts(release: Release, before: Tree, after: Tree) -> Restarts:
    """Return what restarts on the way from one configuration to another."""
    return Restarts(switchd=_switchd(release, before, after), frr=_bgp(before) != _bgp(after))


def _switchd(release: Release, before: Tree, after: Tree) -> bool:
    """EVPN-Multihoming: enabling it restarts switchd; 5.12, Adaptive Routing: enabling or disabling it does."""
    segments = is_on(before, "evpn", "multihoming") != is_on(after, "evpn", "multihoming")
    adaptive = _routes_adaptively(before) != _routes_adaptively(after)
    return segments or (adaptive and release < _RELOADS_ADAPTIVE_ROUTING)


def _routes_adaptively(tree: Tree) -> bool:
    return any(is_on(block, "router", "adaptive-routing") for block in at(tree, "interface").values())


def _bgp(tree: Tree) -> tuple[bool, str | None]:
    """Basic-BGP-Configuration: enabling BGP and changing the ASN restart FRR."""
    return is_on(tree, "router", "bgp"), value(tree, "router", "bgp", "autonomous-system")
