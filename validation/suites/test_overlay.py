"""Overlay: VNIs, VXLAN tunnels and Ethernet segments are the planned ones, and up."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from rackproof.facts.models import Vni
from rackproof.plan.model.plan import EthernetSegmentIntent, SwitchIntent
from validation.expected.fixtures import Judge, Switch, applies_to
from validation.expected.switch_ports import RUN_UP, other_end, used_ports

ABSENT: Final = "not there"
HEARD: Final = "do their sessions carry EVPN, and do the others have the VNI? see the checks `underlay` and `overlay`"

ONE_PAST: Final = "a tracked uplink that is up and does not lead to the other switch of the pair"
ROUTED_UPLINK: Final = "give the pair a routed connection under external.uplinks (attach: bgp or bgp-unnumbered)"


class SegmentMember(NamedTuple):
    """A port channel of a host with legs on several switches."""

    esi: str
    channel: int
    host: str


def stretches(switch: Switch) -> bool:
    """Whether the plan stretches networks over a switch."""
    return switch.intent.vxlan is not None


def has_segments(switch: Switch) -> bool:
    """Whether hosts have legs on it and on others."""
    return stretches(switch) and any(True for _ in segment_members(switch.intent))


def tracks_uplinks(switch: Switch) -> bool:
    """Whether it takes the links of its segments down when its uplinks are."""
    return has_segments(switch) and any(port.multihoming_uplink for port in switch.intent.ports.values())


@applies_to(stretches)
def test_vni_stands_for_its_network(switch: Switch, judge: Judge) -> None:
    """Every switch has exactly the planned VNIs, each for its planned VLAN or VRF."""
    planned, found = planned_networks(switch.intent), switch.facts.vnis()
    for number in sorted({*planned, *found}):
        expected = planned.get(number, "nothing")
        remedy = f"VNI {number} of {switch.name}: {RUN_UP}"
        judge.expect_equal(
            f"{switch.name}/VNI {number}", expected=expected, actual=network(found.get(number)), remedy=remedy
        )


@applies_to(stretches)
def test_vni_is_up(switch: Switch, judge: Judge) -> None:
    """Every planned VNI is up."""
    found = switch.facts.vnis()
    for number in planned_networks(switch.intent):
        one = found.get(number)
        actual = ABSENT if one is None else "up" if one.up else "down"
        remedy = f"is the address of the tunnels on the loopback of {switch.name}, and the VLAN in its bridge? {RUN_UP}"
        judge.expect_equal(f"{switch.name}/VNI {number}", expected="up", actual=actual, remedy=remedy)


@applies_to(stretches)
def test_vni_joins_exactly_the_planned_switches(switch: Switch, judge: Judge) -> None:
    """Every VNI has tunnels to exactly the planned switches."""
    found, others = switch.facts.vnis(), other_vteps(switch)
    names = vtep_names(others)
    for number in planned_networks(switch.intent):
        planned = {name for name, intent in others.items() if number in planned_networks(intent)}
        one = found.get(number)
        actual = ABSENT if one is None else listed(names.get(end, end) for end in one.remote)
        remedy = f"look at {listed(planned)}: {HEARD}"
        judge.expect_equal(f"{switch.name}/VNI {number}", expected=listed(planned), actual=actual, remedy=remedy)


@applies_to(has_segments)
def test_segment_is_up(switch: Switch, judge: Judge) -> None:
    """Every multihomed port channel is an Ethernet segment with the planned ESI, and up."""
    found = switch.facts.segments()
    for member in segment_members(switch.intent):
        one = found.get(member.esi)
        actual = ABSENT if one is None or not one.port else "up" if one.up else "down"
        remedy = (
            f"segment {member.esi} of {member.host}: {RUN_UP if actual == ABSENT else 'are its cables plugged in?'}"
        )
        judge.expect_equal(member_subject(switch, member), expected="up", actual=actual, remedy=remedy)


@applies_to(has_segments)
def test_all_legs_of_a_segment_are_seen(switch: Switch, judge: Judge) -> None:
    """Every Ethernet segment has members on exactly the planned switches."""
    found, others = switch.facts.segments(), other_vteps(switch)
    names = vtep_names(others)
    for member in segment_members(switch.intent):
        planned = {
            name for name, intent in others.items() if member.esi in {one.esi for one in segment_members(intent)}
        }
        one = found.get(member.esi)
        actual = ABSENT if one is None else listed(names.get(end, end) for end in one.remote)
        remedy = (
            f"segment {member.esi} of {member.host}: is its cable at {listed(planned)} plugged in, and its segment up?"
        )
        judge.expect_equal(member_subject(switch, member), expected=listed(planned), actual=actual, remedy=remedy)


@applies_to(tracks_uplinks)
def test_segments_survive_the_loss_of_the_other_switch(switch: Switch, judge: Judge) -> None:
    """One tracked uplink of every switch is up and leads past its pair: hosts keep a link when a switch is lost."""
    states, peers = switch.facts.ports(), redundant_peers(switch)
    tracked = [name for name, port in used_ports(switch).items() if port.multihoming_uplink]
    past = [name for name in tracked if not leads_to(switch, name, peers)]
    up = [name for name in past if name in states and states[name].up]
    actual = f"up: {listed(up)}; down: {listed(set(past) - set(up))}"
    remedy = (
        f"when {listed(peers)} is lost, {switch.name} takes the host links of its segments down: "
        f"{'look at the cable and the other end' if past else ROUTED_UPLINK}"
    )
    values = {"tracked": listed(tracked)}
    judge.expect(switch.name, ok=bool(up), expected=ONE_PAST, actual=actual, remedy=remedy, values=values)


def redundant_peers(switch: Switch) -> frozenset[str]:
    """Return the other switches of a redundancy group."""
    members = switch.site.plan.redundancy_groups.get(switch.plan.redundancy_group, ())
    return frozenset(members) - {switch.name}


def leads_to(switch: Switch, port: str, devices: frozenset[str]) -> bool:
    """Return whether the plan has one of some devices at the other end of a port."""
    there = other_end(switch, switch.name, port)
    return there is not None and there.device in devices


def planned_networks(intent: SwitchIntent) -> dict[int, str]:
    """Return VNI to what it stands for; nothing of a switch that stretches nothing."""
    if intent.vxlan is None:
        return {}
    vlans = {vlan.vni: f"VLAN {number}" for number, vlan in intent.vlans.items() if vlan.vni is not None}
    return vlans | {vrf.l3_vni: f"VRF {name}" for name, vrf in intent.vrfs.items() if vrf.l3_vni is not None}


def network(one: Vni | None) -> str:
    """Return what a VNI stands for, as the plan says it."""
    if one is None:
        return ABSENT
    if one.vrf is not None:
        return f"VRF {one.vrf}"
    return "no VLAN" if one.vlan is None else f"VLAN {one.vlan}"


def segment_members(intent: SwitchIntent) -> Iterator[SegmentMember]:
    """Yield the port channels that are Ethernet segments."""
    for number, channel in intent.port_channels.items():
        if channel.ethernet_segment is not None:
            yield SegmentMember(esi(channel.ethernet_segment, number), number, channel.description)


def esi(segment: EthernetSegmentIntent, channel: int) -> str:
    """Return the identifier of a segment: type 3, MAC address, number of three bytes (RFC 7432, section 5)."""
    number = channel if segment.number is None else segment.number
    return f"03:{segment.system_mac}:{number.to_bytes(3, 'big').hex(':')}".lower()


def other_vteps(switch: Switch) -> Mapping[str, SwitchIntent]:
    """Return the other switches of the fabric that stretch networks: fabrics do not share theirs."""
    plan = switch.site.plan
    return {
        name: one.intent
        for name, one in plan.switches.items()
        if one.fabric == switch.plan.fabric and name != switch.name and one.intent is not None and one.intent.vxlan
    }


def vtep_names(intents: Mapping[str, SwitchIntent]) -> Mapping[str, str]:
    """Return the addresses of tunnels with whose they are."""
    return {intent.vxlan.source_address: name for name, intent in intents.items() if intent.vxlan is not None}


def member_subject(switch: Switch, member: SegmentMember) -> str:
    """Return how results name a member."""
    return f"{switch.name}/port channel {member.channel}"


def listed(names: Iterable[str]) -> str:
    """Return names as a person reads them, in order."""
    return ", ".join(sorted(names)) or "none"
