"""Cumulus Linux: NVUE and intent say the same in every dialect, and mean what Enterprise SONiC means."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rackproof.errors import BadInputError
from rackproof.plan.model.plan import DhcpRelayIntent, TelemetryIntent
from rackproof.render.nos.cumulus.document import read_document
from rackproof.render.nos.cumulus.tree import ends
from rackproof.render.switch import owned_tree, parse_switch, render_switch
from tests.unit.render.cumulus_intents import (
    DIALECTS,
    REFERENCE_ROCE,
    REFERENCE_VLAN,
    SPECTRUM,
    as_cumulus_says,
    cumulus_intents,
    that_release_has,
)
from tests.unit.render.switch_intents import MODELS, bare_switch, switch_intents

if TYPE_CHECKING:
    from rackproof.hardware.models import SwitchModel


@settings(max_examples=150)
@given(data=st.data(), model=st.sampled_from((SPECTRUM, *MODELS)), dialect=st.sampled_from(DIALECTS))
def test_a_rendered_file_parses_back_to_its_intent(data: st.DataObject, model: SwitchModel, dialect: str) -> None:
    intent = that_release_has(data.draw(cumulus_intents(model)), dialect)

    parsed = parse_switch("cumulus", model, render_switch("cumulus", model, intent))

    assert parsed.intent == intent
    assert parsed.unknown == parsed.missing == ()


@settings(max_examples=50)
@given(data=st.data(), model=st.sampled_from(MODELS))
def test_both_noses_mean_the_same_by_the_same_intent(data: st.DataObject, model: SwitchModel) -> None:
    intent = as_cumulus_says(data.draw(switch_intents(model, hash_queue_pair=False)))
    plain = replace(intent, dialect=None)

    meaning = parse_switch("enterprise-sonic", model, render_switch("enterprise-sonic", model, plain)).intent

    assert as_cumulus_says(meaning) == parse_switch("cumulus", model, render_switch("cumulus", model, intent)).intent


@settings(max_examples=50)
@given(data=st.data(), model=st.sampled_from((SPECTRUM, *MODELS)))
def test_every_dialect_says_the_same(data: st.DataObject, model: SwitchModel) -> None:
    intent = that_release_has(that_release_has(data.draw(cumulus_intents(model)), "5.12"), "5.14")

    trees = [
        owned_tree("cumulus", render_switch("cumulus", model, replace(intent, dialect=dialect))) for dialect in DIALECTS
    ]

    assert all(tree == trees[0] for tree in trees)


RELAYS: Final = {"EXIT": DhcpRelayIntent(servers=("192.0.2.2",), vlans=(10,))}
OLD_WORDS: Final = {
    "interface eth0 ip address 10.30.0.16/18",
    "interface eth0 ip vrf mgmt",
    "qos roce enable on",
    "service ntp mgmt server 10.0.0.1",
    "service dns mgmt server 10.0.0.3",
}
WORDS: Final = {
    "5.12": {*OLD_WORDS, "service syslog mgmt server 10.0.0.2"},
    "5.13": {*OLD_WORDS, "system syslog server 10.0.0.2 vrf mgmt"},
    "5.14": {*OLD_WORDS, "system syslog server 10.0.0.2 vrf mgmt"},
    "5.15": {
        "interface eth0 ipv4 address 10.30.0.16/18",
        "interface eth0 vrf mgmt",
        "qos roce state enabled",
        "system ntp server 10.0.0.1",
        "system ntp vrf mgmt",
        "system dns server 10.0.0.3 vrf mgmt",
        "system syslog server 10.0.0.2 vrf mgmt",
    },
}


@pytest.mark.parametrize("dialect", WORDS)
def test_each_dialect_has_its_words(dialect: str) -> None:
    intent = replace(
        bare_switch(), ntp=("10.0.0.1",), syslog=("10.0.0.2",), dns=("10.0.0.3",), roce=REFERENCE_ROCE, telemetry=None
    )
    intent = replace(intent, dialect=dialect)

    said = {" ".join(words) for words in ends(read_document(render_switch("cumulus", SPECTRUM, intent)).tree)}

    others = set().union(*WORDS.values()) - WORDS[dialect]
    assert said >= WORDS[dialect]
    assert not said & others


@pytest.mark.parametrize(
    ("dialect", "change", "why"),
    [
        ("5.12", {"telemetry": TelemetryIntent(9339)}, "system gnmi-server: Cumulus Linux has it from 5.13 on"),
        ("5.14", {"dhcp_relays": RELAYS}, "service dhcp-relay EXIT server: Cumulus Linux has it up to 5.13"),
        ("5.15", {"dhcp_relays": RELAYS}, "service dhcp-relay EXIT server: Cumulus Linux has it up to 5.13"),
    ],
)
def test_what_a_release_does_not_have_is_refused(dialect: str, change: dict[str, Any], why: str) -> None:
    intent = replace(bare_switch(), telemetry=None, vlans={10: REFERENCE_VLAN}, dialect=dialect)

    assert render_switch("cumulus", SPECTRUM, intent)
    with pytest.raises(BadInputError, match=why):
        render_switch("cumulus", SPECTRUM, replace(intent, **change))


def test_what_qos_roce_sets_up_by_itself_is_not_written() -> None:
    text = render_switch("cumulus", SPECTRUM, replace(bare_switch(), roce=REFERENCE_ROCE))

    assert "    qos:\n      roce:\n        enable: 'on'\n        mode: lossless\n    system:" in text


def test_other_priorities_than_those_of_the_lossless_mode_are_refused() -> None:
    roce = replace(REFERENCE_ROCE, lossless={4: REFERENCE_ROCE.lossless[3]})

    with pytest.raises(BadInputError, match="other priorities than 3 and 6"):
        render_switch("cumulus", SPECTRUM, replace(bare_switch(), roce=roce))


def test_a_port_split_eightfold_switches_its_neighbour_off() -> None:
    text = render_switch("cumulus", SPECTRUM, replace(bare_switch(), breakouts={"59": "8x100G"}))

    assert owned_tree("cumulus", text)["interface"]["swp59"]["link"]["breakout"] == {
        "8x": {"lanes-per-port": {"1": {}}}
    }
    assert owned_tree("cumulus", text)["interface"]["swp60"]["link"]["breakout"] == {"disabled": {}}


def test_users_and_what_the_switch_says_of_itself_are_passed_over() -> None:
    intent = replace(bare_switch())
    text = render_switch("cumulus", SPECTRUM, intent)
    more = (
        "- set:\n    system:\n      aaa:\n        user:\n          cumulus:\n            hashed-password: '*'\n"
        "      wjh:\n        enable: on\n    interface:\n      swp1:\n        link:\n"
        "          state:\n            up: {}\n"
    )

    assert owned_tree("cumulus", text + more) == owned_tree("cumulus", text)


def test_what_the_intent_does_not_explain_is_told() -> None:
    intent = replace(bare_switch())
    text = render_switch("cumulus", SPECTRUM, intent)
    more = "- set:\n    interface:\n      swp1-2:\n        router:\n          ospf:\n            enable: on\n"

    parsed = parse_switch("cumulus", SPECTRUM, text + more)

    assert "interface > swp2 > router > ospf > enable > on" in parsed.unknown
    assert parsed.missing == ()
