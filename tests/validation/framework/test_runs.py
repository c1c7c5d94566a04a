"""Whole runs of pytest over the framework: states, exit statuses, and what is written however a run ends."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest

from rackproof.results import Calibration

if TYPE_CHECKING:
    from tests.validation.framework.conftest import Suites

GOOD: Final = '''
def test_good(server: Server, judge: Judge) -> None:
    """Every server is good."""
    judge.expect_equal(server.name, expected=1, actual=1, remedy="nothing")
'''
EVERYTHING: Final = '''
HOSTNAME = Fact("hostname", ("hostname",), lambda answers: command_output(answers, "hostname").strip())
ABSENT = Fact("absent", ("absent",), lambda answers: command_output(answers, "absent"))
ODD = Fact("odd", ("hostname",), lambda answers: int(command_output(answers, "hostname")))
FLOOR = Threshold(10.0, "Gb/s", "at least", "a data sheet")


@requirements("N-012")
def test_passes(server: Server, judge: Judge) -> None:
    """A server says its name."""
    judge.expect_equal(server.name, expected="it", actual=server.fact(HOSTNAME), remedy="")


@applies_to(lambda server: server.name == "gpu-002")
def test_fails_on_a_port(server: Server, judge: Judge) -> None:
    judge.expect_equal(f"{server.name}:rail3", expected=(3,), actual=(), remedy="switch it on", rail=3)
    judge.expect_within(server.name, 12.5, FLOOR, remedy="look at the cable")


def test_is_silent(site: SiteUnderTest, judge: Judge) -> None:
    Server("gpu-001", site, judge.add_evidence).fact(ABSENT)


def test_says_something_odd(site: SiteUnderTest, judge: Judge) -> None:
    Server("gpu-001", site, judge.add_evidence).fact(ODD)


def test_judges_nothing(site: SiteUnderTest, judge: Judge) -> None:
    pass


def test_breaks(site: SiteUnderTest, judge: Judge) -> None:
    raise ZeroDivisionError("a defect")


def test_asserts(site: SiteUnderTest) -> None:
    assert site.plan.site == "another"


@pytest.fixture
def broken() -> None:
    raise OSError("a fixture broke")


def test_with_a_broken_fixture(site: SiteUnderTest, broken: None, judge: Judge) -> None:
    judge.expect_equal("x", expected=1, actual=1, remedy="")


def test_is_skipped(site: SiteUnderTest, judge: Judge) -> None:
    pytest.skip("no such thing here")


@live
def test_drives(site: SiteUnderTest, judge: Judge) -> None:
    judge.expect_equal("x", expected=1, actual=1, remedy="")


@disruptive
def test_pulls_a_link(site: SiteUnderTest, judge: Judge) -> None:
    judge.expect_equal("x", expected=1, actual=1, remedy="")


@applies_to(lambda server: False)
def test_is_for_nobody(server: Server, judge: Judge) -> None:
    judge.expect_equal("x", expected=1, actual=1, remedy="")
'''
STATES: Final = {
    "all/passes gpu-001": "passed",
    "all/passes gpu-002": "passed",
    "all/fails-on-a-port gpu-002:rail3": "failed",
    "all/fails-on-a-port gpu-002": "passed",
    "all/is-silent all/is-silent": "error",
    "all/says-something-odd all/says-something-odd": "error",
    "all/judges-nothing all/judges-nothing": "error",
    "all/breaks all/breaks": "error",
    "all/asserts all/asserts": "failed",
    "all/with-a-broken-fixture all/with-a-broken-fixture": "error",
    "all/is-skipped all/is-skipped": "skipped",
    "all/drives all/drives": "skipped",
}


@pytest.mark.parametrize("options", [(), ("-n", "2")], ids=["serial", "xdist"])
def test_each_way_to_end_has_its_state(suites: Suites, options: tuple[str, ...]) -> None:
    suites.write("all", EVERYTHING)

    ended = suites.run(*options)

    assert ended.states == STATES
    assert ended.status == 1
    assert ended.run is not None
    assert ended.run.verdict == "failed"
    assert not ended.run.missing
    assert not ended.run.selected
    assert {one.evidence for one in ended.run.results if one.state == "passed"} == {"recorded", "real"}
    assert "gpu-002:rail3: Expected 3. Actual none. → switch it on" in ended.said
    assert ended.one("all/is-silent").message == "`absent` was not run"
    assert ended.one("all/breaks").message == "ZeroDivisionError: a defect"
    assert next(check for check in ended.run.checks if check.id == "all/passes").requirements == ("N-012",)
    assert "all/pulls-a-link" not in {check.id for check in ended.run.checks}


def test_good_run_of_a_replay_is_a_rehearsal(suites: Suites) -> None:
    suites.write("good", GOOD)

    ended = suites.run()

    assert (ended.status, ended.states) == (0, {"good/good gpu-001": "passed", "good/good gpu-002": "passed"})
    assert ended.run is not None
    assert ended.run.verdict == "rehearsal passed"
    assert ended.run.not_proven == ("everything: the facts are recorded ones, and no device was asked",)
    assert {"site.yaml", "plan.json"} <= ended.run.hashes.keys()


def test_choice_of_checks_proves_no_site(suites: Suites) -> None:
    suites.write("good", GOOD)
    suites.write("other", GOOD)

    by_name, by_file = suites.run("-k", "other"), suites.run("--only", "gpu-001")

    assert (by_name.status, by_file.status) == (2, 2)
    assert by_name.run is not None
    assert {one.check_id for one in by_name.run.missing} == {"good/good"}


def test_disruptive_checks_run_last_and_only_when_asked_for(suites: Suites) -> None:
    suites.write("all", EVERYTHING)

    ended = suites.run("--disruptive", "-v")

    assert ended.states == {**STATES, "all/pulls-a-link x": "passed"}
    assert ended.run is not None
    assert ended.run.results[-1].check_id == "all/pulls-a-link"


def test_failed_only_carries_the_rest_over(suites: Suites) -> None:
    suites.write("all", EVERYTHING)
    before = suites.run()
    suites.write("all", EVERYTHING.replace("actual=()", "actual=(3,)"))

    after = suites.run("--failed")

    assert before.run is not None
    assert after.states == {**STATES, "all/fails-on-a-port gpu-002:rail3": "passed"}
    assert after.one("all/passes", "gpu-001") == before.one("all/passes", "gpu-001")
    assert "all/passes" not in after.said


def test_failed_only_refuses_another_site(suites: Suites) -> None:
    suites.write("good", GOOD)
    suites.run()
    site = suites.site_folder / "site.yaml"
    site.write_text(site.read_text(encoding="utf-8") + "# changed\n", encoding="utf-8")

    ended = suites.run("--failed")

    assert ended.status == 3
    assert "site.yaml changed since the last run: run all checks, without --failed" in ended.said


def test_waiver_counts_until_it_runs_out(suites: Suites) -> None:
    suites.write("all", EVERYTHING)
    waiver = "{check: all/fails-on-a-port, subject: 'gpu-*:rail3', who: Ada, why: on order, until: %s}"
    file = suites.site_folder / "waivers.yaml"
    file.write_text(f"waivers:\n  - {waiver % '2999-12-31'}\n", encoding="utf-8")
    during = suites.run("-k", "fails")
    file.write_text(f"waivers:\n  - {waiver % '2020-01-01'}\n", encoding="utf-8")
    after = suites.run("-k", "fails")

    found = next(one for one in during.run.results if one.subject.endswith("rail3")) if during.run else None
    assert found is not None
    assert (found.state, found.waiver and found.waiver.who) == ("waived", "Ada")
    assert "waivers.yaml" in (during.run.hashes if during.run else ())
    assert after.states["all/fails-on-a-port gpu-002:rail3"] == "failed"


def test_wrong_waivers_are_all_named_with_their_places(suites: Suites) -> None:
    suites.write("good", GOOD)
    text = "waivers:\n  - {check: good/goood, subject: x, who: Ada, why: y, until: 2999-01-01}\n"
    (suites.site_folder / "waivers.yaml").write_text(text, encoding="utf-8")

    ended = suites.run()

    assert ended.status == 3
    assert "waivers.yaml:2:13: there is no check good/goood (did you mean good/good?)" in ended.said


def test_calibrated_run_sharpens_the_next_one(suites: Suites) -> None:
    body = GOOD.replace(
        "judge.expect_equal(server.name, expected=1, actual=1", "judge.expect_within(server.name, 20.0, FLOOR"
    )
    floor = '\nFLOOR = Threshold(10.0, "Gb/s", "at least", "a data sheet")\n'
    suites.write("good", floor + body)
    first = suites.run("--calibrate")
    suites.write("good", floor + body.replace("20.0", "18.9"))
    second = suites.run()

    assert (first.status, second.status) == (0, 1)
    assert "Expected at least 19 Gb/s. Actual 18.9 Gb/s." in second.said
    limit = second.one("good/good", "gpu-001").threshold
    assert limit is not None
    assert limit.calibrated
    assert first.run is not None
    assert second.run is not None
    assert first.run.calibration is None
    assert second.run.calibration == Calibration("baseline.yaml", first.run.started, 2)
    assert second.run.suites == {"good": "A suite of a test"}


def test_tests_of_a_device_stay_on_one_process(suites: Suites) -> None:
    where = GOOD.replace('remedy="nothing"', 'remedy="nothing", values={"process": str(os.getpid())}')
    suites.write("good", "".join(where.replace("test_good", f"test_good_{number}") for number in range(4)))

    ended = suites.run("-n", "2")

    assert ended.run is not None
    processes = {(one.device, one.values["process"]) for one in ended.run.results}
    assert len(ended.run.results) == 8
    assert len(processes) == 2


def test_crash_of_a_process_is_no_result(suites: Suites) -> None:
    suites.write(
        "good",
        GOOD + GOOD.replace("test_good", "test_crash").replace("judge.expect_equal", "os._exit(9); judge.expect_equal"),
    )

    ended = suites.run("-n", "1", "--max-worker-restart", "0")

    assert ended.status == 2
    assert ended.run is not None
    assert "good/crash" in {one.check_id for one in ended.run.missing}


def test_interrupted_run_is_written(suites: Suites) -> None:
    events = suites.folder / "events"
    body = (
        GOOD
        + """
def test_waits(site: SiteUnderTest, judge: Judge) -> None:
    judge.expect_equal("x", expected=1, actual=1, remedy="")
    raise KeyboardInterrupt
"""
    )
    suites.write("good", body)

    ended = suites.ended(suites.start("--events", str(events)))

    assert ended.status == 2
    assert ended.run is not None
    assert ended.run.interrupted
    assert ended.run.verdict == "incomplete"
    assert ended.states == {"good/good gpu-001": "passed", "good/good gpu-002": "passed"}
    told = [json.loads(line) for line in events.read_text(encoding="utf-8").splitlines()]
    assert told[0]["devices"] == 5
    assert [one["answered"] for one in told if "answered" in one] == [True] * 5
    assert told[-1]["verdict"] == "incomplete"


def test_site_must_be_named(suites: Suites) -> None:
    suites.write("good", GOOD)
    ended = suites.run("--site", "")

    assert ended.status == 3
    assert "give --site <name>" in ended.said
    assert ended.run is None
