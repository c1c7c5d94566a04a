"""The kernel's log since boot: lines on faulty hardware.

Sources: NVIDIA, XID errors (``NVRM: Xid (PCI:<address>): <number>, ...``); Linux, drivers/pci/pci.c
(``__pcie_print_link_status``: "available PCIe bandwidth, limited by"), drivers/pci/pcie/aer.c ("severity="),
arch/x86/kernel/cpu/mce (``[Hardware Error]``).
"""

import re
from typing import Final

from msgspec import Struct

from rackproof.facts.fact import Answers, Fact, FactError, command_output

PATTERN: Final = (
    "NVRM: Xid|available PCIe bandwidth, limited by|PCIe Bus Error: severity=Uncorrect|Hardware Error|I/O error"
)
LOG: Final = (
    "journalctl --dmesg --boot --no-pager --output=short-iso | "
    f"awk '/^-- / {{next}} {{lines++}} /{PATTERN.replace('/', chr(92) + '/')}/ && ++found <= 500 {{print}} "
    'END {print lines + 0, "lines"}\''
)
"""At most 500 lines on faults, and the number of lines in the log: none means that there is no log.

What journalctl prints itself, such as ``-- No entries --``, is no line of the log.
"""
XID: Final = re.compile(r"NVRM: Xid \(PCI:(?P<address>[0-9A-Fa-f:.]+)\): (?P<number>\d+)")
LIMITED: Final = re.compile(r"(?P<address>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\b.*available PCIe bandwidth")
UNCORRECTED: Final = re.compile(r"(?P<address>[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])\b.*severity=Uncorrect")
LINES: Final = re.compile(r"^(\d+) lines$")


class Xid(Struct, frozen=True, gc=False):
    """An error that NVIDIA's driver reported of a GPU."""

    pci_address: str
    """Domain, bus, device: ``0000:1b:00``."""
    number: int
    line: str


class KernelLog(Struct, frozen=True, gc=False):
    """The kernel's lines on faulty hardware."""

    xids: tuple[Xid, ...]
    limited: tuple[tuple[str, str], ...]
    """PCI function whose link is slower than it could be, and the line."""
    uncorrected: tuple[tuple[str, str], ...]
    """PCI function with an uncorrected error on its link, and the line."""
    hardware: tuple[str, ...]
    """Lines of machine checks, of memory and processors."""
    disks: tuple[str, ...]
    """Lines of reads and writes that failed."""


def parse_kernel_log(answers: Answers) -> KernelLog:
    """Return the faults in the log.

    Raises
    ------
    FactError
        There is no log.
    """
    *lines, last = command_output(answers, LOG).splitlines() or [""]
    count = LINES.match(last)
    if count is None or count[1] == "0":
        raise FactError("the kernel's log cannot be read", "`journalctl --dmesg --boot` shows why")
    return KernelLog(
        xids=tuple(
            Xid(found["address"].lower(), int(found["number"]), line) for line in lines if (found := XID.search(line))
        ),
        limited=_about(LIMITED, lines),
        uncorrected=_about(UNCORRECTED, lines),
        hardware=tuple(line for line in lines if "[Hardware Error]" in line),
        disks=tuple(line for line in lines if "I/O error" in line),
    )


def _about(pattern: re.Pattern[str], lines: list[str]) -> tuple[tuple[str, str], ...]:
    return tuple((found["address"], line) for line in lines if (found := pattern.search(line)))


FACT: Final = Fact("kernel-log", (LOG,), parse_kernel_log)
