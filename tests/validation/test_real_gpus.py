"""The suites about accelerators on what real ones said: H200 SXM, idle, and busy up to their power limit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.validation.recorded import not_passed, recorded, recorded_server
from validation.suites import test_gpu

if TYPE_CHECKING:
    from pathlib import Path

SITE: Final = "metrum-h200"
NOT_RECORDED: Final = "gpu/driver-reported-no-fault"
"""It reads the kernel's log."""


def test_two_h200_that_idle_are_well(tmp_path: Path) -> None:
    found = not_passed([test_gpu], recorded_server(tmp_path, recorded("h200-two-idle.json"), site=SITE))
    assert set(found) == {NOT_RECORDED}


@pytest.mark.shows_failing("gpu/nvlinks-are-up", "gpu/gpus-have-joined-the-nvswitches")
def test_an_h200_at_its_power_limit_is_not_slow_but_without_the_others_it_has_no_links(tmp_path: Path) -> None:
    found = not_passed([test_gpu], recorded_server(tmp_path, recorded("h200-one-busy.json"), site=SITE))
    assert set(found) == {NOT_RECORDED, "gpu/nvlinks-are-up", "gpu/gpus-have-joined-the-nvswitches"}
    assert found["gpu/nvlinks-are-up"][0] == "failed gpu-001:gpu0:links: Expected 18. Actual 0."
    assert found["gpu/gpus-have-joined-the-nvswitches"] == [
        "failed gpu-001:gpu0: Expected Completed Success. Actual N/A N/A."
    ]
