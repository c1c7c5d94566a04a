"""The real provider's types, asked over gRPC without a device."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from infra.inputs.switch import TOKEN, planned_inputs, switch_values
from tests.infra.engine_side import Engine, running_provider
from tests.infra.plans import switch_plan

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def engine(checkout: Path) -> Iterator[Engine]:
    with running_provider(checkout / "infra" / "provider", TOKEN, dict(os.environ)) as engine:
        yield engine


@pytest.fixture
def inputs() -> dict[str, Any]:
    return switch_values(planned_inputs(switch_plan("leaf-01")))


def test_schema_describes_every_type_it_refers_to(engine: Engine) -> None:
    schema = json.loads(engine.schema())

    referred = set(re.findall(r'"#/types/([^"]+)"', json.dumps(schema)))
    assert {TOKEN, "rackproof:fabric:FabricGate"} <= set(schema["resources"])
    assert referred
    assert referred <= set(schema["types"])


def test_port_is_typed_in_the_schema(engine: Engine) -> None:
    port = json.loads(engine.schema())["types"]["rackproof:switch:PortIntent"]

    assert port["properties"]["mtu_bytes"] == {"type": "integer"}
    assert "mtu_bytes" in port["required"]
    assert "vlan" not in port["required"]


def test_planned_inputs_pass(engine: Engine, inputs: dict[str, Any]) -> None:
    assert engine.check("leaf-01", inputs) == {}


def test_every_wrong_value_is_named(engine: Engine, inputs: dict[str, Any]) -> None:
    inputs["intent"]["ports"]["1/1"]["mtu_bytes"] = "large"
    inputs["intent"]["ports"]["1/2"]["fec"] = "some"
    inputs["nos"] = "enterprise-sonik"
    del inputs["intent"]["management"]

    failures = engine.check("leaf-01", inputs)

    assert set(failures) == {
        'intent.ports["1/1"].mtu_bytes',
        'intent.ports["1/2"].fec',
        "intent.management",
        "nos",
    }
    assert "did you mean enterprise-sonic" in failures["nos"]


def test_key_that_no_intent_has_is_named(engine: Engine, inputs: dict[str, Any]) -> None:
    inputs["intent"]["ports"]["1/1"]["mtu"] = 9216

    assert set(engine.check("leaf-01", inputs)) == {'intent.ports["1/1"].mtu'}


def test_preview_says_what_changes_in_words_and_what_it_disrupts(engine: Engine, inputs: dict[str, Any]) -> None:
    switch = switch_plan("leaf-01")
    assert switch.intent is not None
    ports = {**switch.intent.ports, "1/1": replace(switch.intent.ports["1/1"], mtu_bytes=9100)}
    changed = switch_values(planned_inputs(replace(switch, intent=replace(switch.intent, ports=ports))))

    engine.update("leaf-01", inputs, changed, preview=True)

    assert [text for _, text in engine.listener.lines] == ["Ethernet 1/1/1: MTU 9216 → 9100 (port reset)"]


def test_line_found_on_the_switch_differs_from_the_plan(engine: Engine, inputs: dict[str, Any]) -> None:
    answer = engine.diff("leaf-01", {**inputs, "unexpected": ["ip route 0.0.0.0/0 10.0.0.1"]}, inputs)

    assert set(answer.detailedDiff) == {"unexpected"}
