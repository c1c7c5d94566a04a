"""Builds the fake packages and the index by which apt finds them.

Sources: Debian Policy 5.3 (control files) and 6 (maintainer scripts); sources.list(5) and Debian's wiki,
DebianRepository/Format (a flat repository is a folder with `Packages`).
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from lab.errors import LabError
from lab.hosts.packages.fake_packages import PROGRAMS, RECORDINGS, FakePackage, fake_packages
from rackproof.paths import LAB_PACKAGES

RECORDED: Final = "/etc/rackproof-lab/recorded"
"""File on a host of the lab that lists the fake packages."""
SAID: Final = "no such hardware or software is here: the output of its commands is written from manuals"
GPUS: Final = "/sys/firmware/qemu_fw_cfg/by_name/opt/org.rackproof/gpus/raw"
"""The GPUs of the machine; only root may read it there."""
UNIT: Final = """[Unit]
Description={name} (fake package of the Rackproof lab)

[Service]
ExecStart={command}

[Install]
WantedBy=multi-user.target
"""


def build_repository(folder: Path) -> None:
    """Build all fake packages into ``folder``, with the index that makes it a source of apt.

    The same bytes come out each time, so that the folder can be part of what names a disk image.

    Raises
    ------
    LabError
        dpkg-deb is not installed, or refuses a package.
    """
    if shutil.which("dpkg-deb") is None:
        raise LabError("dpkg-deb is not installed", "the lab's hosts need a machine with Debian's package tools (dpkg)")
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        entries = list(pool.map(lambda package: _build(package, folder), fake_packages()))
    (folder / "Packages").write_text("\n".join(sorted(entries)), encoding="utf-8")


def _build(package: FakePackage, folder: Path) -> str:
    """Build one package and return its entry of the index."""
    epochless = package.version.rpartition(":")[2]
    file = folder / f"{package.name}_{epochless}_all.deb"
    with TemporaryDirectory() as name:
        tree = Path(name)
        _fill(package, tree)
        command = ["dpkg-deb", "--root-owner-group", "-Znone", "--build", str(tree), str(file)]
        done = subprocess.run(  # noqa: S603 our words
            command, capture_output=True, text=True, check=False, env={**os.environ, "SOURCE_DATE_EPOCH": "0"}
        )
    if done.returncode:
        raise LabError(f"dpkg-deb refuses {package.name}: {done.stderr.strip()}")
    content = file.read_bytes()
    sums = f"Size: {len(content)}\nSHA256: {hashlib.sha256(content).hexdigest()}\n"
    return f"{_control(package)}Filename: ./{file.name}\n{sums}"


def _control(package: FakePackage) -> str:
    fields = {
        "Package": package.name,
        "Version": package.version,
        "Architecture": "all",
        "Maintainer": "Rackproof lab <lab@localhost>",
        "Depends": ", ".join(package.depends),
        "Description": f"fake {package.name} for hosts of the Rackproof lab",
    }
    return "".join(f"{key}: {value}\n" for key, value in fields.items() if value)


def _fill(package: FakePackage, tree: Path) -> None:
    """Write the files of a package."""
    _write(tree / "DEBIAN" / "control", _control(package))
    _write(tree / "DEBIAN" / "postinst", _postinst(package), mode=0o755)
    _write(tree / "DEBIAN" / "prerm", _prerm(package), mode=0o755)
    for path, program in package.programs:
        _write(tree / path.lstrip("/"), (LAB_PACKAGES / PROGRAMS / program).read_text("utf-8"), mode=0o755)
    for path, text in package.states.items():
        _write(tree / path.lstrip("/"), text)
    for unit, command in package.services:
        text = UNIT.format(name=package.name, command=command)
        _write(tree / "usr/lib/systemd/system" / unit, text)
    if package.recordings:
        for recording in sorted((LAB_PACKAGES / "recordings").glob("*.json")):
            _write(tree / RECORDINGS.lstrip("/") / recording.name, recording.read_text("utf-8"))


def _write(path: Path, text: str, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    for parent in path.parents:
        if parent.name == "DEBIAN" or (parent.stat().st_mode & 0o777) == 0o755:
            break
        parent.chmod(0o755)


def _postinst(package: FakePackage) -> str:
    """Return the script that lists the package as fake, then enables its services as Debian's packages do."""
    units = " ".join(unit for unit, _ in package.services)
    lines = [
        "#!/bin/sh",
        "set -e",
        "mkdir -p /etc/rackproof-lab",
        f"grep -qs '^{package.name}: ' {RECORDED} || echo '{package.name}: {SAID}' >>{RECORDED}",
    ]
    if package.recordings:
        lines.append(f"modprobe -q qemu_fw_cfg || true; [ ! -r {GPUS} ] || cat {GPUS} >/usr/share/rackproof-lab/gpus")
    if units:
        lines += [
            f"systemctl enable --quiet {units}",
            f"[ ! -d /run/systemd/system ] || {{ systemctl daemon-reload; systemctl restart {units}; }}",
        ]
    return "\n".join([*lines, ""])


def _prerm(package: FakePackage) -> str:
    units = " ".join(unit for unit, _ in package.services)
    stop = f"[ ! -d /run/systemd/system ] || systemctl stop {units}\n" if units else ""
    return f"#!/bin/sh\nset -e\n{stop}[ \"$1\" != remove ] || sed -i '/^{package.name}: /d' {RECORDED}\n"
