"""Out-of-band switches linked to a consolidated pair, each to both of its switches."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from rackproof.errors import Problems
from rackproof.hardware.load import Catalogue
from rackproof.hardware.models import PortRange, SwitchModel
from rackproof.plan.fabric.cable_fit import Fit, find_fit, plugs
from rackproof.plan.fabric.draft import FabricDraft
from rackproof.plan.fabric.port_allocation import Attachment
from rackproof.plan.fabric.server_ports import DevicePort
from rackproof.plan.fabric.topologies.consolidated_pair import SPLIT, SWITCHES
from rackproof.plan.model.plan import PortChannelIntent, PortIntent, SwitchIntent
from rackproof.plan.model.port_names import nos_port_name
from rackproof.plan.network.mtu import switch_mtu_bytes
from rackproof.plan.network.overlay import segment, segment_number
from rackproof.plan.physical.cabling import Cabling

UPLINK_CHANNEL = 1
"""Port channel of an out-of-band switch towards the pair: it has no other."""
PORT_STEP = 2
"""Ports 49 and 51 lead to the pair: one above the other, so that a row of cages may fail (2-4-3-200 wiring)."""


@dataclass(frozen=True, slots=True)
class OobUplink:
    """An out-of-band fabric and the consolidated pair it is linked to."""

    oob: FabricDraft
    pair: FabricDraft
    view: FabricDraft
    """The ports of the pair that lead to the out-of-band switches."""

    @property
    def vlan(self) -> int:
        """VLAN that the pair routes for."""
        return self.oob.first_vlan


def _uplinks(model: SwitchModel) -> PortRange:
    """Return the fastest ports of an out-of-band switch."""
    return max(model.ports, key=lambda ports: ports.speed_gbps)


def _split_only(model: SwitchModel) -> SwitchModel:
    """Return the switch as if its cages were always split eight ways."""
    mode = f"{SPLIT}x{model.ports[0].speed_gbps // SPLIT}G"
    only = tuple(breakout for breakout in model.ports[0].breakouts if breakout.mode == mode)
    cages = model.ports[0].model_copy(update={"breakouts": only, "always_split": True})
    return model.model_copy(update={"ports": (cages,)})


def _uplink_port(oob: FabricDraft, number: int, side: int) -> DevicePort:
    ports = _uplinks(oob.model)
    port = nos_port_name(oob.nos, oob.model, str(ports.first + PORT_STEP * side), {})
    lanes = dict.fromkeys(plugs(ports), ports.lanes)
    path = ("fabrics", oob.name, "joins")
    return DevicePort(
        oob.switch_name(number), port, oob.name, "inter-switch", ports.speed_gbps, plugs(ports), lanes, path
    )


def _attachments(oob: FabricDraft, cage: int, fit: Fit) -> tuple[Attachment, ...]:
    return tuple(
        Attachment(_uplink_port(oob, number, side), side, f"{cage}/{number + 1}", fit)
        for side, number in product(range(SWITCHES), range(len(oob.layout.switches)))
    )


def plan_oob_uplinks(
    drafts: Mapping[str, FabricDraft], catalogue: Catalogue, problems: Problems
) -> tuple[OobUplink, ...]:
    """Return how out-of-band fabrics are linked to the pairs they join; what does not fit is recorded."""
    oob_uplinks = []
    for oob in drafts.values():
        pair = drafts.get(oob.asked.joins or "")
        if pair is None or not oob.layout.switches or not pair.layout.switches:
            continue
        fit = find_fit(_split_only(pair.model), _uplink_port(oob, 0, 0), catalogue, None)
        if fit is None or len(oob.layout.switches) > SPLIT:
            message = f"{pair.model.name} has {SPLIT} ports for out-of-band switches like {oob.model.name}"
            problems.add(
                (*oob.path, "joins"), f"{len(oob.layout.switches)} switch(es) cannot join {pair.name}", message
            )
            continue
        layout = replace(pair.layout, attachments=_attachments(oob, pair.layout.oob_cage, fit), isl_cables=())
        oob_uplinks.append(
            OobUplink(oob, pair, replace(pair, name=oob.name, layout=layout, path=oob.path, owner=pair.name))
        )
    return tuple(oob_uplinks)


def _port(cabling: Cabling, switch: str, attachment: Attachment, mtu_bytes: int, far: str, channel: int) -> PortIntent:
    plug = cabling.plugs.get(switch, {}).get(attachment.key)
    fec = plug.fec if plug else "none"
    return PortIntent(far, attachment.device_port.speed_gbps, fec, mtu_bytes, port_channel=channel)


def uplinked_oob_switch(uplink: OobUplink, number: int, intent: SwitchIntent, cabling: Cabling) -> SwitchIntent:
    """Return an out-of-band switch that hands its VLAN to the pair, which is its gateway."""
    first, mtu_bytes = _uplinks(uplink.oob.model).first, switch_mtu_bytes(uplink.oob)
    ports = dict(intent.ports)
    for side in range(SWITCHES):
        core = uplink.pair.switch_name(side)
        attachment = uplink.view.layout.attachments_by_switch[side][number]
        key = str(first + PORT_STEP * side)
        ports[key] = _port(cabling, core, attachment, mtu_bytes, core, UPLINK_CHANNEL)
    channel = PortChannelIntent(f"{uplink.pair.name} pair", mtu_bytes, vlan=uplink.vlan)
    vlans = {vlan: replace(row, address=None) if vlan == uplink.vlan else row for vlan, row in intent.vlans.items()}
    return replace(intent, ports=ports, port_channels={**intent.port_channels, UPLINK_CHANNEL: channel}, vlans=vlans)


def pair_ports(
    oob_uplinks: Sequence[OobUplink], number: int, cabling: Cabling
) -> tuple[dict[str, PortIntent], dict[int, PortChannelIntent]]:
    """Return the ports and port channels of one switch of a pair towards out-of-band switches."""
    ports: dict[str, PortIntent] = {}
    channels: dict[int, PortChannelIntent] = {}
    for uplink in oob_uplinks:
        mtu_bytes = switch_mtu_bytes(uplink.oob)
        for attachment in uplink.view.layout.attachments_by_switch[number]:
            far, channel = attachment.device_port.device, segment_number(attachment.key)
            core = uplink.pair.switch_name(number)
            ports[attachment.key] = _port(cabling, core, attachment, mtu_bytes, far, channel)
            segment_of = segment(uplink.pair, number, channel)
            channels[channel] = PortChannelIntent(far, mtu_bytes, vlan=uplink.vlan, ethernet_segment=segment_of)
    return ports, channels
