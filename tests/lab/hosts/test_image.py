"""The disk image in the cache: found, built by one process at a time, with one initial RAM disk."""

from __future__ import annotations

import fcntl
import threading
from typing import TYPE_CHECKING

from lab.hosts import image
from lab.hosts.recipe import recipe_hash
from rackproof.paths import LAB_HOST_FILES, LAB_HOST_SCRIPT

if TYPE_CHECKING:
    from pathlib import Path


def test_an_empty_cache_has_no_image(tmp_path: Path) -> None:
    assert image.cached(tmp_path) is None


def test_an_image_of_the_present_recipe_is_found_and_not_built_again(tmp_path: Path) -> None:
    (tmp_path / recipe_hash()).mkdir()
    said: list[str] = []

    assert image.cached(tmp_path) == image.image(said.append, tmp_path)
    assert said == []


def test_a_process_that_needs_the_image_while_another_builds_it_says_that_it_waits(tmp_path: Path) -> None:
    lock, waiting, held = tmp_path / "lock", threading.Event(), threading.Event()

    def second() -> None:
        with image.locked(lock, lambda _line: waiting.set()):
            held.set()

    with lock.open("w", encoding="utf-8") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        other = threading.Thread(target=second)
        other.start()
        assert waiting.wait(10)
        assert not held.is_set()
    other.join(10)
    assert held.is_set()


def test_the_initial_ram_disk_is_generated_once_with_the_modules_of_a_host(tmp_path: Path) -> None:
    command = image._bootstrap_command(tmp_path / "root", tmp_path / "packages")
    script = LAB_HOST_SCRIPT.read_text("utf-8")

    diverted = next(word for word in command if "dpkg-divert" in word)
    assert diverted.startswith("--essential-hook=")
    assert not [word for word in command if word.startswith("--customize-hook") and "initramfs" in word]
    assert script.count('chroot "$root" update-initramfs') == 1
    assert script.index("--remove /usr/sbin/update-initramfs") < script.index('chroot "$root" update-initramfs')
    modules = (LAB_HOST_FILES / "usr/share/initramfs-tools/modules.d/rackproof-lab").read_text("utf-8").split("\n")
    assert {"virtio_pci", "virtio_blk", "ext4"} <= set(modules)
