"""A server that announces nothing, or only MAC addresses, is known by what discovery recorded of its ports."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

import pytest

from lab.spec.models import LabEnd, port_mac
from rackproof.site.as_built import AsBuilt, AsBuiltPort, AsBuiltServer
from tests.validation.switches import Change, judged, replayed

if TYPE_CHECKING:
    from pathlib import Path

    from rackproof.results import Result

LEAF: Final = "backend-leaf-01"
SERVER: Final = "gpu-a-001"
CHECK: Final = "cabling/cable-leads-where-the-plan-has-it"
LLDP: Final = "show lldp neighbor"
SILENT: Final = ((LEAF, LLDP, "Interface:   Eth1/3,via: LLDP", "Nobody:      Eth1/3"),)


def mac(rail: int) -> str:
    return port_mac(LabEnd(SERVER, f"rail{rail}"))


def record(*rails: int) -> AsBuilt:
    """What discovery recorded of some rails, in the order in which they were taken for rail 0, 1, 2, ..."""
    ports = {
        f"rail{place}": AsBuiltPort(pci_address=f"0000:{place:02x}:00.0", mac_address=mac(rail), device_id="15b3:101d")
        for place, rail in enumerate(rails)
    }
    return AsBuilt(servers={SERVER: AsBuiltServer(ports=ports)})


def seen(folder: Path, known: AsBuilt, *changes: Change) -> Result:
    """What the check says of the third port, where rail 2 is planned."""
    site = replace(cast("Any", replayed("clos", folder, *changes)), as_built=known)
    return next(one for one in judged(site, LEAF) if (one.check_id, one.subject) == (CHECK, f"{LEAF}/Eth1/3"))


def test_a_silent_server_is_known_by_its_mac_address(tmp_path: Path) -> None:
    found = seen(tmp_path, record(0, 1, 2, 3), *SILENT)
    assert (found.state, found.values["seen by"]) == ("passed", "MAC address")


@pytest.mark.shows_failing(CHECK)
def test_a_silent_server_with_swapped_cables_is_named(tmp_path: Path) -> None:
    found = seen(tmp_path, record(0, 1, 3, 2), *SILENT)
    assert (found.state, found.actual) == ("failed", f"{SERVER} rail3")
    assert found.remedy == f"swap the cables at {LEAF}/Eth1/3 and {LEAF}/Eth1/4"


def test_a_silent_server_that_nobody_recorded_is_not_known(tmp_path: Path) -> None:
    found = seen(tmp_path, AsBuilt(), *SILENT)
    assert (found.state, found.message) == ("error", f"no neighbor is seen; the plan has {SERVER} rail2")


@pytest.mark.parametrize(("rails", "state"), [((0, 1, 2, 3), "passed"), ((0, 1, 3, 2), "failed")])
def test_an_adapter_that_announces_its_mac_address_is_known(rails: tuple[int, ...], state: str, tmp_path: Path) -> None:
    change = (LEAF, LLDP, "PortID:       rail2", f"PortID:       {mac(2).upper()}")
    found = seen(tmp_path, record(*rails), change)
    assert (found.state, found.values["seen by"]) == (state, "LLDP")
