from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pulumi
import pytest

from infra.stack_plan import stack_switches
from rackproof.plan.model.plan import Notice, Plan
from tests.infra.plans import plan_with, switch_plan
from tests.infra.recorded_program import declared_by

if TYPE_CHECKING:
    from collections.abc import Iterator

PLAN = replace(
    plan_with(
        [switch_plan("leaf-01", "unit-01"), switch_plan("leaf-02", "unit-01"), switch_plan("leaf-03", "unit-02")]
    ),
    redundancy_groups={"unit-01": ("leaf-01", "leaf-02"), "unit-02": ("leaf-03",)},
)


@pytest.fixture(autouse=True)
def _no_settings_afterwards() -> Iterator[None]:
    yield
    pulumi.runtime.set_all_config({})


def stack_switch_names(only: list[str] | None, plan: Plan = PLAN) -> frozenset[str]:
    found: list[frozenset[str]] = []

    def program() -> None:
        pulumi.runtime.set_all_config({} if only is None else {"rackproof:only": json.dumps(only)})
        found.append(stack_switches(plan))

    declared_by(program)
    return found[0]


@pytest.mark.parametrize(
    ("only", "switches"),
    [
        (None, {"leaf-01", "leaf-02", "leaf-03"}),
        (["unit-01"], {"leaf-01", "leaf-02"}),
        (["unit-02", "leaf-01"], {"leaf-01", "leaf-03"}),
        (["backend"], {"leaf-01", "leaf-02", "leaf-03"}),
    ],
)
def test_a_stack_has_the_fabrics_units_and_switches_it_names(only: list[str] | None, switches: set[str]) -> None:
    assert stack_switch_names(only) == switches


def test_a_stack_has_no_export_only_switches() -> None:
    exported = replace(PLAN, notices=(Notice("export-only", "backend", "SONiC"),))

    assert stack_switch_names(None, exported.without_export_only()) == set()
    with pytest.raises(pulumi.RunError, match="leaf-01 is export only"):
        stack_switch_names(["leaf-01"], exported.without_export_only())


def test_a_name_that_the_site_lacks_is_told() -> None:
    with pytest.raises(pulumi.RunError, match="unit-09 is neither a fabric nor a switch nor a server of site-a"):
        stack_switch_names(["unit-09"])
