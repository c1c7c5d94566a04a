"""Disks: room on the local file systems, and the state of NVMe drives.

Sources: df(1); Linux, Documentation/ABI/testing/sysfs-class-nvme and drivers/nvme/host/core.c (``state``);
proc_pid_mountinfo(5).
"""

from typing import Final

from msgspec import Struct

from rackproof.facts.fact import Answers, Fact, command_output
from rackproof.facts.hosts.shell_text import file_values, files

ROOM: Final = (
    "df --local --block-size=1 --output=target,fstype,size,avail,itotal,iavail "
    "--exclude-type=tmpfs --exclude-type=devtmpfs --exclude-type=overlay --exclude-type=squashfs "
    "--exclude-type=efivarfs --exclude-type=iso9660 --exclude-type=fuse.lxcfs"
)
"""Of local disks only: a file server that does not answer is the business of the mounts."""
DRIVES: Final = files(*(f"/sys/class/nvme/*/{name}" for name in ("model", "serial", "firmware_rev", "state")))
MOUNTED: Final = "grep -E '^/dev/' /proc/mounts; true"


class FileSystem(Struct, frozen=True, gc=False):
    """A mounted file system of a local disk."""

    path: str
    kind: str
    size_bytes: int
    available_bytes: int
    """To everybody but root."""
    inodes: int
    """0: it makes them as it needs them."""
    available_inodes: int
    read_only: bool

    @property
    def available_percent(self) -> float:
        """Share of its bytes that are free."""
        return 100.0 * self.available_bytes / self.size_bytes if self.size_bytes else 0.0

    @property
    def available_inodes_percent(self) -> float:
        """Share of its inodes that are free; all of them where it makes them as it needs them."""
        return 100.0 * self.available_inodes / self.inodes if self.inodes else 100.0


class Drive(Struct, frozen=True, gc=False):
    """An NVMe drive."""

    name: str
    model: str
    serial: str
    firmware: str
    state: str
    """The kernel's word; a drive that works is ``live``."""


class Disks(Struct, frozen=True, gc=False):
    """What a server stores on itself."""

    file_systems: tuple[FileSystem, ...]
    drives: tuple[Drive, ...]


def parse_disks(answers: Answers) -> Disks:
    """Return file systems and drives.

    Raises
    ------
    FactError
        ``df`` did not answer.
    """
    options = {
        words[1]: words[3].split(",")
        for line in command_output(answers, MOUNTED).splitlines()
        if (words := line.split())
    }
    found = []
    for line in command_output(answers, ROOM).splitlines()[1:]:
        # The path comes first and may have blanks; the five others have none.
        path, kind, *numbers = line.rsplit(maxsplit=5)
        size, available, inodes, free = (int(word) if word.isdecimal() else 0 for word in numbers)
        read_only = "ro" in options.get(path.strip(), ())
        found.append(FileSystem(path.strip(), kind, size, available, inodes, free, read_only))
    return Disks(tuple(found), nvme_drives(command_output(answers, DRIVES)))


def nvme_drives(text: str) -> tuple[Drive, ...]:
    """Return the NVMe drives in what the kernel's files say."""
    values = file_values(text)
    folders = sorted({path.rpartition("/")[0] for path in values})
    return tuple(
        Drive(
            folder.rpartition("/")[2],
            *(values.get(f"{folder}/{name}", "") for name in ("model", "serial", "firmware_rev", "state")),
        )
        for folder in folders
    )


FACT: Final = Fact("disks", (ROOM, DRIVES, MOUNTED), parse_disks)
