"""Inventory of switches: model and NOS version are the planned ones."""

import re
from collections.abc import Mapping
from functools import cache

from rackproof.releases.load import load_release
from validation.expected.fixtures import Judge, Switch, applies_to, requirements

VERSION = re.compile(r"\d+(?:\.\d+)*")


@requirements("HWING01")
def test_switch_is_the_planned_model(switch: Switch, judge: Judge) -> None:
    """Every switch is the planned model."""
    found = switch.facts.identity()
    planned = switch.site.planned.catalogue.switch(switch.plan.model).name
    word = planned.split()[-1]
    judge.expect(
        switch.name,
        word.lower() in found.product.lower(),
        expected=planned,
        actual=found.product or "not reported",
        remedy=f"another switch is installed at {switch.plan.position}, or access.yaml has the address of another one",
        values={"serial number": found.serial, "MAC address": found.mac},
    )


@requirements("ATTEST01")
@applies_to(lambda switch: release_version(switch) is not None)
def test_switch_runs_the_release(switch: Switch, judge: Judge) -> None:
    """Every switch runs the NOS version of the release."""
    found = VERSION.search(switch.facts.identity().version)
    judge.expect_equal(
        switch.name,
        expected=release_version(switch),
        actual=None if found is None else found[0],
        remedy=f"install that version of {switch.plan.nos}, or choose a release that has the other one",
    )


def release_version(switch: Switch) -> str | None:
    """Return the version of the switch's NOS in the release; None: the release leaves it open."""
    return versions(switch.site.plan.release).get(switch.plan.nos)


@cache
def versions(release: str) -> Mapping[str, str]:
    """Return component to version of a release; it is read once."""
    return {name: component.version for name, component in load_release(release).components.items()}
