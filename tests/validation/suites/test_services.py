"""External services: each fault, and the one check that names it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from rackproof.facts.fact import Answer
from rackproof.facts.hosts import routes, services
from rackproof.facts.nos.cumulus import system as cumulus
from rackproof.facts.nos.enterprise_sonic import system as enterprise_sonic
from rackproof.facts.nos.enterprise_sonic.shows import shell
from tests.validation.faults import NVIDIA, Fault, all_pass, fault_names, server, shown
from validation.expected.subjects import Switch
from validation.suites import test_services
from validation.verdict.judge import Judge

if TYPE_CHECKING:
    from pathlib import Path

    from rackproof.results import Result

FAULTS: Final = {
    "a default route over a rail": Fault(
        check="test_default_route_is_the_one_of_the_plan",
        subject="gpu-001",
        says="on rail0",
        command=routes.ROUTES,
        before='"dst": "10.10.0.0/20", "dev": "rail0"',
        after='"dst": "default", "gateway": "10.10.0.1", "dev": "rail0"',
    ),
    "another name server": Fault(
        check="test_name_servers_are_those_of_the_site",
        subject="gpu-001",
        says="Expected 198.51.100.53. Actual 192.0.2.53, 198.51.100.53.",
        command=services.NAME_SERVERS,
        before="198.51.100.53 0\n",
        after="198.51.100.53 0\n192.0.2.53 0\n",
    ),
    "a name server that is silent": Fault(
        check="test_name_servers_answer",
        subject="gpu-001",
        says="Expected 198.51.100.53 answers. Actual no answer.",
        command=services.NAME_SERVERS,
        before="198.51.100.53 0",
        after="198.51.100.53 silent",
    ),
    "the distribution's time servers": Fault(
        check="test_time_servers_of_the_site_are_asked",
        subject="gpu-001",
        says="Expected 198.51.100.123, 203.0.113.123. Actual 198.51.100.123.",
        command=services.SOURCES,
        before="203.0.113.123",
        after="192.0.2.123",
    ),
    "a time server that is silent, and nobody follows the other": Fault(
        check="test_clock_follows_a_time_server",
        subject="gpu-001",
        says="not synchronised; 203.0.113.123 answers",
        command=services.SOURCES,
        before="^,*,198.51.100.123,2,6,377",
        after="^,?,198.51.100.123,0,6,0",
        untold=("test_clock_is_right",),
    ),
    "a clock that follows another time server": Fault(
        check="test_clock_follows_a_time_server",
        subject="gpu-001",
        says="Expected synchronised to a time server of the site. Actual synchronised to 192.0.2.123.",
        command=services.SOURCES,
        before="^,*,198.51.100.123",
        after="^,*,192.0.2.123,2,6,377,32,0.00001,0.000012,0.0004\n^,+,198.51.100.123",
    ),
    "a clock that nobody sets": Fault(
        check="test_clock_follows_a_time_server",
        subject="gpu-001",
        says="not synchronised; 198.51.100.123, 203.0.113.123 answers",
        command=services.TRACKING,
        before="Normal",
        after="Not synchronised",
    ),
    "a clock that is off": Fault(
        check="test_clock_is_right",
        subject="gpu-001",
        says="Expected at most 0.05 s. Actual 1.2 s.",
        command=services.TRACKING,
        before="-0.000012",
        after="-1.2",
    ),
}


def test_a_good_server_passes(tmp_path: Path) -> None:
    all_pass(test_services, tmp_path, NVIDIA)


@pytest.mark.parametrize("fault", shown(test_services, FAULTS))
def test_one_check_fails_and_names_the_fault(fault: Fault, tmp_path: Path) -> None:
    fault.happens(test_services, tmp_path)


def test_every_check_has_a_fault_in_which_it_fails() -> None:
    assert {fault.check for fault in FAULTS.values()} == fault_names(test_services)


LEAF: Final = "frontend-leaf-01"
RUNNING: Final = {
    "metrum-h200": (shell(enterprise_sonic.CONFIGURATION), "frontend-leaf-01.cfg"),
    "dell-xe9680-spectrum-x": (cumulus.CONFIGURATION, "frontend-leaf-01.yaml"),
}
"""Site to the command that shows a configuration, and the golden one: of Enterprise SONiC and of Cumulus Linux."""


@pytest.mark.shows_failing("services/switches-send-their-logs")
@pytest.mark.parametrize("site", RUNNING)
def test_a_switch_that_sends_its_logs_elsewhere_is_named(site: str, tmp_path: Path, checkout: Path) -> None:
    command, file = RUNNING[site]
    right = (checkout / "tests" / "golden" / site / "configs" / file).read_text()
    wrong = right.replace("198.51.100.14", "192.0.2.14")
    found = {text: log_check(tmp_path / str(hash(text)), site, command, text) for text in (right, wrong)}

    assert [one.state for one in found[right]] == ["passed"]
    assert [one.message for one in found[wrong]] == ["Expected 198.51.100.14. Actual 192.0.2.14."]
    assert [one.subject for one in found[wrong]] == [LEAF]


def log_check(folder: Path, site: str, command: str, text: str) -> list[Result]:
    under_test = server(folder, {}, site).site
    under_test.run.write_answers(LEAF, {command: Answer(text, 0)})
    judge = Judge("services/switches-send-their-logs", LEAF)
    test_services.test_switches_send_their_logs(Switch(LEAF, under_test, judge.add_evidence), judge)
    return judge.results
