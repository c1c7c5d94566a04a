"""Inventory, PCIe and GPU health on recordings: a good server passes, and each fault is told by its check alone."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

import pytest

from rackproof.facts.hosts import disks, gpus, kernel_log, nvidia_smi, pci, system
from tests.validation.recorded import (
    changed,
    judged,
    not_passed,
    recorded,
    recorded_server,
    server_checks,
    with_firmware,
)
from validation.suites import test_gpu, test_inventory, test_pcie

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from _pytest.mark import ParameterSet

SITE: Final = "dell-xe9680-spectrum-x"
SUITES: Final = [test_inventory, test_pcie, test_gpu]
GOOD: Final = recorded("xe9680-h200.json")
RAIL7: Final = "0000:3c:00.0"


def test_a_good_server_passes_every_check(tmp_path: Path) -> None:
    server = recorded_server(tmp_path, GOOD, site=SITE)

    assert not_passed(SUITES, server) == {}
    for suite in SUITES:
        for check in server_checks(suite):
            assert judged(check, server), f"{check.__name__} judges nothing"


def lines(command: str, place: str) -> str:
    """The part of what a command printed that begins with a place, up to the next line that is not indented."""
    text = GOOD[command].output
    start = text.index(place)
    end = text.find("\n0000:", start)
    return text[start:end]


GPU0: Final = lines(pci.FUNCTIONS, "0000:19:00.0")
CARD7: Final = lines(pci.FUNCTIONS, RAIL7)
GPU0_WAY: Final = GOOD[pci.GPU_PATHS].output.splitlines()[0]
RAIL6_WAY: Final = "/sys/devices/pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:01.0/0000:1a:00.0"


def cases(faults: Mapping[str, Sequence[object]], place: int) -> list[ParameterSet]:
    """Faults as cases, each marked with the checks that must fail, which stand at a place."""
    return [
        pytest.param(*fault, id=name, marks=pytest.mark.shows_failing(*str(fault[place]).split()))
        for name, fault in faults.items()
    ]


SIXTY_FOUR_GIB: Final = struct.pack("<I", 65536) + struct.pack("<H", 5600)
"""Of a memory module: extended size in MiB, and the speed it runs at (DSP0134, 7.18)."""

FIRMWARE: Final = {
    "another server": (
        *(b"7XK9QW3", b"7XK9QW9"),
        "inventory/server-is-the-one-recorded",
        "failed gpu-001: Expected 7XK9QW3. Actual 7XK9QW9.",
    ),
    "another model": (
        *(b"PowerEdge XE9680", b"PowerEdge XE8640"),
        "inventory/server-is-the-planned-model",
        "Actual Dell Inc. PowerEdge XE8640.",
    ),
    "a smaller memory module": (
        *(SIXTY_FOUR_GIB, struct.pack("<I", 32768) + struct.pack("<H", 5600)),
        "inventory/memory-is-all-there",
        "failed gpu-001: Expected 2048 GiB. Actual 2016 GiB.",
    ),
    "a slower memory module": (
        *(SIXTY_FOUR_GIB, struct.pack("<I", 65536) + struct.pack("<H", 4400)),
        "inventory/memory-is-all-there",
        "failed gpu-001:speed: Expected one speed. Actual 1x 64 GiB at 4400 MT/s, 31x 64 GiB at 5600 MT/s.",
    ),
}


@pytest.mark.parametrize(("old", "new", "check", "said"), cases(FIRMWARE, 2))
def test_a_fault_that_firmware_reports(old: bytes, new: bytes, check: str, said: str, tmp_path: Path) -> None:
    found = not_passed(SUITES, recorded_server(tmp_path, with_firmware(GOOD, old, new), site=SITE))

    assert list(found) == [check]
    assert said in " ".join(found[check])


FAULTS: Final = {
    "one processor": (
        system.PROCESSORS,
        *("Socket(s):            2", "Socket(s):            1"),
        "inventory/processors-are-the-planned-ones",
        "Actual 1x INTEL XEON PLATINUM 8568Y+.",
    ),
    "memory the kernel does not manage": (
        system.MEMORY,
        *("MemTotal:       2113367904", "MemTotal:       1983367904"),
        "inventory/memory-is-all-there",
        "failed gpu-001:managed: Expected at least 97 %. Actual 92.3",
    ),
    "an adapter of another make": (
        pci.FUNCTIONS,
        *(CARD7, CARD7.replace("15b3:a2dc", "15b3:1021")),
        "inventory/adapters-are-the-planned-model",
        "failed gpu-001:rail7: Expected BlueField-3 B3140H SuperNIC 1x400G QSFP112 (15b3:a2dc). Actual Ethernet",
    ),
    "an exchanged adapter": (
        pci.PORTS,
        *("a0:88:c2:", "a0:88:c3:"),
        "inventory/adapters-are-those-recorded",
        "failed gpu-001:rail0: Expected 0000:9c:00.0, a0:88:c2:",
    ),
    "old firmware": (
        pci.PORTS,
        *("32.44.1036", "32.41.1000"),
        "inventory/adapters-have-the-firmware-of-the-release",
        "Actual 32.41.1000 (MT_0000001010).",
    ),
    "a GPU of less memory": (
        nvidia_smi.IDENTITY,
        *("143771", "131071"),
        "inventory/gpus-are-all-there",
        "failed gpu-001:gpu0:memory: Expected at least 131.1 GiB. Actual 127.999 GiB.",
    ),
    "another driver": (
        gpus.MANAGER,
        *("570.133.20", "570.124.06"),
        "inventory/gpu-driver-is-of-the-release",
        "failed gpu-001:fabric-manager: Expected 570.133.20. Actual 570.124.06.",
    ),
    "the older system": (
        system.RELEASE,
        *('VERSION_ID="24.04"', 'VERSION_ID="22.04"'),
        "inventory/system-is-the-planned-one",
        "failed gpu-001:os: Expected ubuntu-24.04. Actual ubuntu 22.04.",
    ),
    "an argument of the kernel is missing": (
        system.ARGUMENTS,
        *(" iommu=pt", ""),
        "inventory/system-is-the-planned-one",
        "failed gpu-001:kernel-arguments-missing: Expected none. Actual iommu=pt.",
    ),
    "a full disk": (
        disks.ROOM,
        *("822841327616", "1228800"),
        "inventory/disks-have-room",
        "failed gpu-001:/:room: Expected at least 10 %. Actual 0 %.",
    ),
    "no inodes": (
        disks.ROOM,
        *("58381440", "120"),
        "inventory/disks-have-room",
        "failed gpu-001:/:inodes: Expected at least 5 %. Actual 0 %.",
    ),
    "a disk gone read-only": (
        disks.MOUNTED,
        *("/data xfs rw", "/data xfs ro"),
        "inventory/disks-have-room",
        "failed gpu-001:/data: Expected writable. Actual read-only.",
    ),
    "a dead drive": (
        disks.DRIVES,
        *("state:live", "state:dead"),
        "inventory/drives-work",
        "failed gpu-001:lost: Expected none. Actual nvme0 dead.",
    ),
    "half the lanes": (
        pci.FUNCTIONS,
        *(
            CARD7,
            CARD7.replace("LnkSta:\tSpeed 32GT/s, Width x16", "LnkSta:\tSpeed 16GT/s (downgraded), Width x16 (ok)"),
        ),
        "pcie/links-run-at-full-width-and-speed pcie/bus-carries-the-ports",
        "failed gpu-001:rail7: Expected 32 GT/s x16. Actual 16 GT/s x16.",
    ),
    "an adapter that can do too little": (
        pci.FUNCTIONS,
        *(CARD7, CARD7.replace("32GT/s", "16GT/s")),
        "pcie/bus-carries-the-ports",
        "failed gpu-001:rail7: Expected at least 400 Gb/s. Actual 252.1 Gb/s.",
    ),
    "a GPU with half its lanes": (
        pci.FUNCTIONS,
        *(GPU0, GPU0.replace("LnkSta:\tSpeed 32GT/s, Width x16", "LnkSta:\tSpeed 2.5GT/s, Width x8")),
        "pcie/gpu-links-have-full-width",
        "failed gpu-001:gpu0: Expected x16. Actual x8.",
    ),
    "access control": (
        pci.FUNCTIONS,
        *("SrcValid- TransBlk- ReqRedir- CmpltRedir-", "SrcValid+ TransBlk- ReqRedir+ CmpltRedir+"),
        "pcie/access-control-is-off",
        "failed gpu-001: Expected none. Actual 0000:15:01.0.",
    ),
    "strict ordering": (
        pci.FUNCTIONS,
        *(CARD7, CARD7.replace("RlxdOrd+", "RlxdOrd-")),
        "pcie/adapters-may-order-freely",
        "failed gpu-001:rail7: Expected on. Actual off.",
    ),
    "a GPU behind another switch": (
        pci.GPU_PATHS,
        *("pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:00.0", "pci0000:26/0000:26:01.0/0000:27:00.0/0000:28:00.0"),
        "pcie/adapters-are-next-to-their-gpus",
        "failed gpu-001:rail6: Expected GPU 0 nearest, behind one PCIe switch. Actual GPU 0: several host bridges,",
    ),
    "an adapter of the other processor": (
        pci.PORTS,
        *("\n1\n== rail1", "\n0\n== rail1"),
        "pcie/adapters-are-on-their-processor",
        "failed gpu-001:rail0: Expected NUMA node 1. Actual NUMA node 0.",
    ),
    "a limited link": (
        kernel_log.LOG,
        *("", f"2026 gpu-001 kernel: mlx5_core {RAIL7}: 126.024 Gb/s available PCIe bandwidth, limited by 16.0 GT/s\n"),
        "pcie/kernel-saw-no-slow-or-broken-link",
        "failed gpu-001:limited: Expected none. Actual 2026 gpu-001 kernel: mlx5_core 0000:3c:00.0: 126.024 Gb/s",
    ),
    "a broken link": (
        kernel_log.LOG,
        *("", f"k: pcieport {RAIL7}: PCIe Bus Error: severity=Uncorrectable (Fatal), type=Transaction Layer\n"),
        "pcie/kernel-saw-no-slow-or-broken-link",
        "failed gpu-001:uncorrected: Expected none. Actual k: pcieport",
    ),
    "memory errors": (
        nvidia_smi.ECC,
        *("Enabled, 0, 0", "Enabled, 2, 0"),
        "gpu/memory-has-no-uncorrected-errors",
        "failed gpu-001:gpu0: Expected at most 0 errors. Actual 2 errors.",
    ),
    "errors of the caches": (
        nvidia_smi.ECC,
        *("Enabled, 0, 0", "Enabled, 0, 1"),
        "gpu/memory-has-no-uncorrected-errors",
        "failed gpu-001:gpu0:caches: Expected at most 0 errors. Actual 1 errors.",
    ),
    "no error correction": (
        nvidia_smi.ECC,
        *("Enabled, 0, 0", "Disabled, 0, 0"),
        "gpu/error-correction-is-on",
        "failed gpu-001:gpu0: Expected on. Actual off.",
    ),
    "a row to replace": (
        nvidia_smi.REMAPPED,
        *("0, 0, No, No", "0, 1, Yes, No"),
        "gpu/memory-needs-no-repair",
        "failed gpu-001:gpu0:pending: Expected no. Actual yes.",
    ),
    "no spare rows": (
        nvidia_smi.REMAPPED,
        *("0, 0, No, No", "0, 513, 0, 1"),
        "gpu/memory-needs-no-repair",
        "Actual yes. failed gpu-001:gpu0: Expected at most 512 rows. Actual 513 rows.",
    ),
    "a fatal Xid": (
        kernel_log.LOG,
        *("", "t gpu-001 kernel: NVRM: Xid (PCI:0000:19:00): 79, pid=0, GPU has fallen off the bus.\n"),
        "gpu/driver-reported-no-fault",
        "failed gpu-001: Expected none. Actual Xid 79 of 0000:19:00.",
    ),
    "heat": (
        nvidia_smi.CLOCKS,
        *("0x0000000000000001", "0x0000000000000048"),
        "gpu/clocks-are-free",
        "failed gpu-001:gpu0:slowed: Expected none. Actual hardware slowdown, too hot (hardware).",
    ),
    "a lower power limit": (
        nvidia_smi.IDENTITY,
        *("700.00, 1980", "500.00, 1980"),
        "gpu/clocks-are-free",
        "failed gpu-001:gpu0:power: Expected 700 W. Actual 500 W.",
    ),
    "a lower clock": (
        nvidia_smi.IDENTITY,
        *("700.00, 1980", "700.00, 1755"),
        "gpu/clocks-are-free",
        "failed gpu-001:gpu0:clock: Expected 1980 MHz. Actual 1755 MHz.",
    ),
    "no persistence": (
        nvidia_smi.IDENTITY,
        *("Enabled, 700", "Disabled, 700"),
        "gpu/driver-stays-loaded",
        "failed gpu-001:gpu0: Expected on. Actual off.",
    ),
    "an NVLink down": (
        nvidia_smi.NVLINKS,
        *("Link 4: 26.562 GB/s", "Link 4: <inactive>"),
        "gpu/nvlinks-are-up",
        "failed gpu-001:gpu0:links: Expected 18. Actual 17.",
    ),
    "a slow NVLink": (
        nvidia_smi.NVLINKS,
        *("Link 4: 26.562 GB/s", "Link 4: 1.562 GB/s"),
        "gpu/nvlinks-are-up",
        "failed gpu-001:gpu0:speed: Expected at least 25 GB/s. Actual 1.562 GB/s.",
    ),
    "errors of an NVLink": (
        nvidia_smi.NVLINK_ERRORS,
        *("Link 3: CRC Errors: 0", "Link 3: CRC Errors: 7"),
        "gpu/nvlinks-are-up",
        "failed gpu-001:gpu0:errors: Expected at most 0 errors. Actual 7 errors.",
    ),
    "a GPU outside the NVSwitch fabric": (
        nvidia_smi.FABRIC,
        *("Completed, Success", "In Progress, N/A"),
        "gpu/gpus-have-joined-the-nvswitches",
        "failed gpu-001:gpu0: Expected Completed Success. Actual In Progress N/A.",
    ),
}


@pytest.mark.parametrize(("command", "old", "new", "checks", "said"), cases(FAULTS, 3))
def test_a_fault_is_told_by_its_check_alone(
    command: str, old: str, new: str, checks: str, said: str, tmp_path: Path
) -> None:
    found = not_passed(SUITES, recorded_server(tmp_path, changed(GOOD, command, old, new), site=SITE))

    assert sorted(found) == sorted(checks.split())
    assert said in " ".join(line for check in checks.split() for line in found[check])
