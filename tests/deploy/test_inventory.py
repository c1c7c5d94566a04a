"""Every site of the inventory whose switches run Cumulus Linux: deployed, and then unchanged."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from rackproof.deploy.protocol import Outcome
from rackproof.paths import INVENTORY
from tests.deploy.conftest import lab_bench

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.lab, pytest.mark.slow]
SITES: Final = sorted(file for file in INVENTORY.glob("*/site.yaml") if "nos: cumulus" in file.read_text("utf-8"))


@pytest.mark.parametrize("file", SITES, ids=lambda file: file.parent.name)
def test_a_site_is_deployed_and_then_unchanged(file: Path) -> None:
    with lab_bench(file) as bench:
        results = bench.up()
        assert all(result.succeeded for result in results.values()), results
        assert {result.outcome for name, result in results.items() if "/" not in name} == {Outcome.CHANGED}
        assert {result.outcome for result in bench.up().values()} == {Outcome.UNCHANGED}
