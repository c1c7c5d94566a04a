"""The plan leaves out what the release of a NOS does not have, and says so."""

from __future__ import annotations

from typing import Final

import pytest

from rackproof.plan.from_file import plan_site
from rackproof.site.load import find_site

NO_GNMI: Final = "the gNMI server: Cumulus Linux has it from 5.13 on, and the release has 5.12.1"


@pytest.mark.parametrize("site", ["dell-xe9680-spectrum-x", "dell-era-2-8-9"])
def test_gnmi_is_left_out_where_the_release_lacks_it(site: str) -> None:
    plan = plan_site(find_site(site)).plan

    telemetry = [switch.intent.telemetry for switch in plan.switches.values() if switch.intent]
    assert all(one is None or one.gnmi_port is None for one in telemetry)
    assert [notice.text for notice in plan.notices if notice.kind == "left-out"] == [NO_GNMI]


def test_gnmi_is_there_where_every_release_has_it() -> None:
    plan = plan_site(find_site("metrum-h200")).plan

    assert all(switch.intent.telemetry for switch in plan.switches.values() if switch.intent)
    assert not [notice for notice in plan.notices if notice.kind == "left-out"]
