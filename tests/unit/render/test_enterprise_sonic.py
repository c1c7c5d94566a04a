"""Enterprise SONiC: text and intent say the same, and what the text says besides is told."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rackproof.errors import BadInputError
from rackproof.plan.model.plan import BgpIntent, PortChannelIntent, PortIntent, VlanIntent
from rackproof.render.switch import owned_tree, parse_switch, render_switch
from tests.unit.render.switch_intents import CATALOGUE, LOSSLESS_PORT, MODELS, ROCE, bare_switch, switch_intents

if TYPE_CHECKING:
    from rackproof.hardware.models import SwitchModel

NOS = "enterprise-sonic"
MODEL: Final = CATALOGUE.switch("dell-z9864f-on")
LOSSLESS: Final = replace(
    bare_switch(),
    ports={"1": LOSSLESS_PORT, "2": PortIntent("uplink core 1", 400, "none", 9100, port_channel=1)},
    port_channels={1: PortChannelIntent("uplink core", 9100, tagged_vlans=(100,))},
    vlans={100: VlanIntent("hosts", 9100), 101: VlanIntent("rails", 9100)},
    bgp=BgpIntent(65001, "10.10.255.1", {}),
    roce=ROCE,
)


@settings(max_examples=150)
@given(data=st.data(), model=st.sampled_from(MODELS))
def test_a_rendered_configuration_parses_back_to_its_intent(data: st.DataObject, model: SwitchModel) -> None:
    intent = data.draw(switch_intents(model))

    parsed = parse_switch(NOS, model, render_switch(NOS, model, intent))

    assert parsed.intent == intent
    assert parsed.unknown == parsed.missing == ()


def edited(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1, f"{text.count(old)} of {old!r}"
    return text.replace(old, new)


@pytest.fixture
def running() -> str:
    """The configuration of a small lossless switch."""
    return render_switch(NOS, MODEL, LOSSLESS)


def test_what_a_switch_prints_of_its_own_accord_is_no_drift(running: str) -> None:
    printed = running.replace("\n shutdown\n", "\n mtu 9100\n speed 800000\n fec RS\n unreliable-los auto\n shutdown\n")
    printed = edited(printed, " fec RS\n no shutdown", " fec RS\n unreliable-los auto\n no shutdown")
    printed = edited(printed, "interface Vlan 100", "interface Vlan100")
    printed = edited(printed, "interface PortChannel 1", "interface PortChannel1 mode active")
    printed = edited(printed, " router-id", " log-neighbor-changes\n timers 60 180\n router-id")
    printed += "!\nusername admin password $6$secret role admin\n!\nhardware\n !\n access-list\n  counters per-entry\n"

    parsed = parse_switch(NOS, MODEL, printed)

    assert parsed.intent == LOSSLESS
    assert parsed.exact
    assert owned_tree(NOS, printed) == owned_tree(NOS, running)


def test_users_are_never_shown(running: str) -> None:
    parsed = parse_switch(NOS, MODEL, running + "username intruder password $6$secret role admin\n")

    assert "username" not in "".join((*parsed.unknown, *parsed.missing))


def test_the_objects_of_roce_enable_on_unused_ports_are_no_drift(running: str) -> None:
    by_roce_enable = (
        " queue 3 wred-policy ROCE\n queue 4 wred-policy ROCE\n scheduler-policy ROCE\n qos-map dscp-tc ROCE\n"
        " priority-flow-control priority 3\n priority-flow-control priority 4\n"
        " priority-flow-control watchdog action drop\n"
    )

    assert parse_switch(NOS, MODEL, running.replace("\n shutdown\n", f"\n shutdown\n{by_roce_enable}", 1)).exact


def test_what_roce_enable_leaves_of_the_second_class_is_told(running: str) -> None:
    printed = edited(
        running, "  weight 50\n !\n queue 6", "  weight 50\n !\n queue 4\n  type dwrr\n  weight 50\n !\n queue 6"
    )
    printed = edited(
        printed,
        " priority-flow-control priority 3\n",
        " priority-flow-control priority 3\n priority-flow-control priority 4\n",
    )

    assert parse_switch(NOS, MODEL, printed).unknown == (
        "qos scheduler-policy ROCE > queue 4",
        "qos scheduler-policy ROCE > queue 4 > type dwrr",
        "qos scheduler-policy ROCE > queue 4 > weight 50",
        "interface Eth1/1 > priority-flow-control priority 4",
    )


def test_a_line_made_by_hand_is_told_with_its_place(running: str) -> None:
    printed = edited(running, " mtu 9216\n speed 800000", " mtu 9216\n speed 800000\n storm-control broadcast 100")
    printed += "ip route 10.99.0.0/16 10.0.0.1\n"

    parsed = parse_switch(NOS, MODEL, printed)

    assert parsed.intent == LOSSLESS
    assert parsed.unknown == ("interface Eth1/1 > storm-control broadcast 100", "ip route 10.99.0.0/16 10.0.0.1")
    assert parsed.missing == ()


def test_a_changed_value_is_part_of_the_intent(running: str) -> None:
    parsed = parse_switch(NOS, MODEL, edited(running, " mtu 9216\n speed 800000", " mtu 1500\n speed 800000"))

    assert parsed.exact
    assert parsed.intent.ports["1"].mtu_bytes == 1500


def test_a_port_shut_by_hand_is_told(running: str) -> None:
    parsed = parse_switch(NOS, MODEL, edited(running, " fec RS\n no shutdown", " fec RS\n shutdown"))

    assert parsed.unknown == ("interface Eth1/1 > shutdown",)
    assert parsed.missing == ("interface Eth1/1 > no shutdown",)


def test_a_lossless_port_without_its_maps_is_told(running: str) -> None:
    parsed = parse_switch(NOS, MODEL, edited(running, " qos-map dscp-tc ROCE\n", ""))

    assert parsed.intent == LOSSLESS
    assert parsed.missing == ("interface Eth1/1 > qos-map dscp-tc ROCE",)


def test_any_text_is_read_without_failing() -> None:
    text = "router bgp x\n neighbor interface Eth9/9\ninterface Eth1/1\n mtu\n speed fast\n switchport access Vlan x\n"

    assert parse_switch(NOS, MODEL, text).unknown != ()


def test_every_port_nobody_uses_is_shut_down() -> None:
    tree = owned_tree(NOS, render_switch(NOS, MODEL, bare_switch()))

    ports = [block for line, block in tree.items() if line.startswith("interface Eth")]
    assert len(ports) == 66
    assert all(block == {"shutdown": {}} for block in ports)


def test_breakout_and_roce_enable_stand_before_what_needs_them() -> None:
    intent = replace(LOSSLESS, breakouts={"3": "4x200G"})

    lines = render_switch(NOS, MODEL, intent).splitlines()
    order = [
        lines.index(line)
        for line in (
            "interface breakout port 1/3 mode 4x200G",
            "roce enable pfc-priority 3,4",
            "qos map dscp-tc ROCE",
            "interface Vlan 100",
            "interface PortChannel 1",
            "interface Eth1/1",
            "interface Eth1/3/1",
            "router bgp 65001",
        )
    ]

    assert order == sorted(order)


def test_twisted_pair_negotiates_its_speed() -> None:
    model = CATALOGUE.switch("dell-s3248t-on")
    intent = replace(bare_switch(), ports={"1": PortIntent("gpu-001 bmc", 1, "none", 1500, vlan=300)})

    text = render_switch(NOS, model, intent)

    assert " speed auto 1000\n" in text
    assert " fec " not in text
    assert parse_switch(NOS, model, text).intent.ports == intent.ports


def test_a_nos_nobody_renders_for_is_named() -> None:
    with pytest.raises(BadInputError, match="switches with other-nos can be planned, not configured"):
        render_switch("other-nos", MODEL, bare_switch())


def test_the_same_intent_gives_the_same_bytes(running: str) -> None:
    shuffled = replace(
        LOSSLESS,
        ports=dict(sorted(LOSSLESS.ports.items(), reverse=True)),
        vlans=dict(sorted(LOSSLESS.vlans.items(), reverse=True)),
    )

    assert render_switch(NOS, MODEL, shuffled) == running
