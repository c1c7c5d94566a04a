"""Everything that a suite imports: its subjects, the judge, and what marks a check.

Subjects come by the name of a check's argument::

    @applies_to(lambda server: server.intent.roce is not None)
    def test_pfc_is_on_for_the_lossless_priority_alone(server: Server, judge: Judge) -> None:
        \"\"\"PFC is on for exactly the lossless priority of every rail port.\"\"\"

``server`` and ``switch`` make one test a device, ``fabric`` one a fabric, ``site`` one in all. The plan decides which
tests there are; each of them must then have a result.
"""

from collections.abc import Callable
from typing import Any

import pytest

from validation.expected.subjects import Fabric, Server, SiteUnderTest, Switch
from validation.verdict.judge import Judge

__all__ = ["Fabric", "Judge", "Server", "SiteUnderTest", "Switch", "applies_to", "disruptive", "live", "requirements"]


def applies_to(predicate: Callable[[Any], bool]) -> pytest.MarkDecorator:
    """Mark a check that is for some of its subjects only: those for which the predicate holds, by plan and catalogue.

    It is asked before any device is, so it must not look at facts.
    """
    return pytest.mark.applies_to.with_args(predicate)


def requirements(*ids: str) -> pytest.MarkDecorator:
    """Mark a check that answers requirements of NVIDIA's ai-cloud-validation, by their IDs."""
    return pytest.mark.requirements(*ids)


live: pytest.MarkDecorator = pytest.mark.live
"""Mark a check that makes devices do something: nothing to play back, and one at a time."""

disruptive: pytest.MarkDecorator = pytest.mark.disruptive
"""Mark a check that interrupts the site: it is run, and expected, with ``--disruptive`` only."""
