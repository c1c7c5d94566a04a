"""Switch intents in the normal form of Cumulus Linux, with everything only NVUE can say of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from hypothesis import strategies as st

from rackproof.plan.model.plan import (
    BgpIntent,
    BgpNeighborIntent,
    DhcpRelayIntent,
    LosslessIntent,
    PfcWatchdogIntent,
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
from rackproof.plan.network.roce import normalise
from tests.unit.render.switch_intents import CATALOGUE, addresses, servers, switch_intents

if TYPE_CHECKING:
    from rackproof.hardware.models import SwitchModel

NOS: Final = CATALOGUE.nos("cumulus")
SPECTRUM: Final = CATALOGUE.switch("nvidia-sn5600")
DIALECTS: Final = ("5.12", "5.13", "5.14", "5.15")
MAXIMUM_PATHS: Final = 128
"""The most that NVUE takes (multipaths 1-128)."""

names = st.from_regex(r"\A[A-Z][A-Z0-9_]{0,10}\Z")
vrf_names = st.sampled_from(["EXIT", "GPU", "INBAND", "OOB", "STORAGE"])


def that_release_has(intent: SwitchIntent, dialect: str) -> SwitchIntent:
    """The intent in a dialect, without what its releases lack: gNMI before 5.13, DHCP relays from 5.14 on."""
    telemetry = intent.telemetry
    if telemetry and dialect == "5.12":
        telemetry = replace(telemetry, gnmi_port=None) if telemetry.histograms else None
    relays = intent.dhcp_relays if dialect in {"5.12", "5.13"} else {}
    return replace(intent, dialect=dialect, telemetry=telemetry, dhcp_relays=relays)


def as_cumulus_says(intent: SwitchIntent) -> SwitchIntent:
    """What Cumulus can hold of an intent: one lossless class."""
    roce = _roce(intent.roce) if intent.roce else None
    bgp = intent.bgp and replace(intent.bgp, maximum_paths=min(intent.bgp.maximum_paths, MAXIMUM_PATHS))
    ports = {key: _port(port, roce=roce is not None) for key, port in intent.ports.items()}
    return replace(intent, roce=roce, bgp=bgp, ports=ports, dialect="5.13")


def _roce(roce: RoceIntent) -> RoceIntent:
    done, _ = normalise(roce, NOS)
    lossless = next(iter(done.lossless.values()))
    return replace(done, lossless={3: lossless}, cnp_priority=6, hash_queue_pair=False)


def _port(port: PortIntent, *, roce: bool) -> PortIntent:
    lossless = roce and port.lossless
    return replace(port, lossless=lossless, cable_length_m=(port.cable_length_m or 100) if lossless else None)


@st.composite
def cumulus_intents(draw: st.DrawFn, model: SwitchModel) -> SwitchIntent:
    """A switch with VRFs, policies, relays, internal sessions, adaptive routing and histograms."""
    intent = _with_room_for_lanes(model, draw(switch_intents(model, hash_queue_pair=False)))
    vrfs = draw(st.dictionaries(vrf_names, _vrfs(), max_size=3)) if intent.bgp else {}
    policy = draw(st.none() | _policies())
    return as_cumulus_says(
        replace(
            intent,
            vlans={number: replace(vlan, vrf=_drawn_vrf(draw, vrfs)) for number, vlan in intent.vlans.items()},
            ports={key: _with_extensions(draw, port, vrfs) for key, port in intent.ports.items()},
            bgp=intent.bgp and _with_internal_sessions(draw, intent.bgp, policy),
            vrfs={name: replace(vrf, imports=tuple(sorted(set(vrfs) - {name}))) for name, vrf in vrfs.items()},
            policy=policy,
            dhcp_relays=draw(_relays(intent, vrfs)),
            default_route=draw(st.none() | addresses),
            roce=intent.roce and replace(intent.roce, lossless_buffer_percent=draw(st.none() | st.integers(10, 90))),
            telemetry=TelemetryIntent(gnmi_port=draw(st.sampled_from([8080, 9339])), histograms=draw(st.booleans())),
        )
    )


def _with_room_for_lanes(model: SwitchModel, intent: SwitchIntent) -> SwitchIntent:
    """Without the ports whose lanes the one before them takes."""
    rows = {(port, row.mode): row for port in intent.breakouts for row in model.port_range(int(port)).breakouts}
    takers = [port for port, mode in intent.breakouts.items() if rows[port, mode].blocks_neighbour]
    blocked = {str(int(port) + 1) for port in takers}
    ports = {key: port for key, port in intent.ports.items() if key.partition("/")[0] not in blocked}
    bgp = intent.bgp
    if bgp is not None:
        kept = {peer: session for peer, session in bgp.neighbors.items() if peer in ports or "." in peer}
        bgp = replace(bgp, neighbors=kept)
    return replace(
        intent,
        breakouts={port: mode for port, mode in intent.breakouts.items() if port not in blocked},
        ports=ports,
        bgp=bgp,
    )


def _drawn_vrf(draw: st.DrawFn, vrfs: dict[str, VrfIntent]) -> str | None:
    return draw(st.none() | st.sampled_from(sorted(vrfs))) if vrfs else None


def _with_extensions(draw: st.DrawFn, port: PortIntent, vrfs: dict[str, VrfIntent]) -> PortIntent:
    if not port.address and not port.unnumbered:
        return port
    port = replace(port, multihoming_uplink=draw(st.booleans()))
    if port.address:
        return replace(port, vrf=_drawn_vrf(draw, vrfs))
    return replace(port, adaptive_routing=draw(st.booleans()))


def _with_internal_sessions(draw: st.DrawFn, bgp: BgpIntent, policy: RoutingPolicy | None) -> BgpIntent:
    maps = sorted(policy.route_maps) if policy else []
    neighbors = {
        peer: replace(
            neighbor,
            internal=neighbor.remote_asn is None and draw(st.booleans()),
            ttl_security_hops=draw(st.none() | st.integers(1, 254)),
            export_policy=draw(st.none() | st.sampled_from(maps)) if maps else None,
            import_policy=draw(st.none() | st.sampled_from(maps)) if maps else None,
            maximum_prefixes=draw(st.none() | st.integers(1, 4294967295)),
        )
        for peer, neighbor in bgp.neighbors.items()
    }
    return replace(bgp, neighbors=neighbors)


@st.composite
def _vrfs(draw: st.DrawFn) -> VrfIntent:
    vlan = draw(st.none() | st.integers(3001, 3999))
    loopback = draw(st.none() | addresses)
    return VrfIntent(
        l3_vlan=vlan,
        l3_vni=vlan and vlan + 2000,
        loopback=loopback and f"{loopback}/32",
        route_distinguisher=f"10.0.0.1:{vlan}" if vlan and draw(st.booleans()) else None,
        import_policy=draw(st.none() | names),
        neighbors={
            peer: BgpNeighborIntent("outside", remote_asn=65000, bfd=draw(st.booleans())) for peer in draw(servers(2))
        },
    )


@st.composite
def _policies(draw: st.DrawFn) -> RoutingPolicy:
    rules = st.builds(
        lambda low, high: PrefixRule(f"10.{low}.0.0/16", 16 + high), st.integers(0, 255), st.integers(1, 16)
    )
    numbers = st.integers(1, 65535)
    route_map_rules = st.builds(
        RouteMapRule,
        permit=st.booleans(),
        prefix_list=st.none() | names,
        community_list=st.none() | names,
        set_community=st.none() | st.just("11:11"),
    )
    return RoutingPolicy(
        prefix_lists=draw(st.dictionaries(names, st.dictionaries(numbers, rules, min_size=1, max_size=2), max_size=2)),
        community_lists={"11": {100: "11:11"}},
        route_maps=draw(
            st.dictionaries(names, st.dictionaries(numbers, route_map_rules, min_size=1, max_size=2), max_size=2)
        ),
    )


@st.composite
def _relays(draw: st.DrawFn, intent: SwitchIntent, vrfs: dict[str, VrfIntent]) -> dict[str, DhcpRelayIntent]:
    l3_vlans = [vrf.l3_vlan for vrf in vrfs.values() if vrf.l3_vlan]
    vlans = sorted({*intent.vlans, *l3_vlans})
    ports = draw(st.sampled_from([(), tuple(intent.ports)[:1]]))
    relaying = draw(st.sets(st.sampled_from(sorted(vrfs)))) if vrfs else set()
    return {
        name: DhcpRelayIntent(servers=draw(servers()), vlans=tuple(vlans), ports=ports) for name in relaying if vlans
    }


REFERENCE_ROCE: Final = RoceIntent(
    lossless={3: LosslessIntent(tuple(range(24, 32)), 150000, 1501500, 100, 50)},
    cnp_dscp=48,
    cnp_priority=6,
    default_bandwidth_percent=50,
    pfc_watchdog=PfcWatchdogIntent("drop", detect_ms=300, restore_ms=300, poll_ms=100),
    hash_queue_pair=False,
)
"""What ``qos roce`` sets up by itself."""

REFERENCE_VLAN: Final = VlanIntent("hosts", 9216, "10.10.0.1/24")
