"""FRR takes the routing that a rendered NVUE configuration means."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rackproof.render.nos.cumulus.frr import render_frr
from tests.unit.render.cumulus_intents import NOS, SPECTRUM, cumulus_intents

if TYPE_CHECKING:
    from pathlib import Path

NO_VTYSH: Final = "vtysh of FRR is not on the PATH"

pytestmark = pytest.mark.skipif(shutil.which("vtysh") is None, reason=NO_VTYSH)


def refused_by_frr(folder: Path, text: str) -> str:
    """What vtysh says against a configuration; empty where it takes it."""
    file = folder / "frr.conf"
    file.write_text(text, encoding="utf-8")
    finished = subprocess.run(
        ["vtysh", "--dryrun", "--inputfile", str(file)], capture_output=True, text=True, check=False
    )
    return "" if finished.returncode == 0 else f"{finished.stdout}{finished.stderr}\n{text}"


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_frr_takes_the_routing_of_any_switch(data: st.DataObject, tmp_path: Path) -> None:
    intent = data.draw(cumulus_intents(SPECTRUM))

    assert refused_by_frr(tmp_path, render_frr(NOS, SPECTRUM, intent)) == ""


def test_frr_refuses_what_is_no_routing(tmp_path: Path) -> None:
    assert refused_by_frr(tmp_path, "router bgp 65001\n neighbor swp1 colour blue\n") != ""
