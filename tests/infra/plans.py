"""Switches as a plan would have them, made by hand."""

from __future__ import annotations

from rackproof.plan.model.plan import (
    FabricPlan,
    Link,
    LinkEnd,
    LosslessIntent,
    ManagementIntent,
    PfcWatchdogIntent,
    Plan,
    PortIntent,
    Position,
    RoceIntent,
    SwitchIntent,
    SwitchPlan,
    TelemetryIntent,
    VlanIntent,
)

ROCE = RoceIntent(
    lossless={3: LosslessIntent((24, 26), 1048000, 2097000, 5, 50)},
    cnp_dscp=48,
    cnp_priority=6,
    default_bandwidth_percent=50,
    pfc_watchdog=PfcWatchdogIntent("drop", 200, 400, 100),
    hash_queue_pair=True,
)


def rail_port(port: int, child: int) -> PortIntent:
    return PortIntent(
        description=f"gpu-{port:03d}:rail{child} of the backend",
        speed_gbps=400,
        fec="rs",
        mtu_bytes=9216,
        vlan=100 + port % 16,
        lossless=True,
        cable_length_m=40,
    )


def switch_plan(name: str, group: str = "", ports: int = 2) -> SwitchPlan:
    """A leaf whose ports are all split in two, as a rail fabric of 800G switches has them."""
    intent = SwitchIntent(
        hostname=name,
        management=ManagementIntent("10.30.0.16/18", "10.30.0.1"),
        ntp=("10.30.0.5", "10.30.0.6"),
        dns=("10.30.0.7",),
        syslog=("10.30.0.8",),
        breakouts={str(port): "2x400G" for port in range(1, ports + 1)},
        ports={f"{port}/{child}": rail_port(port, child) for port in range(1, ports + 1) for child in (1, 2)},
        port_channels={},
        vlans={100 + rail: VlanIntent(f"rail{rail}", 9216, f"10.10.{rail}.1/24") for rail in range(16)},
        loopback="10.10.255.1/32",
        anycast_mac=None,
        bgp=None,
        vxlan=None,
        roce=ROCE,
        telemetry=TelemetryIntent(8080),
    )
    position = Position("r1", 40, 2)
    return SwitchPlan(name, "backend", "leaf", "dell-z9864f-on", "enterprise-sonic", position, group or name, 0, intent)


def plan_with(switches: list[SwitchPlan], links: tuple[Link, ...] = ()) -> Plan:
    """One fabric called backend."""
    names = tuple(switch.name for switch in switches)
    fabric = FabricPlan("backend", "backend", "tor-clos", names, (), 9216, ROCE, 26, 1.0, 2)
    return Plan(
        site="site-a",
        release="test",
        racks={},
        servers={},
        switches={switch.name: switch for switch in switches},
        pdus={},
        fabrics={"backend": fabric},
        links=links,
        assemblies=(),
        cords=(),
        power=(),
    )


def link_between(one: str, other: str) -> Link:
    return Link("backend", "inter-switch", LinkEnd(one, "Eth1/1"), LinkEnd(other, "Eth1/1"), 400, "cable-1", 1)
