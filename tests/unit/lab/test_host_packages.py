"""Fake packages are an apt source; their commands print recordings and refuse everything else."""

from __future__ import annotations

import csv
import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from lab.hosts.packages.repository import build_repository
from rackproof.facts.fact import Answer
from rackproof.facts.hosts import gpus
from rackproof.hardware.load import Catalogue
from rackproof.paths import LAB_PACKAGES, ROOT

if TYPE_CHECKING:
    from pathlib import Path

RECORDINGS = sorted((LAB_PACKAGES / "recordings").glob("*.json"))
needs_dpkg = pytest.mark.skipif(not shutil.which("dpkg-deb"), reason="needs Debian's package tools")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packages")
    build_repository(folder)
    return folder


def apt(source: Path, root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Ask apt about nothing but the repository: its own folders, no network."""
    for name in ("lists/partial", "cache/archives/partial", "etc/preferences.d", "etc/apt.conf.d"):
        (root / name).mkdir(parents=True, exist_ok=True)
    (root / "status").touch()
    (root / "sources.list").write_text(f"deb [trusted=yes] file://{source} ./\n")
    options = {
        "Dir::Etc": root / "etc",
        "Dir::Etc::sourcelist": root / "sources.list",
        "Dir::Etc::sourceparts": "-",
        "Dir::State::lists": root / "lists",
        "Dir::State::status": root / "status",
        "Dir::Cache": root / "cache",
        "APT::Sandbox::User": "",
        "APT::Architecture": "amd64",
    }
    command = ["apt-get", *(word for key, value in options.items() for word in ("-o", f"{key}={value}")), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@needs_dpkg
def test_apt_takes_the_repository(source: Path, tmp_path: Path) -> None:
    updated = apt(source, tmp_path, "update")
    nvidia = ("nvidia-driver-cuda", "nvidia-kernel-open-dkms", "nvidia-fabricmanager-570")
    others = ("kubeadm=1.32*", "kubelet=1.32*", "containerd.io=1.7*", "rocm-core=6.1*", "doca-ofed")
    wanted = [*(f"{name}=570.195.03*" for name in nvidia), *others]
    chosen = apt(source, tmp_path, "--simulate", "install", *wanted)

    assert updated.returncode == 0, updated.stderr
    assert "W:" not in updated.stderr
    assert chosen.returncode == 0, chosen.stderr
    assert "Inst nvidia-kernel-open-dkms (570.195.03-1" in chosen.stdout


@needs_dpkg
def test_the_same_bytes_come_out_again(source: Path, tmp_path: Path) -> None:
    build_repository(tmp_path)

    names = sorted(path.name for path in source.iterdir())
    assert names == sorted(path.name for path in tmp_path.iterdir())
    assert (tmp_path / "Packages").read_bytes() == (source / "Packages").read_bytes()


def test_every_model_of_the_catalogue_has_a_recording() -> None:
    catalogue = Catalogue()
    models = [catalogue.server(path.stem) for path in sorted((ROOT / "rackproof/hardware/servers").glob("*.yaml"))]
    names = {model.gpus.name for model in models if model.gpus.count}

    assert {name.lower().replace(" ", "-") for name in names} == {path.stem for path in RECORDINGS}


def run(program: str, about: str, tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    share = tmp_path / "share"
    share.mkdir(exist_ok=True)
    if not (share / "recordings").exists():
        (share / "recordings").symlink_to(LAB_PACKAGES / "recordings")
    (share / "nvidia-driver-version").write_text("570.195.03\n")
    (share / "rocm").write_text("6.1.0-82\n")
    (share / "gpus").write_text(about)
    places = {"RACKPROOF_LAB_SHARE": str(share), "RACKPROOF_LAB_ROCM": str(share / "rocm")}
    return subprocess.run(
        [str(LAB_PACKAGES / "programs" / program), *words],
        env=os.environ | places,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "recording", [path for path in RECORDINGS if "nvidia" in path.stem], ids=lambda path: path.stem
)
def test_recordings_of_nvidia_are_whole(recording: Path, tmp_path: Path) -> None:
    document: Any = json.loads(recording.read_text())
    count = len(document["buses"])
    about = f"{count}x {recording.stem.upper().replace('-', ' ')}"

    fields = "index,name,driver_version,pci.bus_id,memory.total,vbios_version"
    rows = list(
        csv.reader(run("nvidia-smi", about, tmp_path, f"--query-gpu={fields}", "--format=csv").stdout.splitlines())
    )
    matrix = run("nvidia-smi", about, tmp_path, "topo", "-m").stdout.splitlines()
    report = run("nvidia-smi", about, tmp_path, "-q").stdout

    assert len(rows) == count + 1
    assert rows[1][1:3] == [f" {document['fields']['name']}", " 570.195.03"]
    assert len({row[3] for row in rows[1:]}) == count
    assert [line.split("\t")[0] for line in matrix[1 : count + 1]] == [f"GPU{index}" for index in range(count)]
    assert len(report.split("\nGPU 0000")) == count + 1


@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.stem)
def test_validation_reads_the_output_of_fake_packages(recording: Path, tmp_path: Path) -> None:
    document: Any = json.loads(recording.read_text())
    count = len(document["buses"])
    about = f"{count}x {recording.stem.replace('-', ' ')}"
    commands = [one for one in gpus.FACT.commands if one.startswith(("nvidia-smi", "rocm-smi"))]
    ran = {one: run(one.split()[0], about, tmp_path, *one.split()[1:]) for one in commands}
    answers = {one: Answer(done.stdout, done.returncode, done.stderr) for one, done in ran.items()}

    found = gpus.parse_gpus({**answers, gpus.RAS: Answer("", 0), gpus.ROCM_VERSION: Answer("6.1.0-82", 0)})

    assert [gpu.index for gpu in found.gpus] == list(range(count))
    assert [gpu.serial for gpu in found.gpus] == document["serials"][:count]
    if found.vendor == "nvidia":
        assert found.unreported == {}
        assert {len(gpu.nvlinks) for gpu in found.gpus} == {document["nvlinks"]}
        assert {(gpu.uncorrected, gpu.slowed) for gpu in found.gpus} == {(0, ())}


def test_nvidia_smi_refuses_what_the_real_one_refuses(tmp_path: Path) -> None:
    about = "8x NVIDIA H200 SXM"

    unknown = run("nvidia-smi", about, tmp_path, "--query-gpu=temper", "--format=csv")
    without_format = run("nvidia-smi", about, tmp_path, "--query-gpu=name")
    nonsense = run("nvidia-smi", about, tmp_path, "--frobnicate")
    other_vendor = run("nvidia-smi", "8x AMD Instinct MI300X", tmp_path, "-L")

    assert (unknown.returncode, unknown.stdout) == (2, 'Field "temper" is not a valid field to query.\n')
    assert (without_format.returncode, nonsense.returncode, other_vendor.returncode) == (1, 1, 9)


def test_amd_answers(tmp_path: Path) -> None:
    about = "8x AMD Instinct MI300X"

    cards = json.loads(run("rocm-smi", about, tmp_path, "--showproductname", "--showbus", "--json").stdout)

    assert [cards[f"card{index}"]["Card Series"] for index in range(8)] == ["AMD Instinct MI300X"] * 8
    assert "ROCm version: 6.1.0" in run("amd-smi", about, tmp_path, "version").stdout
    assert run("amd-smi", about, tmp_path, "list").stdout.count("GPU: ") == 8
    assert run("rocm-smi", about, tmp_path, "--frobnicate").returncode == 2
