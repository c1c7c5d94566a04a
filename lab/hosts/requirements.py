"""What this machine needs for virtual machines as hosts, and what is not proven without them."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from lab.fabric.command import missing
from lab.hosts.qemu import PROGRAM

_PROGRAMS: Final = {
    PROGRAM: "qemu-system-x86",
    "qemu-img": "qemu-utils",
    "mmdebstrap": "mmdebstrap",
    "mke2fs": "e2fsprogs",
    "ssh": "openssh-client",
}
"""Program to Debian package."""
_TUN: Final = Path("/dev/net/tun")

NOT_PROVEN: Final = (
    "that packets pass (sessions, neighbours and counters are computed from configuration)",
    "that hosts can be brought up (there are none), RoCE between them, NFS over RDMA",
)
"""What a lab without hosts does not prove."""


def why_not() -> tuple[str, ...]:
    """Return why this machine cannot run virtual machines as hosts; empty when it can."""
    return tuple(_reasons())


def _reasons() -> Iterator[str]:
    root = os.geteuid() == 0
    if not root:
        yield "namespaces, taps and routes take root, which this is not"
    packages = {package for program, package in _PROGRAMS.items() if shutil.which(program) is None} | {*missing()}
    if packages:
        yield f"not installed: {' '.join(sorted(packages))}"
    if not _TUN.exists():
        yield f"there is no {_TUN} (the kernel's module tun)"
    if root and not _namespaces():
        yield "this kernel, or the container around this process, gives no network namespaces"


def _namespaces() -> bool:
    unshare = shutil.which("unshare")
    words = [str(unshare), "--net", "true"]
    return unshare is not None and subprocess.run(words, check=False, capture_output=True).returncode == 0  # noqa: S603 fixed
