"""A real lab of a switch, a host and the machine that stands in for storage. Made once for these tests."""

from __future__ import annotations

import subprocess
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from lab.daemon import client
from lab.daemon.client import HostPlan
from lab.errors import LabError
from lab.fabric import namespaces
from lab.folder import LabFolder, lab_id
from lab.hosts.image import image
from lab.hosts.machine import HostNic, HostSpec
from lab.hosts.processes import process_ids
from lab.hosts.requirements import why_not
from lab.hosts.shell import ssh_command
from lab.spec.models import HostEnd, LabEnd, LabLink, LabSite, port_mac
from lab.storage.setup import Served, setup_script
from lab.traffic.nfs import transport_and_version
from tests.conftest import NO_FABRIC
from tests.lab.conftest import switch_spec

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = [pytest.mark.lab_hosts, pytest.mark.slow, pytest.mark.proof]

SWITCH: Final = "leaf-01"
CLIENT: Final = LabEnd("gpu-1", "frontend0")
SERVER: Final = tuple(LabEnd("scale-001", f"frontend{number}") for number in (0, 1))
ENDS: Final = (CLIENT, *SERVER)
AT: Final = ("10.20.0.20/17", "10.20.0.22/17"), ("10.20.0.21/17", "10.20.0.23/17")
"""Addresses of two nodes at each port; one machine serves them all."""
MOUNTED_FROM: Final = "10.20.0.23"
SWITCH_LINES: Final = tuple(
    line
    for number in range(1, len(ENDS) + 1)
    for line in (f"interface Eth1/{number}", "mtu 9216", "switchport access Vlan 20", "no shutdown", "exit")
)
PREPARE: Final = f"""port=$(basename "$(dirname "$(grep -lx {port_mac(CLIENT)} /sys/class/net/*/address)")")
ip link set "$port" mtu 9000 up
ip address replace 10.20.0.200/17 dev "$port"
mkdir -p /mnt/scale
cat >/etc/systemd/system/mnt-scale.mount <<END
[Mount]
What={MOUNTED_FROM}:/ifs
Where=/mnt/scale
Type=nfs
Options=vers=4.1,proto=rdma,port=20049,hard
TimeoutSec=60
END
systemctl daemon-reload
"""
PATIENCE_S: Final = 30.0


def hosts() -> tuple[HostSpec, HostSpec]:
    client = HostSpec(CLIENT.device, "Dell", "PowerEdge XE9680", (HostNic(CLIENT, port_mac(CLIENT), rdma=True),))
    nics = tuple(HostNic(end, port_mac(end), port=place, rdma=True) for place, end in enumerate(SERVER))
    served = tuple(Served((nic.mac,), at, None, 9000) for nic, at in zip(nics, AT, strict=True))
    script = setup_script(served, "/ifs", rdma=True)
    return client, HostSpec("scale-001", "Dell", "PowerScale F710", nics, kind="storage", setup=script)


@pytest.fixture(scope="module", name="lab")
def _lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    if why_not():
        pytest.skip(NO_FABRIC)
    folder = tmp_path_factory.mktemp("site") / "lab"
    links = tuple(LabLink(LabEnd(SWITCH, f"Eth1/{number}"), end) for number, end in enumerate(ENDS, start=1))
    spec = replace(switch_spec(SWITCH), management_mac=port_mac(LabEnd(SWITCH, "eth0")))
    site = LabSite("storage", {SWITCH: spec}, links, tuple(HostEnd(end, 800_000, "rs") for end in ENDS))
    said: list[str] = []
    client.up(site, folder, None, HostPlan(image(said.append), hosts()), said.append)
    assert client.edit(folder, SWITCH, ("interface Vlan 20", "exit", *SWITCH_LINES)) == ()
    on_client(folder, f"sudo sh -eu <<'EOF'\n{PREPARE}EOF")
    until_reached(folder)
    on_client(folder, "sudo systemctl start mnt-scale.mount")
    yield folder
    client.down(folder)
    assert namespaces.lab_namespaces(lab_id(folder)) == ()
    assert process_ids(LabFolder(folder).hosts) == ()


def on_client(folder: Path, command: str) -> str:
    words = ssh_command(folder, client.status(folder), CLIENT.device, [command])
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    assert not done.returncode, f"{command}: {done.stderr}"
    return done.stdout


def until_reached(folder: Path) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while on_client(folder, f"ping -c 1 -W 1 {MOUNTED_FROM} >/dev/null && echo yes || echo no").strip() != "yes":
        assert time.monotonic() < deadline, "the storage is not reached"


def mounted(folder: Path) -> tuple[str, str]:
    """Return transport and version of the mount, as the client's kernel counts its requests."""
    return transport_and_version(
        on_client(folder, "sed -n '/mounted on .mnt.scale /,/^device/p' /proc/self/mountstats")
    )


def test_a_host_writes_over_rdma_to_a_node_that_the_machine_stands_in_for(lab: Path) -> None:
    assert [(host.name, host.kind) for host in client.status(lab).hosts] == [
        ("gpu-1", "server"),
        ("scale-001", "storage"),
    ]
    on_client(lab, "sudo dd if=/dev/zero of=/mnt/scale/data bs=1M count=4 conv=fsync status=none")

    assert on_client(lab, "stat --format '%s %U' /mnt/scale/data").strip() == f"{4 << 20} nobody"
    assert mounted(lab) == ("rdma", "4.1")
    assert any("OneFS" in line for line in client.status(lab).simulated)
    assert "scale-001" in LabFolder(lab).access.read_text("utf-8"), "a check of resilience may restart it"


def test_a_mount_falls_back_to_tcp_and_comes_back(lab: Path) -> None:
    client.fault(lab, "nfs-over-tcp", {"host": "gpu-1"})
    while_broken = mounted(lab)
    unit = on_client(lab, "cat /etc/systemd/system/mnt-scale.mount")
    client.clear(lab)

    assert while_broken == ("tcp", "4.1")
    assert "proto=rdma" in unit, "what is written on the host stays: only the mount is another"
    assert mounted(lab) == ("rdma", "4.1")


def test_a_host_that_mounts_nothing_cannot_fall_back(lab: Path) -> None:
    with pytest.raises(LabError, match="scale-001 is not configured to mount anything over RDMA"):
        client.fault(lab, "nfs-over-tcp", {"host": "scale-001"})
