"""NVIDIA's reference configurations, read as an intent and rendered again, say the same but for what is explained."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from rackproof.render.switch import parse_switch, render_switch
from tests.unit.render.nvue_comparison import Difference, compare, differences, read_reasons, table
from tests.unit.render.switch_intents import CATALOGUE

if TYPE_CHECKING:
    from tests.conftest import Golden

HERE: Final = Path(__file__).resolve().parent
GOLDEN: Final = HERE.parents[1] / "golden" / "cumulus"
SWITCHES: Final = {
    "core-01": "nvidia-sn5600",
    "core-02": "nvidia-sn5600",
    "oob-switch-01": "nvidia-sn2201",
    "oob-switch-02": "nvidia-sn2201",
}


@pytest.mark.shared
def test_nvidia_leaves_the_hash_as_it_is(shared: Path) -> None:
    """Why no field of ``system forwarding ecmp-hash`` is rendered (docs/how-to/network-engineer.md)."""
    exports = sorted((shared / "upstream").glob("era-*/*.yaml"))

    assert exports
    assert not [file.name for file in exports if "ecmp-hash" in file.read_text(encoding="utf-8")]


@pytest.mark.shared
@pytest.mark.parametrize(("name", "model"), SWITCHES.items())
def test_an_export_of_nvidia_read_and_rendered_again_says_the_same(
    shared: Path, golden: Golden, name: str, model: str
) -> None:
    theirs = (shared / "upstream" / "era-2-4-3" / f"{name}.yaml").read_text(encoding="utf-8")
    intent = parse_switch("cumulus", CATALOGUE.switch(model), theirs).intent

    comparison = compare(
        render_switch("cumulus", CATALOGUE.switch(model), intent), theirs, read_reasons(HERE / "era_reasons.yaml")
    )

    assert comparison.unexplained == []
    golden(GOLDEN / "era-2-4-3" / f"{name}.md", table(comparison))


BOND: Final = "- set:\n    interface:\n      bond7: {bond: {member: {swp1: {}}}, type: bond}\n"
SESSIONS: Final = """
- set:
    vrf:
      default:
        router:
          bgp:
            neighbor:
              %s: {peer-group: %s}
            peer-group:
              %s: {remote-as: external}
"""


def test_bonds_are_compared_whatever_they_are_called() -> None:
    other = BOND.replace("bond7", "uplink").replace("type: bond", "description: to the edge")

    assert list(differences(BOND, BOND.replace("bond7", "bond1s0"))) == []
    assert [" ".join(found.path) for found in differences(BOND, other)] == [
        "interface bond-of-swp1 description",
        "interface bond-of-swp1 type",
    ]


def test_sessions_are_compared_with_what_their_group_says() -> None:
    found = list(differences(SESSIONS % ("swp1", "a", "a"), SESSIONS % ("swp1-2", "b", "b")))

    assert found == [Difference(("vrf", "default", "router", "bgp", "neighbor", "swp2", "remote-as"), "-", "external")]


def test_a_reason_that_explains_nothing_is_told() -> None:
    comparison = compare("- set:\n    {}\n", "- set:\n    {}\n", read_reasons(HERE / "era_reasons.yaml"))

    assert len(comparison.unused) == len(comparison.explained)
    assert comparison.unexplained == []
