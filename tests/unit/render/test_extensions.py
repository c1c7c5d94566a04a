"""What a NOS cannot say is refused, never left out."""

from __future__ import annotations

from dataclasses import MISSING, fields, replace
from typing import TYPE_CHECKING, Final

import pytest

from rackproof.errors import BadInputError
from rackproof.plan.model.switch import (
    BgpIntent,
    BgpNeighborIntent,
    DhcpRelayIntent,
    EthernetSegmentIntent,
    ManagementIntent,
    PortChannelIntent,
    PortIntent,
    PrefixRule,
    RoceIntent,
    RouteMapRule,
    RoutingPolicy,
    SwitchIntent,
    TelemetryIntent,
    VlanIntent,
    VrfIntent,
)
from rackproof.render.switch import parse_switch, render_switch
from tests.unit.render.switch_intents import CATALOGUE, ROCE, bare_switch

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    from rackproof.hardware.models import SwitchModel

MODEL: Final = CATALOGUE.switch("dell-z9864f-on")
PORT: Final = PortIntent("spine", 800, "rs", 9216, unnumbered=True)


def with_session(**changes: object) -> SwitchIntent:
    session = replace(BgpNeighborIntent("spine", remote_asn=None), **changes)  # type: ignore[arg-type]
    return replace(bare_switch(), ports={"1": PORT}, bgp=BgpIntent(4200000000, "10.0.0.1", {"1": session}))


WITH_INTERNAL_SESSION: Final = with_session(internal=True)
TRACKED: Final = replace(bare_switch(), ports={"1": replace(PORT, multihoming_uplink=True)})
CHANNEL: Final = PortChannelIntent("gpu-001", 9216)
SEGMENT: Final = EthernetSegmentIntent("44:38:39:ff:00:aa", 50000, number=10)
ASKED: Final = {
    "switch: vrfs": replace(bare_switch(), vrfs={"GPU": VrfIntent()}),
    "switch: dhcp_relays": replace(bare_switch(), dhcp_relays={"OOB": DhcpRelayIntent(("192.0.2.2",))}),
    "switch: dialect": replace(bare_switch(), dialect="5.13"),
    "port 1: vrf": replace(bare_switch(), ports={"1": replace(PORT, vrf="EXIT")}),
    "port 1: adaptive_routing": replace(bare_switch(), ports={"1": replace(PORT, adaptive_routing=True)}),
    "port channel 5: number": replace(bare_switch(), port_channels={5: replace(CHANNEL, ethernet_segment=SEGMENT)}),
    "VLAN 10: vrf": replace(bare_switch(), vlans={10: VlanIntent("hosts", 9216, vrf="GPU")}),
    "roce: lossless_buffer_percent": replace(bare_switch(), roce=replace(ROCE, lossless_buffer_percent=90)),
    "telemetry: histograms": replace(bare_switch(), telemetry=TelemetryIntent(8080, histograms=True)),
    "BGP session 1: ttl_security_hops": with_session(ttl_security_hops=1),
}
SAID_BY_ALL: Final = {
    SwitchIntent: {"lldp", "default_route"},
    PortIntent: {"vlan", "tagged_vlans", "address", "unnumbered", "port_channel", "lossless", "cable_length_m"},
    PortChannelIntent: {"vlan", "tagged_vlans", "address", "ethernet_segment", "lacp_bypass"},
    EthernetSegmentIntent: set[str](),
    VlanIntent: {"address", "anycast_gateway", "vni"},
    BgpIntent: {"maximum_paths"},
    BgpNeighborIntent: {"evpn", "bfd"},
    RoceIntent: set[str](),
    TelemetryIntent: set[str](),
}
"""Kind of intent to its optional fields that the round trip of every NOS carries."""
SAID_BY_SOME: Final = {
    "internal",
    "multihoming_uplink",
    "policy",
    "export_policy",
    "import_policy",
    "maximum_prefixes",
}
"""Tested by themselves below."""


def optional_fields(kind: type[DataclassInstance]) -> set[str]:
    return {f.name for f in fields(kind) if not (f.default is MISSING and f.default_factory is MISSING)}


def test_no_field_is_left_out_silently() -> None:
    """Every NOS carries a new optional field, or rackproof/render/extensions.py refuses it for the others."""
    refused = {told.rpartition(" ")[2] for told in ASKED}
    left = {name for kind, said in SAID_BY_ALL.items() for name in optional_fields(kind) - said}

    assert left == refused | SAID_BY_SOME


@pytest.mark.parametrize("nos", ["enterprise-sonic", "sonic"])
@pytest.mark.parametrize(("told", "intent"), ASKED.items())
def test_what_a_nos_cannot_say_is_refused(nos: str, told: str, intent: SwitchIntent) -> None:
    with pytest.raises(BadInputError) as refusal:
        render_switch(nos, MODEL, intent)

    assert refusal.value.hint == told


def test_enterprise_sonic_says_internal_sessions() -> None:
    text = render_switch("enterprise-sonic", MODEL, WITH_INTERNAL_SESSION)

    assert "  remote-as internal\n" in text
    assert parse_switch("enterprise-sonic", MODEL, text).intent == WITH_INTERNAL_SESSION


def test_enterprise_sonic_tracks_uplinks() -> None:
    text = render_switch("enterprise-sonic", MODEL, TRACKED)

    assert "\nlink state track uplinks\n downstream all-evpn-es\n" in text
    assert " link state track uplinks upstream\n" in text
    assert parse_switch("enterprise-sonic", MODEL, text).intent == TRACKED


def test_sonic_refuses_tracked_uplinks() -> None:
    with pytest.raises(BadInputError, match="cannot be configured as leaf-01 needs it") as refusal:
        render_switch("sonic", MODEL, TRACKED)

    assert refusal.value.hint == "port 1: multihoming_uplink"


FILTERED: Final = replace(
    with_session(export_policy="campus-out", import_policy="campus-in", maximum_prefixes=500),
    policy=RoutingPolicy(
        prefix_lists={
            "campus-in": {10: PrefixRule("0.0.0.0/0", 0)},
            "campus-out": {10: PrefixRule("10.20.0.0/17", 17), 20: PrefixRule("10.20.128.0/17", 32, permit=False)},
        },
        route_maps={
            "campus-in": {10: RouteMapRule(permit=True, prefix_list="campus-in")},
            "campus-out": {10: RouteMapRule(permit=True, prefix_list="campus-out"), 20: RouteMapRule(permit=False)},
        },
    ),
)


@pytest.mark.parametrize(
    ("nos", "model"), [("enterprise-sonic", MODEL), ("cumulus", CATALOGUE.switch("nvidia-sn5600"))]
)
def test_filtered_sessions_are_rendered_and_read_back(nos: str, model: SwitchModel) -> None:
    intent = replace(FILTERED, management=ManagementIntent("10.30.0.16/16", None))

    parsed = parse_switch(nos, model, render_switch(nos, model, intent))

    assert parsed.exact, parsed
    assert parsed.intent.policy == intent.policy
    assert parsed.intent.bgp == intent.bgp


def test_enterprise_sonic_filters_as_dell_shows_it() -> None:
    lines = [line.strip() for line in render_switch("enterprise-sonic", MODEL, FILTERED).splitlines()]

    assert [line for line in lines if "campus" in line or line.startswith("maximum-prefix")] == [
        "ip prefix-list campus-in seq 10 permit 0.0.0.0/0",
        "ip prefix-list campus-out seq 10 permit 10.20.0.0/17",
        "ip prefix-list campus-out seq 20 deny 10.20.128.0/17 le 32",
        "route-map campus-in permit 10",
        "match ip address prefix-list campus-in",
        "route-map campus-out permit 10",
        "match ip address prefix-list campus-out",
        "route-map campus-out deny 20",
        "route-map campus-in in",
        "route-map campus-out out",
        "maximum-prefix 500",
    ]


def test_enterprise_sonic_refuses_communities() -> None:
    intent = replace(FILTERED, policy=RoutingPolicy(community_lists={"11": {100: "11:11"}}))
    with pytest.raises(BadInputError) as refusal:
        render_switch("enterprise-sonic", MODEL, intent)
    assert refusal.value.hint == "policy: communities"


def test_sonic_refuses_filtered_sessions() -> None:
    with pytest.raises(BadInputError) as refusal:
        render_switch("sonic", MODEL, FILTERED)
    assert refusal.value.hint == (
        "switch: policy; BGP session 1: export_policy; BGP session 1: import_policy; BGP session 1: maximum_prefixes"
    )


def test_sonic_refuses_internal_sessions() -> None:
    with pytest.raises(BadInputError, match="cannot be configured as leaf-01 needs it"):
        render_switch("sonic", MODEL, WITH_INTERNAL_SESSION)
