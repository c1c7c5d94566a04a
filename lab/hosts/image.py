"""The disk that every host of the lab starts from: made once, kept in the user's cache under the hash of its recipe."""

import fcntl
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import asyncssh

from lab.errors import LabError
from lab.hosts.packages.repository import build_repository
from lab.hosts.recipe import DISK_SIZE, PACKAGES, SUITE, recipe_hash
from rackproof.paths import LAB_CACHE, LAB_HOST_FILES, LAB_HOST_SCRIPT

Report = Callable[[str], None]
"""Takes a line about what is happening now."""

_APT_SOURCES: Final = Path("/etc/apt/sources.list.d/debian.sources")


@dataclass(frozen=True, slots=True)
class Image:
    """A disk in the cache, and what belongs to it."""

    folder: Path

    @property
    def disk(self) -> Path:
        """The disk, never written to: hosts write to overlays."""
        return self.folder / "disk.qcow2"

    @property
    def loader(self) -> Path:
        """GRUB, for QEMU to start as a kernel."""
        return self.folder / "grub.lnx"

    @property
    def bootstrap_key(self) -> Path:
        """Private key that opens a host before a lab has given it another."""
        return self.folder / "keys" / "bootstrap_ed25519"

    @property
    def bootstrap_host_key(self) -> Path:
        """Public host key of a host before a lab has given it another."""
        return self.folder / "keys" / "host_ed25519.pub"

    @property
    def snapshots(self) -> Path:
        """Where hosts lie that have booted."""
        return self.folder / "booted"


def image(report: Report, cache: Path = LAB_CACHE) -> Image:
    """Return the disk of the recipe as it is now, making it where the cache has none.

    Parameters
    ----------
    report
        Is told what takes time.
    cache
        Folder with one folder a recipe.

    Raises
    ------
    LabError
        It could not be made.
    """
    made = Image(cache / recipe_hash())
    cache.mkdir(parents=True, exist_ok=True)
    with alone(cache / f".{made.folder.name}.lock"):
        if not made.folder.is_dir():
            _make(made.folder, report)
    return made


@contextmanager
def alone(lock: Path) -> Iterator[None]:
    """Keep two processes from making the same thing at the same time."""
    with lock.open("w", encoding="utf-8") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _make(final: Path, report: Report) -> None:
    """Make everything in a folder beside the final one, which it becomes when it is whole."""
    with TemporaryDirectory(prefix=".making-", dir=final.parent) as name:
        work = Path(name)
        whole, root = Image(work / "whole"), work / "root"
        whole.snapshots.mkdir(parents=True)
        _make_keys(whole)
        report(f"making the disk of the lab's hosts, once for all labs: installing {len(PACKAGES)} packages")
        build_repository(work / "packages")
        _run(_bootstrap_command(root, work / "packages"), whole)
        report("making the disk of the lab's hosts: file system")
        shutil.move(root / "boot" / "grub.lnx", whole.loader)
        _make_disk(root, work / "disk.raw", whole.disk)
        whole.folder.rename(final)


def _make_keys(image: Image) -> None:
    image.bootstrap_key.parent.mkdir()
    for path in (image.bootstrap_key, image.bootstrap_host_key.with_suffix("")):
        key = asyncssh.generate_private_key("ssh-ed25519")
        path.touch(mode=0o600)
        key.write_private_key(path)
        key.write_public_key(path.with_suffix(".pub"))


def _bootstrap_command(root: Path, packages: Path) -> list[str]:
    """Debian from where this machine has its own packages from, else from where mmdebstrap knows."""
    sources = [str(_APT_SOURCES)] if _is_suite(_APT_SOURCES) else []
    return [
        *("mmdebstrap", "--quiet", "--variant=apt", f"--include={','.join(PACKAGES)}"),
        *("--aptopt=Apt::Install-Recommends false", "--dpkgopt=path-exclude=/usr/share/doc/*"),
        *("--dpkgopt=path-exclude=/usr/share/man/*", "--dpkgopt=path-exclude=/usr/share/locale/*"),
        f"--customize-hook=sync-in {LAB_HOST_FILES} /",
        '--customize-hook=mkdir -p "$1/srv/lab-packages"',
        f"--customize-hook=sync-in {packages} /srv/lab-packages",
        f'--customize-hook={LAB_HOST_SCRIPT} "$1"',
        '--customize-hook=chroot "$1" update-initramfs -u',
        *(SUITE, str(root), *sources),
    ]


def _is_suite(sources: Path) -> bool:
    return sources.is_file() and SUITE in sources.read_text("utf-8")


def _make_disk(root: Path, raw: Path, disk: Path) -> None:
    """Write the folder to a file system, and the file system to a disk: no loop device, no mount."""
    _run(
        ["mke2fs", "-q", "-t", "ext4", "-O", "^metadata_csum_seed", "-d", str(root), "-L", "root", str(raw), DISK_SIZE]
    )
    _run(["qemu-img", "convert", "-O", "qcow2", str(raw), str(disk)])


def _run(command: list[str], image: Image | None = None) -> None:
    keys = {} if image is None else {"KEYS": str(image.bootstrap_key.parent), "TREE": str(LAB_HOST_FILES)}
    environment = {**os.environ, **keys}
    try:
        subprocess.run(command, check=True, capture_output=True, text=True, env=environment)  # noqa: S603 our words
    except FileNotFoundError as error:
        hint = "`scripts/setup.sh product` installs what the lab needs"
        raise LabError(f"{command[0]} is not installed", hint) from error
    except subprocess.CalledProcessError as error:
        said = error.stderr.strip().splitlines()[-5:]
        raise LabError(f"{command[0]} failed: {' / '.join(said)}") from error
