"""The lab as the command line uses it: a background process, found by its files, gone without a trace."""

from __future__ import annotations

import os
import signal
import socket
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from asyncssh import import_public_key
from yaml12 import parse_yaml

from lab.daemon import client
from lab.errors import LabError
from lab.folder import LabFolder
from rackproof.site.access import Access

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lab.spec.models import LabSite


pytestmark = pytest.mark.lab


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Iterator[Path]:
    # As deep as checkouts are: longer than a Unix socket's name may be.
    folder = tmp_path / ("deep-" * 20) / "build" / "small" / "lab"
    yield folder
    client.down(folder)


def answers(port: int) -> bool:
    with socket.create_connection(("127.0.0.1", port), timeout=5) as connection:
        return connection.recv(8).startswith(b"SSH-2.0-")


def test_up_waits_until_every_switch_answers_and_down_leaves_nothing(folder: Path, site: LabSite) -> None:
    state = client.up(site, folder, "site: small\n")
    assert not state.already_running
    assert [switch.name for switch in state.status.switches] == ["leaf-a", "leaf-b"]
    assert all(answers(switch.port) for switch in state.status.switches)
    assert LabFolder(folder).site_file.read_text("utf-8") == "site: small\n"
    process_id = state.status.process_id
    assert process_id is not None
    assert os.getsid(process_id) == process_id
    assert client.down(folder)
    assert not folder.exists()
    assert list(folder.parent.iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.kill(process_id, 0)
    assert not client.status(folder).running


def test_a_second_up_changes_nothing(folder: Path, site: LabSite) -> None:
    first = client.up(site, folder)
    second = client.up(site, folder)
    assert second.already_running
    assert second.status.process_id == first.status.process_id
    assert second.status.switches == first.status.switches


def test_after_kill_9_down_cleans_up_and_up_starts_again(folder: Path, site: LabSite) -> None:
    process_id = client.up(site, folder).status.process_id
    assert process_id is not None
    os.kill(process_id, signal.SIGKILL)
    assert not client.status(folder).running
    assert not client.up(site, folder).already_running
    again = client.status(folder).process_id
    assert again is not None
    assert again != process_id
    os.kill(again, signal.SIGKILL)
    client.down(folder)
    assert not folder.exists()


def test_access_yaml_leads_to_the_switches_and_holds_no_secret(folder: Path, site: LabSite) -> None:
    client.up(site, folder)
    files = LabFolder(folder)
    access = Access.model_validate(parse_yaml(files.access.read_text("utf-8")))
    assert set(access.devices) == {"leaf-a", "leaf-b"}
    device = access.devices["leaf-a"]
    assert device.password is not None
    assert device.password.file is not None
    assert device.host_key is not None
    import_public_key(device.host_key)
    secret = (folder / device.password.file).read_text("utf-8").strip()
    assert Path(folder / device.password.file).stat().st_mode & 0o777 == 0o600
    assert all(secret not in file.read_text("utf-8") for file in (files.access, files.site_description, files.log))


def test_faults_clock_and_edits_over_the_socket(folder: Path, site: LabSite) -> None:
    client.up(site, folder)
    before = client.status(folder)
    client.advance_clock(folder, 3600)
    after = client.status(folder)
    assert before.clock is not None
    assert after.clock is not None
    assert (after.clock - before.clock).total_seconds() >= 3600
    assert client.edit(folder, "leaf-a", ("interface Eth1/1", "mtu 1", "no shutdown")) == (
        "mtu 1: Value out of range(1312..9216).",
    )
    client.fault(folder, "dead-switch", {"switch": "leaf-b"})
    status = client.status(folder)
    assert [(fault.name, fault.parameters) for fault in status.faults] == [("dead-switch", {"switch": "leaf-b"})]
    assert {switch.name: switch.power for switch in status.switches} == {"leaf-a": "up", "leaf-b": "off"}
    with pytest.raises(LabError, match="there is no fault called nonsense"):
        client.fault(folder, "nonsense", {})
    assert client.clear(folder) == 1
    assert client.status(folder).faults == ()


def test_two_labs_side_by_side(folder: Path, site: LabSite, tmp_path: Path) -> None:
    other = tmp_path / "other"
    try:
        ports = {switch.port for switch in client.up(site, folder).status.switches}
        more = {switch.port for switch in client.up(site, other).status.switches}
        assert len(ports | more) == 4
        client.down(other)
        assert all(answers(port) for port in ports)
    finally:
        client.down(other)


def test_without_a_lab_there_is_nothing_to_do(folder: Path) -> None:
    assert not client.down(folder)
    assert not client.status(folder).running
    with pytest.raises(LabError, match="no lab is running"):
        client.fault(folder, "dead-switch", {"switch": "leaf-a"})


def test_a_lab_that_cannot_start_says_where_to_look(folder: Path, site: LabSite) -> None:
    broken = replace(site, switches={"leaf-a": replace(site.switches["leaf-a"], nos="no-such-nos")})
    with pytest.raises(LabError, match="did not start") as caught:
        client.up(broken, folder)
    assert "no-such-nos" in LabFolder(folder).log.read_text("utf-8")
    assert str(LabFolder(folder).log) in caught.value.hint
