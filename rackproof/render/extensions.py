"""Parts of an intent that not every NOS can say: one that cannot refuses them instead of leaving them out."""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from rackproof.errors import BadInputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rackproof.hardware.models import NosModel
    from rackproof.plan.model.plan import BgpNeighborIntent, RoutingPolicy, SwitchIntent

SHOWN: Final = 5
"""Parts that an error names."""


def refuse_extensions(nos: NosModel, intent: SwitchIntent, carried: frozenset[str] = frozenset()) -> None:
    """Refuse what ``intent`` asks for beyond what every NOS can say.

    Parameters
    ----------
    carried
        Names of fields that this NOS can say all the same.

    Raises
    ------
    BadInputError
        The intent uses a field that is not among them.
    """
    found = (f"{place}: {field}" for place, field in _used(intent) if field not in carried)
    refused = list(islice(found, SHOWN))
    if refused:
        raise BadInputError(f"{nos.name} cannot be configured as {intent.hostname} needs it", "; ".join(refused))


def _used(intent: SwitchIntent) -> Iterator[tuple[str, str]]:
    """Yield where an optional field is used, and its name."""
    for name in ("vrfs", "policy", "dhcp_relays", "dialect"):
        if getattr(intent, name):
            yield "switch", name
    if intent.policy is not None and _names_communities(intent.policy):
        yield "policy", "communities"
    if intent.roce is not None and intent.roce.lossless_buffer_percent is not None:
        yield "roce", "lossless_buffer_percent"
    if intent.telemetry is not None and intent.telemetry.histograms:
        yield "telemetry", "histograms"
    yield from _used_by_interfaces(intent)
    if intent.bgp is not None:
        yield from _used_by_sessions(intent.bgp.neighbors)


def _names_communities(policy: RoutingPolicy) -> bool:
    """Return whether a policy matches or sets communities."""
    entries = chain.from_iterable(rules.values() for rules in policy.route_maps.values())
    return bool(policy.community_lists) or any(rule.community_list or rule.set_community for rule in entries)


def _used_by_interfaces(intent: SwitchIntent) -> Iterator[tuple[str, str]]:
    """Yield the optional fields of ports, port channels and VLANs."""
    for key, port in intent.ports.items():
        if port.vrf is not None:
            yield f"port {key}", "vrf"
        for name in ("adaptive_routing", "multihoming_uplink"):
            if getattr(port, name):
                yield f"port {key}", name
    for number, channel in intent.port_channels.items():
        if channel.ethernet_segment is not None and channel.ethernet_segment.number is not None:
            yield f"port channel {number}", "number"
    for number, vlan in intent.vlans.items():
        if vlan.vrf is not None:
            yield f"VLAN {number}", "vrf"


def _used_by_sessions(neighbors: Mapping[str, BgpNeighborIntent]) -> Iterator[tuple[str, str]]:
    """Yield the optional fields of BGP sessions."""
    for peer, neighbor in neighbors.items():
        for name in ("internal", "ttl_security_hops", "export_policy", "import_policy", "maximum_prefixes"):
            if getattr(neighbor, name):
                yield f"BGP session {peer}", name
