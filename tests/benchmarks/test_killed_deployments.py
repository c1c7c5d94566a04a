"""A few killed deployments on each NOS, as the benchmark runs them by the hundred."""

from __future__ import annotations

import pytest

from benchmarks import killed_deployments


@pytest.mark.slow
@pytest.mark.lab
@pytest.mark.parametrize("nos", killed_deployments.EVERY_NOS)
def test_no_killed_deployment_is_taken_as_finished(
    nos: str, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(killed_deployments, "FOLDER", tmp_path_factory.mktemp("killed"))
    ended = killed_deployments.all_runs(nos, len(killed_deployments.SIGNALS), seed=1)
    assert {one.signal for one in ended} == {number.name for number in killed_deployments.SIGNALS}
    assert not [one for one in ended if one.faults]
