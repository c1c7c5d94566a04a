"""The provider over gRPC, without the engine: what each operation answers, and what it does to a device."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from google.protobuf import empty_pb2
from pulumi.runtime.proto import provider_pb2

from tests.infra import fake_devices
from tests.infra.engine_side import Engine, running_provider, values
from tests.infra.fake_devices import TOKEN, Folder
from tests.infra.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

PLANTED_PASSWORD = "planted-Pa55word"


def wanted(device: str, **ports: int) -> dict[str, Any]:
    return {"device": device, "intent": {"ports": dict(ports)}}


def first_refusal(engine: Engine, name: str) -> str:
    """Read a device until the provider refuses to begin, and return what it says then."""
    for _ in range(10_000):
        try:
            engine.read(name)
        except grpc.RpcError as refusal:
            return str(refusal.details())
    pytest.fail("the provider goes on beginning new work")


@pytest.fixture
def devices(tmp_path: Path) -> Folder:
    folder = Folder(tmp_path)
    os.mkfifo(folder.mark("go"))
    for name in (
        "leaf-01",
        "leaf-02",
        "refusing",
        "lost",
        "in-use",
        "broken",
        "slow",
        *(f"crowd-{number}" for number in range(100)),
    ):
        folder.write(name, dict(fake_devices.BASE))
    return folder


@pytest.fixture
def engine(devices: Folder) -> Iterator[Engine]:
    environment = {**os.environ, "FAKE_DEVICES": str(devices.path), "FAKE_PASSWORD": PLANTED_PASSWORD}
    with running_provider(Path(fake_devices.__file__), TOKEN, environment) as engine:
        engine.configure({}, password=PLANTED_PASSWORD)
        yield engine


def test_stack_names_the_site_unless_the_configuration_does(engine: Engine) -> None:
    engine.read("leaf-01")
    engine.configure({"site": "site-b"})

    with pytest.raises(grpc.RpcError, match="there is no site site-b"):
        engine.read("leaf-01")


def test_unusable_setting_is_named(engine: Engine) -> None:
    answer = engine.check_config({"allowDisruption": "maybe"})

    assert [(failure.property, failure.reason) for failure in answer.failures] == [
        ("allowDisruption", "allowDisruption is true or false")
    ]


def test_password_in_clear_is_refused(engine: Engine) -> None:
    with pytest.raises(grpc.RpcError, match="rackproof:password is neither a setting nor a secret"):
        engine.configure({"password": PLANTED_PASSWORD})


def test_check_ties_each_failure_to_its_property(engine: Engine) -> None:
    inputs = {"device": "leaf-01", "intent": {"ports": {"1/1": "large", "1/2": 9100, "three": "small"}}}

    assert engine.check("leaf-01", inputs) == {
        'intent.ports["1/1"]': "an MTU is a whole number of bytes",
        "intent.ports.three": "an MTU is a whole number of bytes",
    }


def test_equal_inputs_differ_in_nothing(engine: Engine) -> None:
    answer = engine.diff("leaf-01", wanted("leaf-01", a=9100), wanted("leaf-01", a=9100))

    assert answer.changes == provider_pb2.DiffResponse.DIFF_NONE
    assert not answer.detailedDiff


def test_diff_names_every_key(engine: Engine) -> None:
    old = {"device": "leaf-01", "intent": {"ports": {"1/1": 9100, "1/2": 9100, "1/3": 9100}}}
    new = {"device": "leaf-01", "intent": {"ports": {"1/1": 9216, "1/2": 9100, "1/4": 9100}}}

    answer = engine.diff("leaf-01", old, new)

    assert {path: entry.kind for path, entry in answer.detailedDiff.items()} == {
        'intent.ports["1/1"]': provider_pb2.PropertyDiff.UPDATE,
        'intent.ports["1/3"]': provider_pb2.PropertyDiff.DELETE,
        'intent.ports["1/4"]': provider_pb2.PropertyDiff.ADD,
    }
    assert all(entry.inputDiff for entry in answer.detailedDiff.values())
    assert list(answer.replaces) == []


def test_another_device_replaces_this_one(engine: Engine) -> None:
    answer = engine.diff("leaf-01", wanted("leaf-01", a=9100), wanted("leaf-02", a=9100))

    assert list(answer.replaces) == ["device"]
    assert answer.deleteBeforeReplace


def test_preview_touches_no_device(engine: Engine, devices: Folder) -> None:
    devices.mark("leaf-01.json").unlink()

    engine.create("leaf-01", wanted("leaf-01", a=9100), preview=True)
    engine.update("leaf-01", wanted("leaf-01", a=9100), wanted("leaf-01", a=9216), preview=True)

    assert not devices.mark("leaf-01.json").exists()
    assert engine.listener.lines == [(engine.urn("leaf-01"), "port a: 9100 → 9216 (port reset)")]


def test_create_brings_the_device_about(engine: Engine, devices: Folder) -> None:
    answer = engine.create("leaf-01", wanted("leaf-01", a=9100))

    assert answer.id == "leaf-01"
    assert values(answer.properties) == {"device": "leaf-01"}
    assert devices.read("leaf-01") == {"ports": {"a": 9100}}
    assert engine.listener.lines == [(engine.urn("leaf-01"), "port a: None → 9100 (port reset)")]


def test_create_leaves_a_device_alone_that_is_right_already(engine: Engine, devices: Folder) -> None:
    devices.write("refusing", {"ports": {"a": 9100}})

    engine.create("refusing", wanted("refusing", a=9100))

    assert engine.listener.lines == []


def test_update_starts_from_what_the_device_is_now(engine: Engine, devices: Folder) -> None:
    devices.write("leaf-01", {"ports": {"a": 9100, "b": 1500}})

    engine.update("leaf-01", wanted("leaf-01", a=9100), wanted("leaf-01", a=9216))

    assert devices.read("leaf-01") == {"ports": {"a": 9216}}
    assert [text for _, text in engine.listener.lines] == [
        "port a: 9100 → 9216 (port reset)\nport b: 1500 → None (port reset)"
    ]


def test_what_is_pending_is_told(engine: Engine) -> None:
    engine.create("leaf-01", wanted("leaf-01", b=9100))

    assert engine.listener.lines[-1] == (engine.urn("leaf-01"), "pending: port b: its other end is not deployed")


def test_what_happens_now_is_told_in_passing(engine: Engine) -> None:
    engine.create("leaf-01", wanted("leaf-01", a=9100))

    wait_for(lambda: engine.listener.passing == ["writing the file"])


def test_many_changes_are_counted(engine: Engine) -> None:
    engine.create("leaf-01", wanted("leaf-01", **{f"port{number}": 9100 for number in range(21)}))

    assert [text for _, text in engine.listener.lines] == ["21 changes (ports 21); disruption at most: port reset"]


def test_refresh_finds_a_change_made_by_hand(engine: Engine, devices: Folder) -> None:
    devices.write("leaf-01", {"ports": {"a": 1500}})

    answer = engine.read("leaf-01", wanted("leaf-01", a=9100))

    assert answer.id == "leaf-01"
    assert values(answer.inputs) == wanted("leaf-01", a=1500)


def test_import_needs_only_the_name(engine: Engine, devices: Folder) -> None:
    devices.write("leaf-02", {"ports": {"a": 1500}})

    assert values(engine.read("leaf-02").inputs) == wanted("leaf-02", a=1500)


def test_delete_leaves_the_base_configuration(engine: Engine, devices: Folder) -> None:
    engine.create("leaf-01", wanted("leaf-01", a=9100))

    engine.delete("leaf-01", wanted("leaf-01", a=9100))

    assert devices.read("leaf-01") == fake_devices.BASE


def test_known_trouble_is_one_sentence_and_a_hint(engine: Engine) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        engine.create("refusing", wanted("refusing", a=9100))

    # The engine takes this status for "the state is known"; INTERNAL and UNKNOWN would leave a pending operation.
    assert caught.value.code() is grpc.StatusCode.FAILED_PRECONDITION
    assert caught.value.details() == "refusing: line 3 was refused\nrefusing is now: rolled back\nlook at the line"


def test_device_that_needs_a_person_leaves_a_pending_operation(engine: Engine) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        engine.create("lost", wanted("lost", a=9100))

    assert caught.value.code() is grpc.StatusCode.INTERNAL
    assert caught.value.details() == "lost: line 3 was refused, and so was the way back\nlost is now: failed"


def test_refused_disruption_says_how_pulumi_allows_it(engine: Engine) -> None:
    with pytest.raises(grpc.RpcError, match="pulumi config set allowDisruption true"):
        engine.create("in-use", wanted("in-use", a=9100))


def test_defect_keeps_its_traceback(engine: Engine) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        engine.create("broken", wanted("broken", a=9100))

    assert caught.value.code() is grpc.StatusCode.UNKNOWN
    assert "a defect" in str(caught.value.details())
    assert "fake_devices.py" in str(caught.value.details())


def test_hundred_devices_at_once(engine: Engine, devices: Folder) -> None:
    names = [f"crowd-{number}" for number in range(100)]

    requests = [engine.create_request(name, wanted(name, a=9100)) for name in names]
    answers = [engine.provider.Create.future(request) for request in requests]

    assert sorted(answer.result(timeout=60).id for answer in answers) == sorted(names)
    assert all(devices.read(name) == {"ports": {"a": 9100}} for name in names)


def test_cancel_finishes_the_device_in_hand_and_begins_nothing(engine: Engine, devices: Folder) -> None:
    slow = engine.provider.Create.future(engine.create_request("slow", wanted("slow", a=9100)))
    wait_for(devices.mark("begun").exists)
    cancel = engine.provider.Cancel.future(empty_pb2.Empty())

    refusal = first_refusal(engine, "leaf-01")
    assert not cancel.done()
    devices.mark("go").write_bytes(b"go")

    assert slow.result(timeout=60).id == "slow"
    cancel.result(timeout=60)
    assert devices.read("slow") == {"ports": {"a": 9100}}
    assert refusal.startswith("leaf-01: not changed, because the run was cancelled")
    assert devices.read("leaf-01") == fake_devices.BASE


def test_device_in_hand_is_finished_when_the_engine_goes_away(engine: Engine, devices: Folder) -> None:
    slow = engine.provider.Create.future(engine.create_request("slow", wanted("slow", a=9100)))
    wait_for(devices.mark("begun").exists)
    slow.cancel()
    devices.mark("go").write_bytes(b"go")

    engine.cancel()

    assert devices.read("slow") == {"ports": {"a": 9100}}


def test_credentials_stay_inside(engine: Engine) -> None:
    engine.configure({}, password="not-" + PLANTED_PASSWORD)

    with pytest.raises(grpc.RpcError) as caught:
        engine.create("leaf-01", wanted("leaf-01", a=9100))

    assert PLANTED_PASSWORD not in str(caught.value)
    assert all(PLANTED_PASSWORD not in line for _, line in engine.listener.lines)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_signal_finishes_the_device_that_is_being_changed(
    engine: Engine, devices: Folder, number: signal.Signals
) -> None:
    slow = engine.provider.Create.future(engine.create_request("slow", wanted("slow", a=9100)))
    wait_for(devices.mark("begun").exists)
    engine.process.send_signal(number)

    refusal = first_refusal(engine, "leaf-01")
    devices.mark("go").write_bytes(b"go")

    assert slow.result(timeout=60).id == "slow"
    assert engine.process.wait(60) == 0
    assert refusal.startswith("leaf-01: not changed, because the run was cancelled")
    assert devices.read("slow") == {"ports": {"a": 9100}}
