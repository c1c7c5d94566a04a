"""A lab whose hosts are machines, under a site of its own, and a person who types at its console."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from lab.daemon import client
from lab.hosts.shell import ssh_command
from rackproof import paths
from rackproof.site.load import find_site, load_site

if TYPE_CHECKING:
    from collections.abc import Iterator

ONE, TWO = "gpu-001", "gpu-002"
SITE: Final = "metrum-h200"
PROGRAM: Final = Path(sys.executable).with_name("rackproof")
COMMAND_S: Final = 3600.0
"""Longest that a command may take: hosts are emulated, and share two processors."""
BACK_S: Final = 600.0
"""Longest until a host is back after a restart."""


@dataclass(frozen=True)
class Said:
    """What a command answered."""

    status: int
    text: str


@dataclass(frozen=True)
class RealLab:
    """A running lab with two hosts."""

    file: Path
    """Site file: that of the inventory, with a name of its own."""
    name: str

    @property
    def folder(self) -> Path:
        """Where the lab keeps what it knows."""
        return paths.lab_folder(self.name)

    def rackproof(self, verb: str, *words: str) -> Said:
        """Run a verb on the site, as a person does."""
        return command(str(PROGRAM), *verb.split(), str(self.file), *words)

    def validate(self, *options: str) -> tuple[int, dict[str, Any]]:
        """Return the exit status of a validation, and what a program reads of it."""
        said = self.rackproof("validate", "--json", *options)
        return said.status, json.loads(said.text[said.text.index("{") :])

    def on(self, host: str, text: str) -> Said:
        """Run a command on a host."""
        return command(*ssh_command(self.folder, client.status(self.folder), host, [text]))

    def restart(self, *hosts: str) -> None:
        """Restart hosts and wait until all that starts with them has started."""
        before = {host: self.boot_id(host) for host in hosts}
        for host in hosts:
            self.on(host, "sudo systemctl reboot")
        late = time.monotonic() + BACK_S
        for host in hosts:
            while self.boot_id(host) in {before[host], ""}:
                assert time.monotonic() < late, f"{host} did not come back"
            self.on(host, "systemctl is-system-running --wait")

    def boot_id(self, host: str) -> str:
        """Return the kernel's ID of this boot (proc(5), boot_id); empty: the host does not answer."""
        said = self.on(host, "cat /proc/sys/kernel/random/boot_id")
        return said.text.strip() if said.status == 0 else ""


def command(*words: str) -> Said:
    """Run a command and take both of its outputs."""
    done = subprocess.run(
        words, cwd=paths.ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        timeout=COMMAND_S, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    return Said(done.returncode, done.stdout)


@contextmanager
def real_lab(folder: Path, source: Path | None = None, *options: str) -> Iterator[RealLab]:
    """Start a lab, whose switches are as planned, and take it away at the end.

    Parameters
    ----------
    folder
        Where the site file goes.
    source
        The site it is a copy of.
    options
        Of ``rackproof lab up``; without them it has two fresh hosts.
    """
    text = (source or find_site(SITE)).read_text(encoding="utf-8")
    was = load_site(source or find_site(SITE)).site.site
    name = f"{was}-{os.getpid()}"
    file = folder / "site.yaml"
    file.write_text(text.replace(f"site: {was}", f"site: {name}", 1), encoding="utf-8")
    lab = RealLab(file, name)
    try:
        for words in (
            ("lab up", *options),
            ("up", "--yes", "--only", "backend", "--only", "frontend", "--only", "oob"),
        ):
            said = lab.rackproof(*words)
            assert said.status == 0, said.text
        yield lab
    finally:
        client.down(lab.folder)
        shutil.rmtree(paths.build_folder(name), ignore_errors=True)
