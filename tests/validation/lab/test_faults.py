"""A lab with hosts is proven, then broken in one way after another: each time validation names what was broken."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pytest

from lab.daemon import client
from lab.hosts.requirements import why_not
from rackproof.paths import ROOT
from rackproof.plan.from_file import plan_site
from tests.conftest import NO_FABRIC
from tests.deploy.nodes.real_lab import ONE, RealLab, real_lab

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.lab_hosts, pytest.mark.slow, pytest.mark.proof]

SITE: Final = ROOT / "lab" / "sites" / "storage" / "site.yaml"
LEAF: Final = "backend-leaf-01"
FACTS_ONLY: Final = ("-k", "not rdma and not incast and not throughput and not resilience")
"""What is found by looking needs no traffic."""


@dataclass(frozen=True)
class Broken:
    """A fault, and the check that must name it."""

    fault: tuple[str, ...]
    check: str
    subject: str
    """Part of what it names."""
    choice: tuple[str, ...] = FACTS_ONLY
    patience_s: float = 0.0
    """How long it may go unseen."""


FAULTS: Final = {
    "swapped cable": Broken(
        ("swapped-cable", f"switch={LEAF}", "first={port0}", "second={port1}"),
        "cabling/cable-leads-where-the-plan-has-it",
        "{port0}",
        ("-k", "cabling"),
        240.0,  # LLDP forgets a neighbour that is gone after 120 s (IEEE 802.1AB, msgTxInterval by msgTxHold)
    ),
    "wrong DSCP on one adapter": Broken(
        ("wrong-dscp", f"host={ONE}", "port=rail0"), "roce_hosts/connections-are-marked", f"{ONE}:rail0"
    ),
    "wrong DSCP on the wire": Broken(
        ("wrong-dscp", f"host={ONE}", "port=rail0"),
        "rdma/rdma-stays-in-the-lossless-class",
        f"{ONE}:rail0",
        ("-k", "rdma"),
    ),
    "PFC off on one switch port": Broken(
        ("pfc-off", f"switch={LEAF}", "port={port0}"),
        "roce_switches/pfc-is-on-for-the-lossless-priority-alone",
        "{port0}",
    ),
    "a rail down": Broken(("cable-out", f"host={ONE}", "port=rail0"), "links_hosts/every-port-is-up", f"{ONE}:rail0"),
    "MTU mismatch": Broken(
        ("mtu-mismatch", f"host={ONE}", "port=rail0"), "addressing/mtu-is-that-of-the-fabric", f"{ONE}:rail0"
    ),
    "NFS fell back to TCP": Broken(("nfs-over-tcp", f"host={ONE}"), "storage/transport-is-the-one-asked-for", ONE),
    "RDMA replaced by TCP": Broken(
        ("no-rdma", f"host={ONE}", "port=rail0"), "links_hosts/rdma-device-of-every-rail-is-active", f"{ONE}:rail0"
    ),
    "GID index moved": Broken(
        ("gid-moved", f"host={ONE}", "port=rail0"), "roce_hosts/gid-index-is-the-same-on-every-rail", ONE
    ),
    "full disk": Broken(("full-host-disk", f"host={ONE}"), "inventory/disks-have-room", ONE),
    "a BIOS set up by hand": Broken(
        ("bios-drift", f"host={ONE}"), "server_settings/bios-is-set-as-planned", f"{ONE}:SysProfile"
    ),
    "a host that hangs": Broken(("hung-host", f"host={ONE}"), "reach/server-answers", ONE),
}


@dataclass(frozen=True)
class Proven:
    """A lab, and its first two ports that rails are plugged into."""

    lab: RealLab
    words: dict[str, str]


@pytest.fixture(scope="module", name="proven")
def _proven(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proven]:
    if why_not():
        pytest.skip(NO_FABRIC)
    with real_lab(tmp_path_factory.mktemp("site"), SITE) as lab:
        said = lab.rackproof("up", "--yes")
        assert said.status == 0, said.text
        plan = plan_site(lab.folder / "site.yaml").plan
        ports = [plan.servers[ONE].ports[rail].switch_port for rail in ("rail0", "rail1")]
        yield Proven(lab, {f"port{number}": str(port) for number, port in enumerate(ports)})


def test_lab_passes_its_rehearsal(proven: Proven) -> None:
    status, said = proven.lab.validate()

    assert (status, said["verdict"]) == (0, "rehearsal passed"), said["not_well"]
    assert not said["missing"]


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_named(proven: Proven, name: str) -> None:
    broken = FAULTS[name]
    fault, *parameters = (word.format(**proven.words) for word in broken.fault)
    client.fault(proven.lab.folder, fault, dict(one.split("=", 1) for one in parameters))
    late = time.monotonic() + broken.patience_s
    try:
        status, said = proven.lab.validate(*broken.choice)
        while status != 1 and time.monotonic() < late:
            status, said = proven.lab.validate(*broken.choice)
    finally:
        client.clear(proven.lab.folder, fault)

    found = [one for one in said["not_well"] if one["check_id"] == broken.check]
    assert status == 1
    assert any(broken.subject.format(**proven.words) in one["subject"] for one in found), said["not_well"]
