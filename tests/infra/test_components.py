from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from infra.components.fabric import Fabric
from infra.inputs.switch import inputs_from, planned_inputs, switch_values
from tests.infra.plans import link_between, plan_with, switch_plan
from tests.infra.recorded_program import declared_by

if TYPE_CHECKING:
    from tests.infra.recorded_program import Declared

MAX_STATE_BYTES = 30_000


def declared_fabric(*groups: str) -> dict[str, Declared]:
    switches = [switch_plan(f"leaf-{number:02d}", group) for number, group in enumerate(groups, start=1)]
    plan = plan_with(switches)
    return declared_by(lambda: Fabric(plan.fabrics["backend"], plan, frozenset(plan.switches)))


def test_fabric_has_one_resource_a_switch() -> None:
    resources = declared_fabric("a", "b")

    assert resources["backend"].type == "rackproof:fabric:Fabric"
    assert {name: resource.type for name, resource in resources.items() if resource.parent == "backend"} == {
        "leaf-01": "rackproof:switch:SwitchConfig",
        "leaf-02": "rackproof:switch:SwitchConfig",
    }


def test_members_of_a_redundancy_group_wait_for_each_other() -> None:
    resources = declared_fabric("pair-1", "pair-2", "pair-1", "pair-2", "pair-1")

    waits = {name: resource.depends_on for name, resource in resources.items() if resource.parent == "backend"}
    assert waits == {
        "leaf-01": [],
        "leaf-02": [],
        "leaf-03": ["leaf-01"],
        "leaf-04": ["leaf-02"],
        "leaf-05": ["leaf-03"],
    }


def declared_clos(mtu_bytes: int) -> dict[str, Declared]:
    leaf, spine = switch_plan("leaf-01"), switch_plan("spine-01")
    assert leaf.intent is not None
    ports = {"1/1": replace(leaf.intent.ports["1/1"], mtu_bytes=mtu_bytes)}
    leaf = replace(leaf, intent=replace(leaf.intent, ports=ports))
    plan = plan_with([leaf, spine], (link_between("leaf-01", "spine-01"),))
    return declared_by(lambda: Fabric(plan.fabrics["backend"], plan, frozenset(plan.switches)))


def test_gate_stands_behind_switches_that_are_linked() -> None:
    gate = declared_clos(9216)["backend-gate"]

    assert gate.type == "rackproof:fabric:FabricGate"
    assert sorted(gate.depends_on) == ["leaf-01", "spine-01"]
    assert "backend-gate" not in declared_fabric("a", "b")


def test_stack_of_some_switches_leaves_the_rest_and_the_gate_to_others() -> None:
    plan = plan_with(
        [switch_plan("leaf-01", "unit-01"), switch_plan("leaf-02", "unit-01"), switch_plan("spine-01")],
        (link_between("leaf-01", "spine-01"),),
    )

    resources = declared_by(lambda: Fabric(plan.fabrics["backend"], plan, frozenset({"leaf-01", "leaf-02"})))

    assert {name for name, resource in resources.items() if resource.parent == "backend"} == {"leaf-01", "leaf-02"}


def test_gate_looks_again_when_a_switch_is_meant_to_be_something_else() -> None:
    before = declared_clos(9216)["backend-gate"].inputs["switches"]
    after = declared_clos(9100)["backend-gate"].inputs["switches"]

    assert {name for name in before if before[name] != after[name]} == {"leaf-01"}


def test_inputs_are_keyed_by_port() -> None:
    inputs = declared_fabric("a")["leaf-01"].inputs

    assert inputs["intent"]["ports"]["2/1"] == {
        "description": "gpu-002:rail1 of the backend",
        "speed_gbps": 400,
        "fec": "rs",
        "mtu_bytes": 9216,
        "vlan": 102,
        "lossless": True,
        "cable_length_m": 40,
    }


def test_inputs_survive_the_way_through_json() -> None:
    inputs = planned_inputs(switch_plan("leaf-01", ports=64))

    assert inputs_from(json.loads(json.dumps(switch_values(inputs)))) == inputs


def test_inputs_of_a_switch_with_64_split_ports_are_small() -> None:
    values = switch_values(planned_inputs(switch_plan("leaf-01", ports=64)))

    assert len(json.dumps(values, separators=(",", ":"))) < MAX_STATE_BYTES
