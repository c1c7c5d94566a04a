"""Storage: each fault of a mount, and the one check that names it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from rackproof.facts.hosts import mounts
from tests.validation.as_planned import TCP_TRANSPORT
from tests.validation.faults import NVIDIA, TCP_STORAGE, Fault, all_pass, fault_names, shown
from validation.suites import test_storage

if TYPE_CHECKING:
    from pathlib import Path

FAULTS: Final = {
    "a file system of another node": Fault(
        check="test_file_systems_are_mounted",
        subject="gpu-001:/mnt/scale",
        says="Expected 10.20.0.24:/ifs. Actual 10.20.0.99:/ifs.",
        command=mounts.LOOK,
        before="10.20.0.24:/ifs",
        after="10.20.0.99:/ifs",
    ),
    "NFS that fell back to TCP": Fault(
        check="test_transport_is_the_one_asked_for",
        subject="gpu-001:/mnt/scale",
        says="Expected rdma. Actual tcp.",
        command=mounts.LOOK,
        before="xprt:\trdma 0 0 1",
        after="xprt:\ttcp 812 1 1",
    ),
    "an older version of NFS": Fault(
        check="test_options_are_those_of_the_plan",
        subject="gpu-001:/mnt/scale",
        says="Expected hard, vers=4.1. Actual hard, vers=4.0.",
        command=mounts.LOOK,
        before="rw,vers=4.1",
        after="rw,vers=4.0",
    ),
    "a mount that gives up": Fault(
        check="test_options_are_those_of_the_plan",
        subject="gpu-001:/mnt/scale",
        says="Actual vers=4.1.",
        command=mounts.LOOK,
        before=",hard,",
        after=",soft,",
    ),
    "one connection of eight": Fault(
        check="test_connections_are_as_many_as_asked_for",
        subject="gpu-001:/mnt/scale",
        says="Expected 8 connections. Actual 1 connections.",
        command=mounts.LOOK,
        before=TCP_TRANSPORT * 8,
        after=TCP_TRANSPORT,
        site=TCP_STORAGE,
    ),
    "a file system that is not mounted": Fault(
        check="test_file_systems_are_mounted",
        subject="gpu-001:/mnt/scale",
        says="Actual not mounted.",
        command=mounts.LOOK,
        before="fstype nfs4",
        after="fstype autofs",
        untold=("test_transport_is_the_one_asked_for", "test_options_are_those_of_the_plan"),
    ),
}


def test_a_good_server_passes(tmp_path: Path) -> None:
    all_pass(test_storage, tmp_path, NVIDIA, TCP_STORAGE)


@pytest.mark.parametrize("fault", shown(test_storage, FAULTS))
def test_one_check_fails_and_names_the_fault(fault: Fault, tmp_path: Path) -> None:
    fault.happens(test_storage, tmp_path)


def test_every_check_has_a_fault_in_which_it_fails() -> None:
    assert {fault.check for fault in FAULTS.values()} == fault_names(test_storage)
