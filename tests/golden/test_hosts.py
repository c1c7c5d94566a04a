"""What servers become for Ansible, byte for byte: tests/golden/<site>/hosts/. `make golden` rewrites it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from rackproof.plan.from_file import host_sources, plan_site
from rackproof.render.inventory import inventory_files
from rackproof.site.access import CredentialReference, DeviceAccess
from rackproof.site.as_built import AsBuilt
from rackproof.site.load import find_site

if TYPE_CHECKING:
    from tests.conftest import Golden

FOLDER: Final = Path(__file__).parent
SITES: Final = {
    "dell-era-2-4-3": ("hosts.yaml", "host_vars/gpu-001.yaml", "host_vars/support-002.yaml"),
    "metrum-h200": ("hosts.yaml", "group_vars/all.yaml", "host_vars/gpu-001.yaml", "host_vars/gpu-002.yaml"),
    "dell-xe9680-spectrum-x": (
        "hosts.yaml",
        "group_vars/all.yaml",
        "host_vars/gpu-001.yaml",
        "host_vars/head-001.yaml",
    ),
}
"""Site to the files that are kept: servers of a group differ in their addresses only."""


@pytest.mark.parametrize("site", SITES)
def test_hosts(site: str, golden: Golden) -> None:
    planned = plan_site(find_site(site))
    devices = {
        name: DeviceAccess(
            host=f"{name}.example",
            user="rackproof",
            host_key="ssh-ed25519 AAAA",
            private_key=CredentialReference(file="keys/rackproof"),
        )
        for name in planned.plan.servers
    }

    files = inventory_files(
        host_sources(planned, AsBuilt()), devices, Path("inventory", site), Path("build", site, "ansible")
    )

    for name in SITES[site]:
        golden(FOLDER / site / "hosts" / name, files[name])
