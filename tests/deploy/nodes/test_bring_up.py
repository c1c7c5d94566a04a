"""Bringing hosts up: what is compared, what is changed, what is left behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rackproof.deploy.protocol import Outcome
from tests.deploy.nodes.conftest import ONE, TWO

if TYPE_CHECKING:
    from tests.deploy.nodes.conftest import HostBench


def test_hosts_are_brought_up_and_then_nothing_differs(bench: HostBench) -> None:
    assert [change.text.rpartition("/")[2] for change in bench.compared()[ONE].changes] == [
        "ports.conf: new, 2 lines",
        "time.conf: new, 1 lines",
    ]

    done = bench.up()

    assert {name: result.outcome for name, result in done.items()} == dict.fromkeys((ONE, TWO), Outcome.CHANGED), done
    assert bench.file(ONE, "ports.conf") == "mtu=9000\nname=rail0\n"
    assert done[TWO].applied.commands == ("probe : Keep the files",)
    assert {name: result.outcome for name, result in bench.up().items()} == dict.fromkeys((ONE, TWO), Outcome.UNCHANGED)
