"""Every line that is rendered has a source, and every source belongs to a line that is rendered."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import yaml12
from hypothesis import given, settings
from hypothesis import strategies as st

from rackproof.plan.model.plan import (
    BgpIntent,
    BgpNeighborIntent,
    EthernetSegmentIntent,
    PortChannelIntent,
    PortIntent,
    PrefixRule,
    RouteMapRule,
    RoutingPolicy,
    TelemetryIntent,
    VlanIntent,
    VxlanIntent,
)
from rackproof.render.config_tree import parse_tree, paths
from rackproof.render.switch import render_switch
from tests.unit.render.switch_intents import CATALOGUE, LOSSLESS_PORT, MODELS, ROCE, bare_switch, switch_intents

if TYPE_CHECKING:
    from rackproof.hardware.models import SwitchModel

NOS: Final = "enterprise-sonic"
FILE: Final = Path(__file__).resolve().parents[3] / "templates" / NOS / "sources.yaml"
SOURCES: Final = cast("list[dict[str, str]]", yaml12.parse_yaml(FILE.read_text(encoding="utf-8")))
PATTERNS: Final = {source["line"]: re.compile(re.escape(source["line"]).replace(r"\{\}", ".+")) for source in SOURCES}

SESSION: Final = BgpNeighborIntent(
    "leaf-02",
    None,
    evpn=True,
    bfd=True,
    export_policy="campus-out",
    import_policy="campus-in",
    maximum_prefixes=500,
)
FULL: Final = replace(
    bare_switch(),
    ntp=("10.30.0.5",),
    dns=("10.30.0.6",),
    syslog=("10.30.0.7",),
    breakouts={"3": "4x200G"},
    ports={
        "1": LOSSLESS_PORT,
        "2": PortIntent("leaf-02", 800, "rs", 9216, unnumbered=True, multihoming_uplink=True),
        "3/1": PortIntent("gpu-001 rail0", 200, "none", 9216, vlan=100),
        "4": PortIntent("gpu-001 bond0", 800, "fc", 9216, port_channel=1),
    },
    port_channels={
        1: PortChannelIntent("bond", 9216, vlan=100, ethernet_segment=EthernetSegmentIntent("02:00:00:00:00:01", 9)),
        2: PortChannelIntent("uplink", 9216, tagged_vlans=(100, 101), lacp_bypass=True),
    },
    vlans={100: VlanIntent("hosts", 9100, "10.20.0.2/24", "10.20.0.1/24", 10100)},
    loopback="10.20.255.1/32",
    anycast_mac="02:00:00:00:00:02",
    bgp=BgpIntent(65001, "10.20.255.1", {"2": SESSION}),
    vxlan=VxlanIntent("10.20.255.1"),
    roce=replace(ROCE, hash_queue_pair=True),
    telemetry=TelemetryIntent(50051),
    lldp=False,
    policy=RoutingPolicy(
        {"campus-in": {10: PrefixRule("0.0.0.0/0", 0)}, "campus-out": {10: PrefixRule("10.20.128.0/17", 32)}},
        route_maps={name: {10: RouteMapRule(permit=True, prefix_list=name)} for name in ("campus-in", "campus-out")},
    ),
    default_route="192.0.2.1",
)


def rendered_lines(text: str) -> set[str]:
    return {path[-1] for path in paths(parse_tree(text))}


@settings(max_examples=50)
@given(data=st.data(), model=st.sampled_from(MODELS))
def test_every_line_has_a_source(data: st.DataObject, model: SwitchModel) -> None:
    lines = rendered_lines(render_switch(NOS, model, data.draw(switch_intents(model))))

    assert [line for line in lines if not any(pattern.fullmatch(line) for pattern in PATTERNS.values())] == []


def test_every_source_belongs_to_a_line() -> None:
    twisted_pair = replace(bare_switch(), ports={"1": PortIntent("gpu-001 bmc", 1, "none", 1500, vlan=300)})
    lines = rendered_lines(render_switch(NOS, CATALOGUE.switch("dell-z9864f-on"), FULL)) | rendered_lines(
        render_switch(NOS, CATALOGUE.switch("dell-s3248t-on"), twisted_pair)
    )

    unused = [known for known, pattern in PATTERNS.items() if not any(pattern.fullmatch(line) for line in lines)]
    assert unused == []


def test_a_source_says_where() -> None:
    for source in SOURCES:
        assert re.match(r"(framework|collection|guide|design|notes)\b", source["source"]), source
        assert set(source) <= {"line", "source", "unverified"}
