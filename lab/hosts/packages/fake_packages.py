"""The fake packages: names, versions and contents.

Names are those of the vendors' repositories for Debian 12. Versions are those of all releases, so that one repository
serves the lab of every site.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from rackproof.releases.load import load_release, release_names

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAMS: Final = "programs"
RECORDINGS: Final = "/usr/share/rackproof-lab/recordings"


@dataclass(frozen=True, slots=True)
class FakePackage:
    """A fake package in place of a vendor's."""

    name: str
    version: str
    programs: tuple[tuple[str, str], ...] = ()
    """Path on the host, and its source in `programs/`."""
    services: tuple[tuple[str, str], ...] = ()
    """Unit of systemd, and the command that it runs."""
    recordings: bool = False
    """Whether it contains the recordings of GPUs."""
    depends: tuple[str, ...] = ()
    states: dict[str, str] = field(default_factory=dict)
    """Further files: path to text."""


def fake_packages() -> Iterator[FakePackage]:
    """Yield every fake package."""
    yield from plain("linux-headers-amd64", "6.1")
    yield from plain("conntrack", "1:1.4.7-1")
    for version in versions("nvidia-driver"):
        yield from _nvidia(version)
    for version in versions("rocm"):
        yield from _amd(full_version(version))
    for version in versions("kubernetes"):
        yield from _kubernetes(f"{full_version(version)}-1.1")
    for version in versions("containerd"):
        yield FakePackage("containerd.io", f"{full_version(version)}-1", (("/usr/bin/containerd", "containerd"),),
                     (("containerd.service", "/usr/bin/containerd"),))  # fmt: skip
    for version in versions("doca"):
        yield from plain("doca-ofed", f"{version}-1")
        yield from plain("nvidia-fs", "2.24.3-1")
    for version in versions("broadcom-bnxt"):
        for name in ("bnxt-rocelib", "bnxt-en-dkms", "bnxt-re-dkms", "niccli"):
            yield from plain(name, f"{version}-1")


def plain(name: str, version: str) -> Iterator[FakePackage]:
    """Yield an empty package."""
    yield FakePackage(name, version)


def versions(component: str) -> list[str]:
    """Return the versions of a component in all releases."""
    found = (load_release(name).components.get(component) for name in release_names())
    return sorted({one.version for one in found if one is not None})


def full_version(version: str) -> str:
    """Return a version with three numbers: packages have three, a release may have two."""
    return version if version.count(".") > 1 else f"{version}.0"


def _nvidia(version: str) -> Iterator[FakePackage]:
    packaged, branch = f"{version}-1", version.partition(".")[0]
    state = {"/usr/share/rackproof-lab/nvidia-driver-version": f"{version}\n"}
    yield FakePackage("nvidia-kernel-open-dkms", packaged, states=state)
    yield FakePackage("nvidia-driver-cuda", packaged, (("/usr/bin/nvidia-smi", "nvidia-smi"),), recordings=True,
                 depends=(f"nvidia-kernel-open-dkms (= {packaged})",))  # fmt: skip
    yield FakePackage(
        "nvidia-persistenced", packaged, services=(("nvidia-persistenced.service", "/usr/bin/sleep infinity"),)
    )
    yield FakePackage(f"nvidia-fabricmanager-{branch}", packaged, (("/usr/bin/nv-fabricmanager", "nv-fabricmanager"),),
                 (("nvidia-fabricmanager.service", "/usr/bin/sleep infinity"),),
                 states={"/usr/share/rackproof-lab/fabric-manager-version": f"{version}\n"})  # fmt: skip


def _amd(version: str) -> Iterator[FakePackage]:
    major, minor, patch = version.split(".")
    packaged = f"{version}.{major}{minor:0>2}{patch:0>2}-82"
    yield FakePackage("rocm-core", packaged, states={"/opt/rocm/.info/version": f"{version}-82\n"})
    yield FakePackage("amdgpu-dkms", f"1:6.7.0.{major}{minor:0>2}{patch:0>2}-1")
    yield FakePackage("rocm-smi-lib", packaged, (("/usr/bin/rocm-smi", "rocm-smi"),), recordings=True)
    yield FakePackage("amd-smi-lib", packaged, (("/usr/bin/amd-smi", "amd-smi"),), depends=("rocm-smi-lib",))


def _kubernetes(version: str) -> Iterator[FakePackage]:
    state = {"/usr/share/rackproof-lab/kubernetes-version": f"v{version.partition('-')[0]}\n"}
    yield FakePackage("kubelet", version, (("/usr/bin/kubelet", "kubernetes"),),
                 (("kubelet.service", "/usr/bin/sleep infinity"),), states=state)  # fmt: skip
    yield FakePackage("kubeadm", version, (("/usr/bin/kubeadm", "kubernetes"),), depends=(f"kubelet (= {version})",))
    yield FakePackage("kubectl", version, (("/usr/bin/kubectl", "kubernetes"),), depends=(f"kubelet (= {version})",))
