"""Snapshots of booted hosts in the cache: a disk with their memory, one for every hardware description."""

import hashlib
import os
import shutil
import subprocess
from dataclasses import replace
from functools import cache
from pathlib import Path

from lab.hosts.image import Image
from lab.hosts.machine import HostSpec
from lab.hosts.qemu import DISK, PROGRAM, Start, command

_ANYWHERE = Path("/")


def snapshot(image: Image, spec: HostSpec) -> Path:
    """Return the path of a host's snapshot; the file may not exist.

    Memory fits only the devices, addresses and QEMU that it was saved with, so all of them are in the name.
    """
    taps = dict.fromkeys((nic.end for nic in spec.nics), 0)
    words = command(Start(spec, _ANYWHERE, replace(image, folder=_ANYWHERE), taps, 0, restore=True))
    digest = hashlib.sha256("\0".join((*words, _version())).encode()).hexdigest()
    return image.snapshots / f"{spec.name}-{digest[:12]}.qcow2"


@cache
def _version() -> str:
    return subprocess.run([PROGRAM, "--version"], check=True, capture_output=True, text=True).stdout  # noqa: S603


def blank_disk(image: Image, folder: Path) -> None:
    """Create the empty overlay disk of a host."""
    _new(folder / DISK)
    words = ["qemu-img", "create", "-q", "-f", "qcow2", "-F", "qcow2", "-b", str(image.disk), str(folder / DISK)]
    subprocess.run(words, check=True, capture_output=True)  # noqa: S603 our own words


def take_disk(booted: Path, folder: Path) -> None:
    """Copy a snapshot to the disk of a host."""
    _new(folder / DISK)
    shutil.copyfile(booted, folder / DISK)


def keep_disk(folder: Path, booted: Path) -> None:
    """Copy the disk of a host that has ended into the cache, atomically."""
    whole = booted.with_name(f".{booted.name}.{os.getpid()}")
    shutil.copyfile(folder / DISK, whole)
    whole.replace(booted)


def _new(disk: Path) -> None:
    disk.unlink(missing_ok=True)
