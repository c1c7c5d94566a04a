"""The disk image of the lab's hosts: built once, kept in the user's cache under the hash of its recipe."""

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
"""Receives a line about each step that takes time."""

_APT_SOURCES: Final = Path("/etc/apt/sources.list.d/debian.sources")
_LEFT_OUT: Final = (
    "/usr/share/doc/*",
    "/usr/share/man/*",
    "/usr/share/locale/*",
    "/lib/modules/*/kernel/sound/*",
    "/lib/modules/*/kernel/drivers/media/*",
    "/lib/modules/*/kernel/drivers/net/wireless/*",
)
"""Files of packages that no host of a lab reads; writing them takes longer than downloading them."""
_DEFER_INITRAMFS: Final = (
    'chroot "$1" dpkg-divert --quiet --local --rename --add /usr/sbin/update-initramfs',
    'ln -s /bin/true "$1/usr/sbin/update-initramfs"',
)
"""The packages would generate the initial RAM disk twice; customize.sh removes the diversion and generates it once."""


@dataclass(frozen=True, slots=True)
class Image:
    """A disk image in the cache, with its keys and snapshots."""

    folder: Path

    @property
    def disk(self) -> Path:
        """The disk; it is read-only, hosts write to overlays."""
        return self.folder / "disk.qcow2"

    @property
    def loader(self) -> Path:
        """GRUB, which QEMU starts as a kernel."""
        return self.folder / "grub.lnx"

    @property
    def bootstrap_key(self) -> Path:
        """Private key that logs in to a host before a lab installs its own."""
        return self.folder / "keys" / "bootstrap_ed25519"

    @property
    def bootstrap_host_key(self) -> Path:
        """Public host key of a host before a lab installs another."""
        return self.folder / "keys" / "host_ed25519.pub"

    @property
    def snapshots(self) -> Path:
        """Folder of the disks of booted hosts."""
        return self.folder / "booted"


def cached(cache: Path = LAB_CACHE) -> Image | None:
    """Return the disk image of the present recipe, or None when the cache has none."""
    made = Image(cache / recipe_hash())
    return made if made.folder.is_dir() else None


def image(report: Report, cache: Path = LAB_CACHE) -> Image:
    """Return the disk image of the present recipe, building it when the cache has none.

    Parameters
    ----------
    report
        Receives a line about each step that takes time.
    cache
        Folder with one folder a recipe.

    Raises
    ------
    LabError
        It could not be built.
    """
    made = Image(cache / recipe_hash())
    cache.mkdir(parents=True, exist_ok=True)
    with locked(cache / f".{made.folder.name}.lock", report):
        if not made.folder.is_dir():
            _make(made.folder, report)
    return made


@contextmanager
def locked(lock: Path, report: Report) -> Iterator[None]:
    """Hold a lock file: one process at a time builds the image; the others report that they wait."""
    with lock.open("w", encoding="utf-8") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            report("waiting for another process that makes the disk of the lab's hosts")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def _make(final: Path, report: Report) -> None:
    """Build the image in a folder beside the final one, and rename it when it is complete."""
    with TemporaryDirectory(prefix=".making-", dir=final.parent) as name:
        work = Path(name)
        built, root = Image(work / "built"), work / "root"
        built.snapshots.mkdir(parents=True)
        _make_keys(built)
        report(f"making the disk of the lab's hosts, once for all labs: installing {len(PACKAGES)} packages")
        build_repository(work / "packages")
        _run(_bootstrap_command(root, work / "packages"), built)
        report("making the disk of the lab's hosts: file system")
        shutil.move(root / "boot" / "grub.lnx", built.loader)
        _make_disk(root, work / "disk.raw", built.disk)
        built.folder.rename(final)


def _make_keys(image: Image) -> None:
    image.bootstrap_key.parent.mkdir()
    for path in (image.bootstrap_key, image.bootstrap_host_key.with_suffix("")):
        key = asyncssh.generate_private_key("ssh-ed25519")
        path.touch(mode=0o600)
        key.write_private_key(path)
        key.write_public_key(path.with_suffix(".pub"))


def _bootstrap_command(root: Path, packages: Path) -> list[str]:
    """Return the mmdebstrap command; packages come from this machine's Debian mirror, else from the default one."""
    sources = [str(_APT_SOURCES)] if _is_suite(_APT_SOURCES) else []
    return [
        *("mmdebstrap", "--quiet", "--variant=apt", f"--include={','.join(PACKAGES)}"),
        *("--aptopt=Apt::Install-Recommends false", "--dpkgopt=force-unsafe-io"),
        *(f"--dpkgopt=path-exclude={pattern}" for pattern in _LEFT_OUT),
        *(f"--essential-hook={line}" for line in _DEFER_INITRAMFS),
        f"--customize-hook=sync-in {LAB_HOST_FILES} /",
        '--customize-hook=mkdir -p "$1/srv/lab-packages"',
        f"--customize-hook=sync-in {packages} /srv/lab-packages",
        f'--customize-hook={LAB_HOST_SCRIPT} "$1"',
        *(SUITE, str(root), *sources),
    ]


def _is_suite(sources: Path) -> bool:
    return sources.is_file() and SUITE in sources.read_text("utf-8")


def _make_disk(root: Path, raw: Path, disk: Path) -> None:
    """Write a folder to a file system and that to a disk image, without loop device or mount."""
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
        hint = "`make lab-packages` installs what the lab needs"
        raise LabError(f"{command[0]} is not installed", hint) from error
    except subprocess.CalledProcessError as error:
        said = error.stderr.strip().splitlines()[-5:]
        raise LabError(f"{command[0]} failed: {' / '.join(said)}") from error
