"""Stored configurations of a leaf and of one switch of a consolidated pair, in two dialects, and the FRR they mean."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from rackproof.plan.model.plan import (
    BgpIntent,
    BgpNeighborIntent,
    DhcpRelayIntent,
    EthernetSegmentIntent,
    PortChannelIntent,
    PortIntent,
    PrefixRule,
    RouteMapRule,
    RoutingPolicy,
    SwitchIntent,
    TelemetryIntent,
    VlanIntent,
    VrfIntent,
    VxlanIntent,
)
from rackproof.render.nos.cumulus.frr import render_frr
from rackproof.render.switch import parse_switch, render_switch
from tests.unit.render.cumulus_intents import NOS, REFERENCE_ROCE, SPECTRUM, that_release_has
from tests.unit.render.switch_intents import bare_switch

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Golden

GOLDEN: Final = Path(__file__).resolve().parents[2] / "golden" / "cumulus"


def rail_port(server: int, rail: int) -> PortIntent:
    return PortIntent(
        f"gpu-{server:03d} rail{rail}", 400, "rs", 9216, vlan=900 + rail, lossless=True, cable_length_m=100
    )


def spine_port(spine: int) -> PortIntent:
    return PortIntent(
        f"backend-spine-{spine:02d}",
        400,
        "rs",
        9216,
        unnumbered=True,
        lossless=True,
        cable_length_m=100,
        adaptive_routing=True,
    )


def leaf() -> SwitchIntent:
    """A leaf of two rails: hosts below, spines above over unnumbered sessions, adaptive routing between."""
    ports = {f"{server}/{rail}": rail_port(server, rail) for server in (1, 2) for rail in (1, 2)}
    spines = {f"{port}/{child}": spine_port(spine) for spine, port in ((1, 33), (2, 34)) for child in (1, 2)}
    return replace(
        bare_switch(),
        hostname="backend-leaf-01",
        ntp=("10.30.0.5",),
        dns=("10.30.0.6",),
        syslog=("10.30.0.7",),
        breakouts=dict.fromkeys(("1", "2", "33", "34"), "2x400G"),
        ports=ports | spines,
        vlans={
            901: VlanIntent("backend rail1", 9216, "10.10.1.1/24"),
            902: VlanIntent("backend rail2", 9216, "10.10.2.1/24"),
        },
        loopback="10.10.255.1/32",
        bgp=BgpIntent(
            4200000001,
            "10.10.255.1",
            {key: BgpNeighborIntent(port.description, remote_asn=None, bfd=True) for key, port in spines.items()},
        ),
        roce=replace(REFERENCE_ROCE, lossless_buffer_percent=90),
        telemetry=TelemetryIntent(9339, histograms=True),
        dialect="5.13",
    )


def core() -> SwitchIntent:
    """One switch of a consolidated pair: bonds that both switches serve, VRFs, the way out, one ASN for both."""
    ports = {
        "1/1": PortIntent("gpu-001 frontend0", 200, "rs", 9216, port_channel=1),
        "9/1": replace(rail_port(1, 0), vlan=900),
        "27/1": PortIntent(
            "core-02", 400, "rs", 9216, unnumbered=True, lossless=True, cable_length_m=100, multihoming_uplink=True
        ),
        "61/1": PortIntent("edge", 100, "rs", 9216, unnumbered=True, vrf="EXIT"),
    }
    segment = EthernetSegmentIntent("44:38:39:ff:00:aa", 32767)
    return replace(
        bare_switch(),
        hostname="core-01",
        breakouts={"1": "4x200G", "9": "2x400G", "27": "2x400G", "61": "8x100G"},
        ports=ports,
        port_channels={1: PortChannelIntent("gpu-001 bond0", 9216, 300, ethernet_segment=segment, lacp_bypass=True)},
        vlans={
            300: VlanIntent("in band", 9216, "172.16.178.2/24", "172.16.178.1/24", 4300, "INBAND"),
            900: VlanIntent("backend", 9216, "192.168.110.2/24", "192.168.110.1/24", 4900, "GPU"),
        },
        loopback="172.16.176.11/32",
        anycast_mac="44:38:39:ff:00:ff",
        bgp=BgpIntent(
            4260394788,
            "172.16.176.11",
            {"27/1": BgpNeighborIntent("core-02", None, evpn=True, bfd=True, internal=True, ttl_security_hops=1)},
        ),
        vxlan=VxlanIntent("172.16.176.11"),
        roce=replace(REFERENCE_ROCE, lossless_buffer_percent=90),
        vrfs={
            "EXIT": VrfIntent(
                3004,
                5004,
                "172.16.176.5/32",
                "172.16.176.11:5004",
                {"61/1": BgpNeighborIntent("edge", None, export_policy="OUTBOUND")},
                ("INBAND",),
                "NOT_EXIT",
            ),
            "GPU": VrfIntent(3003, 5003, "192.168.110.5/32", "172.16.176.11:5003"),
            "INBAND": VrfIntent(3002, 5002, "172.16.176.3/32", "172.16.176.11:5002", imports=("EXIT",)),
        },
        policy=RoutingPolicy(
            prefix_lists={"SITE": {10: PrefixRule("172.16.176.0/21", 24)}},
            community_lists={"11": {100: "11:11"}},
            route_maps={
                "NOT_EXIT": {5: RouteMapRule(permit=False, community_list="11"), 20: RouteMapRule(permit=True)},
                "OUTBOUND": {10: RouteMapRule(permit=True, prefix_list="SITE", set_community="11:11")},
            },
        ),
        dhcp_relays={"EXIT": DhcpRelayIntent(("192.168.200.2",), ("61/1",), (3004,))},
        default_route="192.168.200.1",
        dialect="5.13",
    )


@pytest.mark.parametrize("switch", [leaf, core])
@pytest.mark.parametrize("dialect", ["5.13", "5.15"])
def test_a_stored_configuration_is_what_is_rendered(
    golden: Golden, switch: Callable[[], SwitchIntent], dialect: str
) -> None:
    intent = that_release_has(switch(), dialect)

    text = render_switch("cumulus", SPECTRUM, intent)

    golden(GOLDEN / f"{intent.hostname}-{dialect}.yaml", text)
    assert parse_switch("cumulus", SPECTRUM, text).intent == intent


@pytest.mark.parametrize("switch", [leaf, core])
def test_a_stored_routing_configuration_is_what_is_rendered(golden: Golden, switch: Callable[[], SwitchIntent]) -> None:
    intent = switch()

    golden(GOLDEN / f"{intent.hostname}-frr.conf", render_frr(NOS, SPECTRUM, intent))
