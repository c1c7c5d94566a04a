"""Uplinks that break a rule: the change, the place of the error and its message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from rackproof.errors import ValuePath

UPLINK: Final = {"fabric": "frontend", "speed_gbps": 100, "attach": "bgp", "asn": 64512, "prefix": "192.0.2.0/30"}
VLAN_UPLINK: Final = {"fabric": "oob", "speed_gbps": 10, "attach": "vlan", "vlan": 400, "address": "192.0.2.18/28"}
BROKEN_UPLINKS: Final[dict[str, tuple[dict[str, Any], ValuePath, str]]] = {
    "uplinks_have_fields_of_their_attachment": (
        {"external.uplinks.campus": {**UPLINK, "gateway": "192.0.2.1"}},
        ("external", "uplinks", "campus", "gateway"),
        "attach: bgp does not use gateway",
    ),
    "gateways_are_in_the_vlan": (
        {"external.uplinks.mgmt": {**VLAN_UPLINK, "gateway": "192.0.2.33"}},
        ("external", "uplinks", "mgmt", "gateway"),
        "192.0.2.33 is outside 192.0.2.16/28, the subnet of address",
    ),
    "a_fabric_has_one_default_route": (
        {
            "external.uplinks.mgmt": {**VLAN_UPLINK, "gateway": "192.0.2.17"},
            "external.uplinks.other": {**VLAN_UPLINK, "vlan": 401, "address": "192.0.2.34/28", "gateway": "192.0.2.33"},
        },
        ("external", "uplinks", "other", "gateway"),
        "oob has two default routes: the uplink mgmt states a gateway too",
    ),
}
