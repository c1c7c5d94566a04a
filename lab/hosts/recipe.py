"""The recipe of a host's disk image, and the hash that names it: another recipe is another image."""

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from lab.hosts.packages.fake_packages import fake_packages
from rackproof.paths import LAB_HOST_FILES, LAB_HOST_SCRIPT, LAB_PACKAGES

SUITE: Final = "bookworm"
"""Debian 12: the system of the lab's hosts."""
DISK_SIZE: Final = "3G"
"""Virtual size of a host's disk; the file holds only written blocks."""
SYSTEM: Final = (
    "linux-image-amd64 initramfs-tools zstd systemd systemd-sysv systemd-resolved udev dbus kmod procps libpam-systemd "
    "sudo python3 python3-apt openssh-server iproute2 iputils-ping ethtool pciutils dmidecode chrony nftables "
    "grub-pc-bin grub2-common e2fsprogs ca-certificates"
)
"""Packages of any server."""
FABRIC: Final = "rdma-core ibverbs-utils perftest nfs-common nfs-kernel-server lldpd tcpdump"
"""Packages for RDMA, NFS and LLDP."""
PACKAGES: Final = (*SYSTEM.split(), *FABRIC.split())
VERSION: Final = 3
"""Raised when the build changes the image without a change of anything that is hashed."""


def recipe_hash() -> str:
    """Return the name of the recipe's image: 16 hexadecimal digits."""
    digest = hashlib.sha256(f"{VERSION} {SUITE} {DISK_SIZE} {' '.join(PACKAGES)}\n".encode())
    digest.update(repr(list(fake_packages())).encode())
    for name, path in _ingredients():
        digest.update(f"{name} {path.stat().st_mode & 0o777:o} {path.stat().st_size}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _ingredients() -> Iterator[tuple[str, Path]]:
    yield "script", LAB_HOST_SCRIPT
    for folder in (LAB_HOST_FILES, LAB_PACKAGES):
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.parent.name != "__pycache__":
                yield path.relative_to(folder).as_posix(), path
