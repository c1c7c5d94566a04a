"""Values for the templates of Enterprise SONiC, computed beforehand: the templates only loop and choose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rackproof.plan.model.port_names import front_panel_port, key_order, nos_port_name, port_keys
from rackproof.render.nos.enterprise_sonic.roce import RoceBlock, roce_block
from rackproof.render.nos.enterprise_sonic.words import fec_word, quoted, speed_word
from rackproof.render.ranges import compress

if TYPE_CHECKING:
    from rackproof.hardware.models import NosModel, SwitchModel
    from rackproof.plan.model.plan import (
        BgpIntent,
        BgpNeighborIntent,
        ManagementIntent,
        PortChannelIntent,
        PortIntent,
        SwitchIntent,
        VlanIntent,
    )

DEFAULT_GNMI_PORT = 8080
"""Where the gNMI server listens by default (dellemc.enterprise_sonic, sonic_mgmt_servers)."""

TRACK_GROUP = "uplinks"
"""Name of the link state tracking group that takes Ethernet segments down."""


@dataclass(frozen=True, slots=True)
class InterfaceBlock:
    """A front panel port; ``port`` is None when nothing uses it."""

    name: str
    port: PortIntent | None = None
    description: str = ""
    speed: str = ""
    fec: str = ""
    tagged_vlans: str = ""
    cable_length: str = ""


@dataclass(frozen=True, slots=True)
class PortChannelBlock:
    """A port channel."""

    number: int
    channel: PortChannelIntent
    description: str
    tagged_vlans: str


@dataclass(frozen=True, slots=True)
class VlanBlock:
    """A VLAN and its interface."""

    number: int
    vlan: VlanIntent
    description: str


@dataclass(frozen=True, slots=True)
class NeighborBlock:
    """A BGP session."""

    name: str
    """``interface Eth1/49`` or an address: what follows ``neighbor``."""
    neighbor: BgpNeighborIntent
    description: str
    remote_as: str
    unnumbered: bool


@dataclass(frozen=True, slots=True)
class BgpBlock:
    """BGP in the default VRF."""

    bgp: BgpIntent
    neighbors: tuple[NeighborBlock, ...]
    evpn: bool


@dataclass(frozen=True, slots=True)
class SwitchContext:
    """Everything the templates use."""

    intent: SwitchIntent
    management_address: str
    """With the gateway, where there is one."""
    breakouts: tuple[tuple[str, str], ...]
    interfaces: tuple[InterfaceBlock, ...]
    port_channels: tuple[PortChannelBlock, ...]
    vlans: tuple[VlanBlock, ...]
    bgp: BgpBlock | None
    roce: RoceBlock | None
    gnmi_port: int | None
    """None: the default port, which needs no line."""
    tracks_uplinks: bool
    track_group: str = TRACK_GROUP


def switch_context(nos: NosModel, model: SwitchModel, intent: SwitchIntent) -> SwitchContext:
    """Return what the templates need for one switch.

    Raises
    ------
    KeyError
        The intent names a port that the model does not have.
    """
    telemetry = intent.telemetry
    return SwitchContext(
        intent=intent,
        management_address=_management_address(intent.management),
        breakouts=tuple((port, intent.breakouts[port]) for port in sorted(intent.breakouts, key=key_order)),
        interfaces=tuple(_interfaces(nos, model, intent)),
        port_channels=tuple(
            PortChannelBlock(number, channel, quoted(channel.description), compress(channel.tagged_vlans))
            for number, channel in sorted(intent.port_channels.items())
        ),
        vlans=tuple(VlanBlock(number, vlan, quoted(vlan.description)) for number, vlan in sorted(intent.vlans.items())),
        bgp=_bgp(nos, model, intent),
        roce=roce_block(intent.roce) if intent.roce else None,
        gnmi_port=telemetry.gnmi_port if telemetry and telemetry.gnmi_port != DEFAULT_GNMI_PORT else None,
        tracks_uplinks=any(port.multihoming_uplink for port in intent.ports.values()),
    )


def _management_address(management: ManagementIntent) -> str:
    """Return what follows ``ip address`` of the management interface."""
    return management.address + (f" gwaddr {management.gateway}" if management.gateway else "")


def _interfaces(nos: NosModel, model: SwitchModel, intent: SwitchIntent) -> list[InterfaceBlock]:
    """Return every port of the switch as it is split, used or not."""
    blocks = []
    for name, key in port_keys(nos, model, intent.breakouts).items():
        port = intent.ports.get(key)
        if port is None:
            blocks.append(InterfaceBlock(name))
            continue
        blocks.append(
            InterfaceBlock(
                name=name,
                port=port,
                description=quoted(port.description),
                speed=speed_word(port.speed_gbps, model.port_range(front_panel_port(key)).cage),
                fec=fec_word(port.fec, port.speed_gbps),
                tagged_vlans=compress(port.tagged_vlans),
                cable_length=f"{port.cable_length_m}m" if port.cable_length_m is not None else "",
            )
        )
    return blocks


def _bgp(nos: NosModel, model: SwitchModel, intent: SwitchIntent) -> BgpBlock | None:
    """Return BGP with its sessions, those over ports first."""
    if intent.bgp is None:
        return None
    neighbors = []
    for peer, neighbor in intent.bgp.neighbors.items():
        unnumbered = "." not in peer
        name = f"interface {nos_port_name(nos, model, peer, intent.breakouts)}" if unnumbered else peer
        neighbors.append(
            NeighborBlock(
                name=name,
                neighbor=neighbor,
                description=quoted(neighbor.description),
                remote_as=_remote_as(neighbor),
                unnumbered=unnumbered,
            )
        )
    neighbors.sort(key=lambda block: (not block.unnumbered, block.name))
    evpn = intent.vxlan is not None or any(block.neighbor.evpn for block in neighbors)
    return BgpBlock(intent.bgp, tuple(neighbors), evpn)


def _remote_as(neighbor: BgpNeighborIntent) -> str:
    """Return what follows ``remote-as``."""
    if neighbor.internal:
        return "internal"
    return "external" if neighbor.remote_asn is None else str(neighbor.remote_asn)
