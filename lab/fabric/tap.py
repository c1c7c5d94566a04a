"""Tap devices: the switch's end of a cable whose other end is a virtual machine's NIC (linux/if_tun.h, tuntap.rst)."""

import ctypes
import fcntl
import os
import struct
import threading
from pathlib import Path
from typing import Final

from lab.errors import LabError

_NAMESPACES: Final = Path("/run/netns")
_CLONE_NEWNET: Final = 0x40000000
_TUNSETIFF: Final = 0x400454CA
_TUNSETPERSIST: Final = 0x400454CB
_IFF_TAP: Final = 0x0002
_IFF_NO_PI: Final = 0x1000
_IFF_VNET_HDR: Final = 0x4000
"""QEMU's virtio-net hands checksums and segments over in a header before every frame."""


def open_tap(namespace: str, name: str) -> int:
    """Open a tap of a namespace, creating it if needed; it remains when it is closed.

    Returns
    -------
    int
        File descriptor, not inherited; QEMU takes it as ``-netdev tap,fd=``.

    Raises
    ------
    LabError
        The namespace does not exist, the tap is open already, or this process is not allowed to.
    """
    found: list[int | OSError] = []

    def inside() -> None:
        try:
            found.append(_open_here(namespace, name))
        except OSError as error:
            found.append(error)

    # setns changes one thread only: this one ends with it.
    thread = threading.Thread(target=inside, name=f"tap {name}")
    thread.start()
    thread.join()
    if isinstance(found[0], OSError):
        raise LabError(f"no tap {name} in {namespace}: {found[0].strerror}", "one process can hold a tap open")
    return found[0]


def _open_here(namespace: str, name: str) -> int:
    with (_NAMESPACES / namespace).open("rb") as handle:
        _set_namespace(handle.fileno())
    tun = os.open("/dev/net/tun", os.O_RDWR | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        fcntl.ioctl(tun, _TUNSETIFF, struct.pack("16sH22x", name.encode(), _IFF_TAP | _IFF_NO_PI | _IFF_VNET_HDR))
        fcntl.ioctl(tun, _TUNSETPERSIST, 1)
    except OSError:
        os.close(tun)
        raise
    return tun


def _set_namespace(handle: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(handle, _CLONE_NEWNET) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
