"""diff, up and trust from the command line: what they say, how they end, and what they never say."""

from __future__ import annotations

import functools
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
import yaml12

from rackproof import paths
from rackproof.cli.app import run
from rackproof.cli.deploy import deployable_site
from rackproof.cli.output import ExitStatus
from rackproof.deploy.lock import site_lock
from rackproof.deploy.switch import job
from tests.deploy.conftest import PASSWORD, TIMEOUTS, VARIABLE
from tests.deploy.nos_words import BACKEND, FRONTEND
from tests.deploy.test_interrupted import kill_at

if TYPE_CHECKING:
    from tests.deploy.conftest import Bench

pytestmark = pytest.mark.lab
SITE = "metrum-h200"
OOB = "oob-leaf-01"


class Said(NamedTuple):
    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:  # noqa: ANN401 JSON
        return json.loads(self.out)


class Desk:
    """A person at the command line, with a lab beside."""

    def __init__(self, bench: Bench, folder: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.bench = bench
        self.capture = capture
        self.access = folder / "access.yaml"
        self.write_access()

    def write_access(self, **host_keys: str | None) -> None:
        """Write access.yaml; ``host_keys`` gives switches another key, or none."""
        document = self.bench.access().access.model_dump(mode="json", exclude_none=True)
        for name, key in host_keys.items():
            document["devices"][name.replace("_", "-")]["host_key"] = key
        self.access.write_text(yaml12.format_yaml(document))

    def run(self, *words: str) -> Said:
        status = run([words[0], SITE, "--access", str(self.access), *words[1:]])
        return self.said(status)

    def said(self, status: int) -> Said:
        return Said(status, *self.capture.readouterr())


@pytest.fixture
def desk(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Desk:
    monkeypatch.setattr(paths, "BUILD", tmp_path / "build")
    monkeypatch.setattr(job, "SwitchOptions", functools.partial(job.SwitchOptions, timeouts=TIMEOUTS))
    return Desk(bench, tmp_path, capsys)


def test_diff_up_and_diff_again(desk: Desk) -> None:
    before = desk.run("diff")
    assert before.status == ExitStatus.FAILED
    assert f"{FRONTEND}: " in before.out
    assert "Ethernet 1/1: breakout none → 4x25G (port reset)" in before.out
    done = desk.run("up", "--yes")
    assert done.status == ExitStatus.DONE, done
    assert f"changed: {BACKEND}, {FRONTEND}, {OOB}" in done.out
    after = desk.run("diff")
    assert after.status == ExitStatus.DONE
    assert "3 devices without changes" in after.out
    again = desk.run("up", "--yes")
    assert again.status == ExitStatus.DONE
    assert "3 devices without changes" in again.out


def test_a_program_reads_the_same(desk: Desk) -> None:
    document = desk.run("diff", "--only", FRONTEND, "--json").document
    (device,) = document["devices"]
    assert document["status"] == ExitStatus.FAILED
    assert device["device"] == FRONTEND
    breakout = next(change for change in device["changes"] if change["path"] == ["breakouts", "1"])
    assert (breakout["before"], breakout["after"], breakout["disruption"]) == (None, "4x25G", "port-reset")
    document = desk.run("up", "--only", FRONTEND, "--yes", "--json").document
    (result,) = document["results"]
    assert (result["device"], result["outcome"]) == (FRONTEND, "changed")
    assert "interface breakout port 1/1 mode 4x25G" in result["commands"]
    assert desk.run("diff", "--only", FRONTEND, "--json").document["devices"][0]["changes"] == []


def test_a_dry_run_changes_nothing(desk: Desk) -> None:
    before = desk.bench.machine(FRONTEND)
    said = desk.run("up", "--dry-run", "--only", "frontend")
    assert said.status == ExitStatus.FAILED
    assert "breakout none → 4x25G" in said.out
    assert desk.bench.machine(FRONTEND) == before


def test_nobody_is_asked_where_nobody_is(desk: Desk) -> None:
    before = desk.bench.machine(FRONTEND)
    said = desk.run("up", "--only", FRONTEND)
    assert said.status == ExitStatus.BAD_INPUT
    assert "--yes" in said.err
    assert desk.bench.machine(FRONTEND) == before


def test_an_unknown_device_is_bad_input(desk: Desk) -> None:
    said = desk.run("diff", "--only", "frontend-leaf-09")
    assert said.status == ExitStatus.BAD_INPUT
    assert "neither a fabric nor a switch" in said.err
    assert FRONTEND in said.err


def test_what_cannot_be_read_is_unknown_and_the_rest_is_told(desk: Desk) -> None:
    desk.bench.inject("dead-switch", FRONTEND)
    said = desk.run("diff")
    assert said.status == ExitStatus.UNKNOWN
    assert f"{FRONTEND}: could not be read" in said.out
    assert f"{OOB}: " in said.out


def test_a_failure_says_which_switch_is_what(desk: Desk) -> None:
    desk.bench.inject("refused-line", FRONTEND, pattern="channel-group")
    said = desk.run("up", "--yes", "--only", "frontend", "--only", "oob")
    assert said.status == ExitStatus.FAILED
    assert f"changed: {OOB}" in said.out
    assert f"rolled back: {FRONTEND}" in said.out
    assert "the switch is as it was before" in said.out


def test_a_missing_host_key_is_unknown_until_it_is_trusted(desk: Desk) -> None:
    desk.write_access(frontend_leaf_01=None)
    said = desk.run("diff", "--only", FRONTEND)
    assert said.status == ExitStatus.UNKNOWN
    assert "never recorded" in said.out
    assert "rackproof trust" in said.out
    assert desk.run("trust", "--only", FRONTEND).status == ExitStatus.BAD_INPUT
    trusted = desk.run("trust", "--only", FRONTEND, "--yes")
    assert trusted.status == ExitStatus.DONE
    assert f"{FRONTEND}: recorded SHA256:" in trusted.out
    assert desk.run("diff", "--only", FRONTEND).status == ExitStatus.FAILED


def test_a_changed_key_is_replaced_only_when_asked(desk: Desk) -> None:
    desk.bench.inject("changed-host-key", FRONTEND)
    held = desk.access.read_text()
    refused = desk.run("trust", "--yes")
    assert refused.status == ExitStatus.FAILED
    assert f"{FRONTEND}: refused" in refused.out
    assert desk.access.read_text() == held
    assert desk.run("up", "--yes", "--only", FRONTEND).status == ExitStatus.UNKNOWN
    assert desk.access.read_text() == held
    assert desk.run("trust", "--yes", "--replace").status == ExitStatus.DONE
    assert desk.run("diff", "--only", FRONTEND).status == ExitStatus.FAILED


def test_a_device_that_shows_no_key_is_unknown(desk: Desk) -> None:
    desk.bench.inject("dead-switch", FRONTEND)
    assert desk.run("trust", "--yes").status == ExitStatus.UNKNOWN


def test_one_deployment_at_a_time(desk: Desk) -> None:
    with site_lock(SITE):
        said = desk.run("up", "--yes")
    assert said.status == ExitStatus.FAILED
    assert "is being deployed already (process" in said.err
    assert desk.run("up", "--yes", "--only", OOB).status == ExitStatus.DONE


def test_no_secret_is_written_or_said(desk: Desk, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    said = [desk.run("diff"), desk.run("up", "--yes", "--json"), desk.run("diff", "--json"), desk.run("trust", "--yes")]
    said += [desk.said(run(["plan", SITE, "--json"])), desk.said(run(["render", SITE]))]
    desk.bench.inject("wrong-password", FRONTEND)
    said.append(desk.run("up", "--yes"))
    written = [path for path in tmp_path.rglob("*") if path.is_file()]
    texts = [*(one.out for one in said), *(one.err for one in said), *(path.read_text() for path in written)]
    assert any(path.suffix == ".md" for path in written)
    secrets = (PASSWORD, "$6$lab$")
    assert not [text for text in (*texts, caplog.text) if any(secret in text for secret in secrets)]


@pytest.mark.slow
@pytest.mark.usefixtures("ctrl_c_is_heard")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_rolls_back_the_switch_that_is_being_changed(desk: Desk, number: signal.Signals) -> None:
    before = desk.bench.machine(BACKEND)
    desk.bench.inject("slow-answer", BACKEND, seconds="0.05")
    command = str(Path(sys.executable).with_name("rackproof"))
    words = [command, "up", SITE, "--yes", "--only", BACKEND, "--access", str(desk.access)]
    environment = {**os.environ, VARIABLE: PASSWORD}
    with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as up:
        assert up.stderr is not None
        for line in up.stderr:
            if "configuration:" in line:
                break
        up.send_signal(number)
        out, _ = up.communicate(timeout=120)
    assert up.returncode == ExitStatus.INTERRUPTED
    assert f"rolled back: {BACKEND}" in out
    assert desk.bench.machine(BACKEND) == before


def test_what_was_verified_is_not_derived_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.run("up", "--yes")
    first = desk.run("diff")
    with monkeypatch.context() as patched:
        patched.setattr(deployable_site, "deployable_site", None)
        again = desk.run("diff")
        assert again.status == ExitStatus.DONE
        assert "3 devices without changes" in again.out
        assert (
            again.err.partition("access to devices")[0].strip() == first.err.partition("access to devices")[0].strip()
        )
        assert desk.run("diff", "--only", FRONTEND).status == ExitStatus.DONE
    desk.bench.type(FRONTEND, "lldp timer 10")
    assert "unexpected line `lldp timer 10`" in desk.run("diff").out


def test_what_is_left_alone_is_named_once_and_is_no_difference(desk: Desk) -> None:
    desk.run("up", "--yes")
    for switch in (BACKEND, FRONTEND):
        desk.bench.type(switch, "snmp-server community public group ro")
    desk.bench.type(OOB, "aaa authentication login default local")
    for switch in (BACKEND, FRONTEND, OOB):
        desk.bench.lab.call(desk.bench.lab.lab.switch(switch).shell.run("sudo config save -y"))
    expected = f"left alone, and not compared: AAA on {OOB}, SNMP on 2 devices"
    desk.run("up", "--yes")  # what is typed at a console is not saved
    for said in (desk.run("diff"), desk.run("diff"), desk.run("up", "--yes")):
        assert said.status == ExitStatus.DONE
        assert said.out.count("left alone") == 1
        assert expected in said.out
    found = {one["device"]: one["left_alone"] for one in json.loads(desk.run("diff", "--json").out)["devices"]}
    assert found == {BACKEND: ["SNMP"], FRONTEND: ["SNMP"], OOB: ["AAA"]}


def test_validation_that_interrupts_tells_what_and_needs_a_yes(desk: Desk) -> None:
    said = desk.run("validate", "--disruptive", "--cold-start", "--soak-hours", "2", "-k", "resilience")

    assert said.status == ExitStatus.BAD_INPUT
    assert said.out.startswith("This interrupts the site (only checks that match -k 'resilience' run):\n")
    assert f"all at once, {BACKEND}, {FRONTEND}, {OOB} restart" in said.out
    assert "--yes to interrupt the site without being asked" in said.err


def test_an_armed_return_is_seen_past_the_cache(desk: Desk) -> None:
    desk.run("up", "--yes")
    assert desk.run("diff").status == ExitStatus.DONE
    desk.bench.type(FRONTEND, "lldp timer 10")
    kill_at(desk.bench, "confirming over")
    said = desk.run("diff")
    assert said.status == ExitStatus.FAILED
    assert "the switch rolls back to its checkpoint at 20" in said.out
    assert "2 devices without changes" in said.out
    assert desk.run("up", "--yes").status == ExitStatus.DONE
    assert desk.run("diff").status == ExitStatus.DONE
