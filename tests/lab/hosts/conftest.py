"""A host of four ports on two adapters, and whether this machine can have hosts at all."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from lab.hosts.image import Image
from lab.hosts.machine import HostNic, HostSpec
from lab.hosts.requirements import why_not
from lab.spec.models import LabEnd, port_mac
from tests.conftest import NO_FABRIC

HOST: Final = "gpu-001"


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("lab_hosts") and why_not():
        pytest.skip(NO_FABRIC)


def nic(port: str, slot: int | None, number: int, bus: int | None, *, rdma: bool = False) -> HostNic:
    end = LabEnd(HOST, port)
    return HostNic(end, port_mac(end), slot, number, bus, rdma=rdma)


@pytest.fixture(name="host")
def _host() -> HostSpec:
    """As an XE9680 has them: two rails in slot 38, two frontend ports in slot 40, whose buses follow each other."""
    ports = (
        nic("rail0", 38, 0, 0x1A, rdma=True),
        nic("rail1", 38, 1, 0x1A, rdma=True),
        nic("frontend0", 40, 0, 0x1B),
        nic("frontend1", 40, 1, 0x1B),
    )
    return HostSpec(HOST, "Dell", "PowerEdge XE9680", ports, "8x NVIDIA H200 SXM")


@pytest.fixture(name="image")
def _image() -> Image:
    return Image(Path("/cache/0123456789abcdef"))
