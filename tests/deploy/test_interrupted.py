"""What an interrupted deployment leaves on a switch, and the lock that keeps deployments apart."""

from __future__ import annotations

import json
import subprocess
import threading
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import pytest

from rackproof.deploy.process_identity import this_process
from rackproof.deploy.protocol import Outcome
from rackproof.deploy.switch.driver import find_driver
from rackproof.deploy.switch.job import SwitchOptions
from tests.deploy.conftest import TIMEOUTS
from tests.deploy.nos_words import FRONTEND

if TYPE_CHECKING:
    from collections.abc import Callable

    from rackproof.deploy.process_identity import ProcessIdentity
    from tests.deploy.conftest import Bench

pytestmark = pytest.mark.lab
ALLOWED = SwitchOptions(allow_disruption=True, timeouts=TIMEOUTS)
LONG_AFTER_S = 3 * (TIMEOUTS.return_after_s + TIMEOUTS.restart_s)


class KilledError(BaseException):
    """Ends a deployment where it is, as SIGKILL does; nothing of Rackproof handles it."""


def killed() -> None:
    raise KilledError


def kill_at(bench: Bench, doing: str) -> None:
    """Deploy the frontend leaf, and kill the deployment when it begins to do something."""
    bench.when[doing] = killed
    with pytest.raises(KilledError):
        bench.up(FRONTEND, options=ALLOWED)


def texts(bench: Bench) -> list[str]:
    """The differences of the frontend leaf."""
    return [change.text for change in bench.compared(FRONTEND)[FRONTEND].changes]


def lock_file(bench: Bench) -> str:
    """Path of the lock on a switch."""
    switch = bench.planned.plan.switches[FRONTEND]
    return find_driver(switch.nos).LOCK.file


def on_switch(bench: Bench, act: Callable[[Any], object]) -> Any:  # noqa: ANN401 whatever the act returns
    """Act on the files of the frontend leaf, in the thread of its lab."""

    async def acted() -> object:
        return act(bench.lab.lab.switch(FRONTEND).files)

    return bench.lab.call(acted())


def write_lock(bench: Bench, holder: ProcessIdentity, lasts_s: int = 600) -> None:
    """Put a lock on the frontend leaf."""
    now = int(bench.lab.lab.switch(FRONTEND).clock.now())
    document = {"token": "0123abcd", "holder": asdict(holder), "site": "elsewhere", "since": now}
    text = json.dumps({**document, "expires": now + lasts_s, "changing": False})
    on_switch(bench, lambda files: files.write(lock_file(bench), text))


def ended_process() -> ProcessIdentity:
    """A process of this machine that has ended."""
    with subprocess.Popen(["true"]) as process:
        process.wait()
    return replace(this_process(), process=process.pid)


def test_a_deployment_killed_while_it_is_confirmed_is_a_difference_and_is_finished(any_nos: Bench) -> None:
    kill_at(any_nos, "confirming over")
    assert any_nos.machine(FRONTEND).armed
    (shown,) = texts(any_nos)
    assert "confirmed and saved instead" in shown
    result = any_nos.up(FRONTEND)[FRONTEND]
    assert result.outcome is Outcome.CHANGED, result
    done = any_nos.machine(FRONTEND)
    assert not done.armed
    assert not texts(any_nos)
    any_nos.advance(LONG_AFTER_S)
    any_nos.inject("dead-switch", FRONTEND)
    any_nos.clear()
    assert any_nos.machine(FRONTEND).running == done.running


@pytest.mark.parametrize("doing", ["configuration", "saving"])
def test_one_further_deployment_ends_what_a_killed_one_began(any_nos: Bench, doing: str) -> None:
    kill_at(any_nos, doing)
    assert texts(any_nos)
    assert any_nos.up(FRONTEND)[FRONTEND].outcome is Outcome.CHANGED
    assert not any_nos.machine(FRONTEND).armed
    assert not texts(any_nos)


def test_a_configuration_that_is_not_saved_is_a_difference(bench: Bench) -> None:
    bench.up(FRONTEND)
    bench.type(FRONTEND, "lldp timer 10")
    bench.lab.call(bench.lab.lab.switch(FRONTEND).shell.run("sudo config save -y"))
    bench.type(FRONTEND, "no lldp timer")
    (shown,) = texts(bench)
    assert shown.startswith("the running configuration is not saved")
    assert bench.up(FRONTEND)[FRONTEND].outcome is Outcome.CHANGED
    assert not texts(bench)


def test_two_deployments_at_once_do_not_both_change_a_switch(any_nos: Bench) -> None:
    second: dict[str, Any] = {}

    def deploy_again() -> None:
        thread = threading.Thread(target=lambda: second.update(any_nos.up(FRONTEND)))
        thread.start()
        thread.join()

    any_nos.when["configuration"] = deploy_again
    first = any_nos.up(FRONTEND)[FRONTEND]
    assert first.outcome is Outcome.CHANGED, first
    assert second[FRONTEND].outcome is Outcome.UNTOUCHED, second
    here = this_process()
    site = any_nos.planned.plan.site
    assert f"{here.owner} (process {here.process} for site {site}) since 20" in second[FRONTEND].text
    assert lock_file(any_nos) in second[FRONTEND].hint
    assert not on_switch(any_nos, lambda files: files.is_file(lock_file(any_nos)))


def test_a_lock_of_another_machine_holds_until_it_expires(any_nos: Bench) -> None:
    write_lock(any_nos, replace(this_process(), owner="jan@laptop", machine="another"))
    refused = any_nos.up(FRONTEND)[FRONTEND]
    assert refused.outcome is Outcome.UNTOUCHED, refused
    assert "jan@laptop" in refused.text
    any_nos.advance(601)
    done = any_nos.up(FRONTEND)[FRONTEND]
    assert done.outcome is Outcome.CHANGED, done
    assert [note for note in done.applied.notes if "jan@laptop" in note and "has expired" in note]


def test_a_lock_of_a_dead_process_is_cleared_and_named(any_nos: Bench) -> None:
    holder = ended_process()
    write_lock(any_nos, holder)
    done = any_nos.up(FRONTEND)[FRONTEND]
    assert done.outcome is Outcome.CHANGED, done
    assert [note for note in done.applied.notes if f"process {holder.process} for site elsewhere" in note]


@pytest.mark.parametrize("text", ["", "{", '{"token": 7}', "[]", '{"token":"a; reboot","holder":{}}'])
def test_a_garbled_lock_is_cleared_and_named(any_nos: Bench, text: str) -> None:
    on_switch(any_nos, lambda files: files.write(lock_file(any_nos), text))
    done = any_nos.up(FRONTEND)[FRONTEND]
    assert done.outcome is Outcome.CHANGED, done
