"""Community SONiC: file and intent say the same, and both NOSes mean the same by the same intent."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rackproof.errors import BadInputError
from rackproof.render.switch import parse_switch, render_switch
from rackproof.types import split_breakout
from tests.unit.render.switch_intents import (
    CATALOGUE,
    LOSSLESS_PORT,
    MODELS,
    ROCE,
    bare_switch,
    switch_intents,
)

if TYPE_CHECKING:
    from pathlib import Path

    from rackproof.hardware.models import SwitchModel
    from rackproof.plan.model.plan import SwitchIntent

Database = dict[str, dict[str, dict[str, str]]]


def rendered_database(model: SwitchModel, intent: SwitchIntent) -> Database:
    found: Database = json.loads(render_switch("sonic", model, intent))
    return found


@settings(max_examples=150)
@given(data=st.data(), model=st.sampled_from(MODELS))
def test_a_rendered_file_parses_back_to_its_intent(data: st.DataObject, model: SwitchModel) -> None:
    intent = data.draw(switch_intents(model, hash_queue_pair=False))

    parsed = parse_switch("sonic", model, render_switch("sonic", model, intent))

    assert parsed.intent == intent
    assert parsed.unknown == parsed.missing == ()


@settings(max_examples=50)
@given(data=st.data(), model=st.sampled_from(MODELS))
def test_both_noses_mean_the_same_by_the_same_intent(data: st.DataObject, model: SwitchModel) -> None:
    intent = data.draw(switch_intents(model, hash_queue_pair=False))

    meanings = [
        parse_switch(nos, model, render_switch(nos, model, intent)).intent for nos in ("enterprise-sonic", "sonic")
    ]

    assert meanings[0] == meanings[1]


SPLITS = [
    pytest.param(model, breakout.mode, id=f"{model.model} {breakout.mode}")
    for model in MODELS
    for breakout in model.ports[0].breakouts
    if split_breakout(breakout.mode)[0] > 1
]


@pytest.mark.parametrize(("model", "mode"), SPLITS)
def test_the_children_of_a_split_port_share_its_lanes(model: SwitchModel, mode: str) -> None:
    whole = rendered_database(model, bare_switch())["PORT"]
    split = rendered_database(model, replace(bare_switch(), breakouts={"3": mode}))["PORT"]

    children = [name for name, fields in split.items() if fields["index"] == "3"]
    [parent] = [name for name, fields in whole.items() if fields["index"] == "3"]

    assert ",".join(split[name]["lanes"] for name in children) == whole[parent]["lanes"]
    assert [split[name]["alias"] for name in children] == [
        f"{whole[parent]['alias']}{letter}" for letter in "abcdefgh"[: len(children)]
    ]
    assert {split[name]["speed"] for name in children} == {str(split_breakout(mode)[1] * 1000)}
    assert len(split) == len(whole) + len(children) - 1


@pytest.mark.shared
def test_children_are_called_as_the_platform_calls_them(shared: Path) -> None:
    platform = json.loads((shared / "upstream/sonic-device/Z9864F-ON/platform.json").read_text(encoding="utf-8"))
    model = CATALOGUE.switch("dell-z9864f-on")
    for breakout in model.ports[0].breakouts:
        if split_breakout(breakout.mode)[0] == 1:
            continue
        database = rendered_database(model, replace(bare_switch(), breakouts={"3": breakout.mode}))
        aliases = [fields["alias"] for fields in database["PORT"].values() if fields["index"] == "3"]

        mode = database["BREAKOUT_CFG"]["Ethernet16"]["brkout_mode"]
        assert platform["interfaces"]["Ethernet16"]["breakout_modes"][mode] == aliases


def test_what_the_switch_fills_by_itself_is_no_drift() -> None:
    model = MODELS[0]
    database = rendered_database(model, bare_switch())
    database["FEATURE"] = {"bgp": {"state": "enabled"}}
    database["DEVICE_METADATA"]["localhost"]["mac"] = "02:00:00:00:00:09"

    assert parse_switch("sonic", model, json.dumps(database)).exact


def test_what_nobody_planned_is_told() -> None:
    model = MODELS[0]
    database = rendered_database(model, bare_switch())
    database["STATIC_ROUTE"] = {"0.0.0.0/0": {"nexthop": "10.0.0.1"}}
    database["PORT"]["Ethernet16"]["admin_status"] = "up"

    parsed = parse_switch("sonic", model, json.dumps(database))

    assert parsed.unknown == (
        'PORT > Ethernet16 > admin_status: "up"',
        "STATIC_ROUTE",
        "STATIC_ROUTE > 0.0.0.0/0",
        'STATIC_ROUTE > 0.0.0.0/0 > nexthop: "10.0.0.1"',
    )
    assert parsed.missing == ('PORT > Ethernet16 > admin_status: "down"',)


@pytest.mark.parametrize("text", ["not JSON", "[]"])
def test_a_file_that_is_no_database_is_refused(text: str) -> None:
    with pytest.raises(BadInputError, match=r"not a config_db\.json"):
        parse_switch("sonic", MODELS[0], text)


def test_a_cable_nobody_has_headroom_for_is_refused() -> None:
    intent = replace(bare_switch(), ports={"1": replace(LOSSLESS_PORT, cable_length_m=7)}, roce=ROCE)

    with pytest.raises(BadInputError, match="no headroom is known for 800G over 7 m"):
        render_switch("sonic", MODELS[0], intent)
