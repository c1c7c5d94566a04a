from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from benchmarks import report
from benchmarks.large_site import site_text
from benchmarks.plain_testinfra import passive_checks
from benchmarks.rail_site import rail_site
from benchmarks.report import Row
from rackproof.plan.from_file import plan_site

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("text", "switches"),
    [
        pytest.param(site_text(pods=1), 3, id="one pod"),
        pytest.param(site_text(pods=100), 300, id="the published size of diff"),
        pytest.param(rail_site(servers=56, core_racks=2), 20, id="the smallest size of pyavd"),
    ],
)
def test_sites_of_the_benchmarks_have_no_errors(tmp_path: Path, text: str, switches: int) -> None:
    file = tmp_path / "site.yaml"
    file.write_text(text, encoding="utf-8")

    planned = plan_site(file)

    assert len(planned.plan.switches) == switches


def test_the_comparison_with_testinfra_has_no_check_that_no_command_answers() -> None:
    modules = {check.__module__.rpartition(".")[2] for check in passive_checks()}

    assert "test_gpu" in modules
    assert "test_server_settings" not in modules


@pytest.mark.parametrize(("judged", "status"), [(True, 1), (False, 0)])
def test_a_limit_that_is_exceeded_fails_a_benchmark_of_the_published_size(
    capsys: pytest.CaptureFixture[str], *, judged: bool, status: int
) -> None:
    rows = [Row("slow", {"wall_s": 9.0}, kept=False)]

    assert report.finish("Title", rows, None, judged=judged) == status
    assert ("OVER" in capsys.readouterr().out) == judged
