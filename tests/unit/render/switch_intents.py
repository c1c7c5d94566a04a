"""Switch intents as a plan can produce them, in the normal form both NOSes can say."""

from __future__ import annotations

from dataclasses import replace
from ipaddress import IPv4Address
from typing import TYPE_CHECKING, Final

from hypothesis import strategies as st

from rackproof.hardware.load import Catalogue
from rackproof.plan.model.plan import (
    BgpIntent,
    BgpNeighborIntent,
    EthernetSegmentIntent,
    LosslessIntent,
    ManagementIntent,
    PfcWatchdogIntent,
    PortChannelIntent,
    PortIntent,
    RoceIntent,
    SwitchIntent,
    TelemetryIntent,
    VlanIntent,
    VxlanIntent,
)
from rackproof.types import split_breakout

if TYPE_CHECKING:
    from rackproof.hardware.models import SwitchModel

CATALOGUE: Final = Catalogue()
MODELS: Final = tuple(CATALOGUE.switch(name) for name in ("dell-z9864f-on", "dell-z9664f-on", "dell-s5232f-on"))
CABLE_LENGTHS_M: Final = (5, 40, 300)

ROCE: Final = RoceIntent(
    lossless={3: LosslessIntent((24, 26), 1048000, 2097000, 5, 50)},
    cnp_dscp=48,
    cnp_priority=6,
    default_bandwidth_percent=50,
    pfc_watchdog=PfcWatchdogIntent("drop", 200, 400, 100),
    hash_queue_pair=False,
)
LOSSLESS_PORT: Final = PortIntent(
    "gpu-001 rail0", 800, "rs", 9216, address="10.10.0.0/31", lossless=True, cable_length_m=5
)


def bare_switch() -> SwitchIntent:
    """A switch with a name and a management address."""
    return SwitchIntent(
        hostname="leaf-01",
        management=ManagementIntent("10.30.0.16/18", "10.30.0.1"),
        ntp=(),
        dns=(),
        syslog=(),
        breakouts={},
        ports={},
        port_channels={},
        vlans={},
        loopback=None,
        anycast_mac=None,
        bgp=None,
        vxlan=None,
        roce=None,
        telemetry=TelemetryIntent(8080),
    )


descriptions = st.from_regex(r"\A[a-z0-9]([a-zA-Z0-9:/._ -]{0,28}[a-zA-Z0-9])?\Z")
addresses = st.integers(0x0A000001, 0x0AFFFFFE).map(lambda number: str(IPv4Address(number)))
interfaces = st.builds("{}/{}".format, addresses, st.integers(8, 31))
gateways = interfaces.map(lambda interface: interface.replace("10.", "172.", 1))
mtus = st.integers(1312, 9216)
macs = st.integers(0, 0xFFFFFFFFFF).map(lambda n: ":".join(["02", *(f"{n:010x}"[i : i + 2] for i in range(0, 10, 2))]))


def servers(at_most: int = 3) -> st.SearchStrategy[tuple[str, ...]]:
    """Addresses in their order: a switch keeps no other."""
    return st.sets(addresses, max_size=at_most).map(lambda found: tuple(sorted(found, key=IPv4Address)))


@st.composite
def breakouts(draw: st.DrawFn, model: SwitchModel) -> dict[str, str]:
    """A few split ports."""
    ports = model.ports[0]
    modes = [breakout.mode for breakout in ports.breakouts if split_breakout(breakout.mode)[0] > 1]
    numbers = st.integers(ports.first, ports.last).map(str)
    return draw(st.dictionaries(numbers, st.sampled_from(modes), max_size=3))


@st.composite
def roces(draw: st.DrawFn, *, hash_queue_pair: bool) -> RoceIntent:
    """RoCE with one or two lossless classes."""
    classes = draw(st.lists(st.integers(1, 6), min_size=2, max_size=3, unique=True))
    cnp_priority, *lossless = classes
    code_points = draw(st.permutations(range(64)))
    kmin = draw(st.integers(1, 6000)) * 1000
    return RoceIntent(
        lossless={
            priority: LosslessIntent(
                dscp=tuple(sorted(code_points[1 + 2 * number : 3 + 2 * number])),
                ecn_kmin_bytes=kmin,
                ecn_kmax_bytes=kmin + draw(st.integers(0, 6000)) * 1000,
                ecn_probability_percent=draw(st.integers(1, 100)),
                bandwidth_percent=draw(st.integers(1, 100)),
            )
            for number, priority in enumerate(lossless)
        },
        cnp_dscp=code_points[0],
        cnp_priority=cnp_priority,
        default_bandwidth_percent=draw(st.integers(1, 100)),
        pfc_watchdog=PfcWatchdogIntent(
            action=draw(st.sampled_from(["drop", "forward", "alert"])),
            detect_ms=draw(st.integers(200, 5000)),
            restore_ms=draw(st.integers(200, 60000)),
            poll_ms=draw(st.integers(100, 200)),
        ),
        hash_queue_pair=hash_queue_pair and draw(st.booleans()),
    )


@st.composite
def port_intents(
    draw: st.DrawFn, speed_gbps: int, vlans: list[int], channels: list[int], *, lossless: bool
) -> PortIntent:
    """A port that is switched, routed, unnumbered or in a port channel."""
    port = PortIntent(
        description=draw(descriptions),
        speed_gbps=speed_gbps,
        fec=draw(st.sampled_from(["rs", "fc", "none"])),
        mtu_bytes=draw(mtus),
        lossless=lossless,
        cable_length_m=draw(st.sampled_from(CABLE_LENGTHS_M)) if lossless else None,
    )
    uses = ["routed", "unnumbered", *(["switched"] if vlans else []), *(["bundled"] if channels else [])]
    match draw(st.sampled_from(uses)):
        case "routed":
            return replace(port, address=draw(interfaces))
        case "unnumbered":
            return replace(port, unnumbered=True)
        case "bundled":
            return replace(port, port_channel=draw(st.sampled_from(channels)))
        case _:
            pass
    tagged = draw(st.sets(st.sampled_from(vlans)))
    untagged = draw(st.sampled_from([*sorted(set(vlans) - tagged), None]))
    return replace(port, vlan=untagged, tagged_vlans=tuple(sorted(tagged)))


@st.composite
def vlan_intents(draw: st.DrawFn, *, overlay: bool) -> dict[int, VlanIntent]:
    """VLANs, with an address, an anycast gateway, both or none."""
    numbers = draw(st.sets(st.integers(2, 4094), max_size=4))
    vnis = draw(st.sets(st.integers(1, 16777215), min_size=len(numbers), max_size=len(numbers)))
    return {
        number: VlanIntent(
            description=draw(descriptions),
            mtu_bytes=draw(mtus),
            address=draw(st.none() | interfaces),
            anycast_gateway=draw(gateways) if anycast else None,
            vni=vni if overlay and draw(st.booleans()) else None,
        )
        for number, vni in zip(sorted(numbers), sorted(vnis), strict=True)
        for anycast in [draw(st.booleans())]
    }


@st.composite
def channel_intents(draw: st.DrawFn, vlans: list[int]) -> dict[int, PortChannelIntent]:
    """Port channels, switched or routed."""
    channels = {}
    for number in draw(st.sets(st.integers(1, 128), max_size=2)):
        bypass = draw(st.booleans())
        channel = PortChannelIntent(description=draw(descriptions), mtu_bytes=draw(mtus), lacp_bypass=bypass)
        switched = draw(st.booleans())
        if vlans and switched:
            segment = EthernetSegmentIntent(draw(macs), draw(st.integers(1, 65535)))
            channel = replace(
                channel, vlan=draw(st.sampled_from(vlans)), ethernet_segment=draw(st.none() | st.just(segment))
            )
        else:
            channel = replace(channel, address=draw(st.none() | interfaces))
        channels[number] = channel
    return channels


@st.composite
def bgp_intents(draw: st.DrawFn, unnumbered: list[str]) -> BgpIntent:
    """Sessions over the unnumbered ports and to some addresses."""
    external = draw(servers(at_most=2))
    return BgpIntent(
        asn=draw(st.integers(1, 4294967294)),
        router_id=draw(addresses),
        neighbors={
            peer: BgpNeighborIntent(
                description=draw(descriptions),
                remote_asn=draw(st.integers(1, 4294967294)) if peer in external else None,
                evpn=draw(st.booleans()),
                bfd=draw(st.booleans()),
            )
            for peer in (*unnumbered, *external)
        },
        maximum_paths=draw(st.integers(1, 256)),
    )


@st.composite
def switch_intents(draw: st.DrawFn, model: SwitchModel, *, hash_queue_pair: bool = True) -> SwitchIntent:
    """A whole switch."""
    split = draw(breakouts(model))
    overlay: bool = draw(st.booleans())
    vlans = draw(vlan_intents(overlay=overlay))
    channels = draw(channel_intents(sorted(vlans)))
    roce = draw(st.none() | roces(hash_queue_pair=hash_queue_pair))
    ports = draw(_ports(model, split, sorted(vlans), sorted(channels), lossless=roce is not None))
    unnumbered = [key for key, port in ports.items() if port.unnumbered]
    loopback = draw(addresses)
    return SwitchIntent(
        hostname=draw(st.from_regex(r"\A[a-z]([a-z0-9-]{0,20}[a-z0-9])?\Z")),
        management=ManagementIntent(draw(interfaces), draw(st.none() | addresses)),
        ntp=draw(servers()),
        dns=draw(servers()),
        syslog=draw(servers()),
        breakouts=split,
        ports=ports,
        port_channels=channels,
        vlans=vlans,
        loopback=f"{loopback}/32",
        anycast_mac=draw(macs) if any(vlan.anycast_gateway for vlan in vlans.values()) else None,
        bgp=draw(bgp_intents(unnumbered)) if overlay or unnumbered else None,
        vxlan=VxlanIntent(loopback) if overlay else None,
        roce=roce if any(port.lossless for port in ports.values()) else None,
        telemetry=TelemetryIntent(draw(st.sampled_from([8080, 50051]))),
        lldp=draw(st.booleans()),
        default_route=draw(st.none() | addresses),
    )


@st.composite
def _ports(
    draw: st.DrawFn, model: SwitchModel, split: dict[str, str], vlans: list[int], channels: list[int], *, lossless: bool
) -> dict[str, PortIntent]:
    """Some ports in use, children of the split ones among them."""
    speeds = {str(number): ports.speed_gbps for ports in model.ports for number in range(ports.first, ports.last + 1)}
    for port, mode in split.items():
        count, speed_gbps = split_breakout(mode)
        del speeds[port]
        speeds |= {f"{port}/{child}": speed_gbps for child in range(1, count + 1)}
    used = draw(st.sets(st.sampled_from(sorted(speeds)), max_size=6))
    fast = {key for key in used if speeds[key] >= 100}
    return {
        key: draw(port_intents(speeds[key], vlans, channels, lossless=lossless and key in fast and draw(st.booleans())))
        for key in sorted(used)
    }
