"""EVPN multihoming's uplink tracking: which ports keep the Ethernet segments of a switch up.

A switch that lost every tracked port takes the links of its segments down, so that hosts use another switch. The links
between the two switches of a pair go down with either of them. Tracked alone, they take the hosts' links off the other
switch too, so they are tracked together with the routed ports towards networks outside, or not at all. Cumulus Linux
filters flooded frames on tracked ports only: there, the links between the switches are tracked in any case.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from rackproof.errors import Problems
from rackproof.hardware.models import NosModel
from rackproof.plan.fabric.draft import FabricDraft
from rackproof.plan.model.plan import SwitchIntent
from rackproof.site.derived import is_bonded
from rackproof.site.models import Site

FEATURE = "uplink-tracking"
LONE_PAIR = (
    "when one switch of the pair is lost, {nos} takes the host links of the other one down: the links between the "
    "switches are the only uplinks of EVPN multihoming"
)
ROUTED_UPLINK = "give {fabric} a routed connection under external.uplinks (attach: bgp or bgp-unnumbered)"


def with_tracked_uplinks(intent: SwitchIntent, nos: NosModel) -> SwitchIntent:
    """Return a switch with the ports marked that its Ethernet segments depend on."""
    if intent.bgp is None or not has_segments(intent) or nos.features.get(FEATURE) is not True:
        return intent
    routed = {key for key, port in intent.ports.items() if port.unnumbered or port.address}
    overlay = {key for key, neighbor in intent.bgp.neighbors.items() if neighbor.evpn and key in routed}
    if overlay == routed and not nos.multihoming_filters_on_uplinks:
        return intent
    ports = {
        key: replace(port, multihoming_uplink=True) if key in routed else port for key, port in intent.ports.items()
    }
    return replace(intent, ports=ports)


def has_segments(intent: SwitchIntent) -> bool:
    """Return whether a port channel of the switch is an Ethernet segment."""
    return any(channel.ethernet_segment for channel in intent.port_channels.values())


def check_uplink_tracking(site: Site, drafts: Sequence[FabricDraft], problems: Problems) -> None:
    """Record (as a warning) every pair whose hosts would lose both links when one of its switches is lost."""
    for draft in drafts:
        parts = [part for part in drafts if draft.name in {part.name, part.owner}]
        if draft.on_own_switches and draft.nos.multihoming_filters_on_uplinks and _is_lone_pair(site, parts):
            fabric = parts[-1].name
            message = LONE_PAIR.format(nos=draft.nos.name)
            problems.warn((*draft.path, "topology"), message, ROUTED_UPLINK.format(fabric=fabric))


def _is_lone_pair(site: Site, parts: Iterable[FabricDraft]) -> bool:
    """Return whether the fabrics of a pair have bonds, and no routed connection to a network outside."""
    names = {part.name for part in parts}
    bonded = any(part.layout.paired and is_bonded(part.name, part.asked) for part in parts)
    uplinks = site.external.uplinks.values()
    return bonded and not any(uplink.fabric in names and uplink.attach != "vlan" for uplink in uplinks)
