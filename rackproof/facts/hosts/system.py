"""The machine itself: what firmware and operating system call themselves, processors, memory.

Sources: DSP0134 (SMBIOS, by ``smbios.py``); proc_meminfo(5), proc_cmdline(5), os-release(5), lscpu(1), uname(1).
"""

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from rackproof.facts.fact import Answers, Fact, FactError, command_output
from rackproof.facts.hosts.smbios import Identity, MemoryModule, memory_modules, system_identity

SMBIOS: Final = "base64 --wrap=0 /sys/firmware/dmi/tables/DMI"
MEMORY: Final = "cat /proc/meminfo"
RELEASE: Final = "cat /etc/os-release"
KERNEL: Final = "uname --kernel-release"
ARGUMENTS: Final = "cat /proc/cmdline"
PROCESSORS: Final = "lscpu"
LAB_MARK: Final = " (Rackproof lab)"
"""Ends the product name of a virtual machine that stands in for a server."""


class System(Struct, frozen=True, gc=False):
    """A machine as its firmware and its kernel describe it."""

    maker: str
    product: str
    serial: str
    """Empty: its firmware states none."""
    bios_version: str
    bios_date: str
    stands_in: bool
    """Whether it is a virtual machine of a lab, in place of the server: processors, memory, PCIe are not that one's."""
    memory_modules: tuple[MemoryModule, ...]
    memory_mib: int
    """What the kernel manages."""
    processor: str
    """As its maker calls it."""
    sockets: int
    os: str
    """Identifier of the distribution and its version: ``ubuntu 22.04``."""
    kernel: str
    kernel_arguments: tuple[str, ...]


def parse_system(answers: Answers) -> System:
    """Return identity, kernel and memory of a machine.

    Raises
    ------
    FactError
        One of the files or programs every Linux has did not answer.
    """
    table = smbios_table(command_output(answers, SMBIOS))
    identity: Identity = system_identity(table)
    processors = pairs(command_output(answers, PROCESSORS), ":")
    release = pairs(command_output(answers, RELEASE), "=")
    return System(
        maker=identity.maker,
        product=identity.product.removesuffix(LAB_MARK),
        serial=identity.serial,
        bios_version=identity.bios_version,
        bios_date=identity.bios_date,
        stands_in=identity.product.endswith(LAB_MARK),
        memory_modules=memory_modules(table),
        memory_mib=memory_mib(command_output(answers, MEMORY)),
        processor=processors.get("Model name", ""),
        sockets=int(processors.get("Socket(s)", "0")),
        os=f"{release.get('ID', '')} {release.get('VERSION_ID', '')}".strip(),
        kernel=command_output(answers, KERNEL).strip(),
        kernel_arguments=tuple(command_output(answers, ARGUMENTS).split()),
    )


def smbios_table(text: str) -> bytes:
    """Return the SMBIOS structures.

    Raises
    ------
    FactError
        The text is not what ``base64`` prints.
    """
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise FactError(f"`{SMBIOS}` printed something else than SMBIOS structures: {error}") from error


def memory_mib(text: str) -> int:
    """Return how much memory the kernel manages.

    Raises
    ------
    FactError
        The text does not say.
    """
    found = re.search(r"^MemTotal:\s+(\d+) kB$", text, re.MULTILINE)
    if found is None:
        raise FactError(f"`{MEMORY}` does not say how much memory there is")
    return int(found[1]) // 1024


def pairs(text: str, separator: str) -> Mapping[str, str]:
    """Return key to value of lines such as ``Model name:  X`` or ``ID="ubuntu"``; the first of a key counts."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        key, _, value = line.partition(separator)
        found.setdefault(key.strip(), value.strip().strip('"'))
    return found


FACT: Final = Fact("system", (SMBIOS, MEMORY, RELEASE, KERNEL, ARGUMENTS, PROCESSORS), parse_system)
