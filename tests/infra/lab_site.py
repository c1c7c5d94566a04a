"""A planned site with its lab, for tests that talk to switches."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lab.daemon import client
from lab.spec.from_plan import lab_site
from rackproof.connect.access import load_access
from rackproof.paths import build_folder
from rackproof.plan.from_file import PlannedSite, plan_site
from rackproof.site.access import Access, CredentialReference
from rackproof.site.load import find_site

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass(frozen=True)
class SiteWithLab:
    """A site whose switches answer."""

    planned: PlannedSite
    file: Path
    """The site file: that of the inventory, with a name of its own."""
    folder: Path
    access: Path

    def access_by_pulumi_secret(self, key: str) -> tuple[Path, str]:
        """Return an access.yaml whose passwords are a Pulumi secret, and the password."""
        path = self.folder / "pulumi-access.yaml"
        password = CredentialReference(pulumi=key)
        devices = load_access(self.access).access.devices
        by_secret = {name: entry.model_copy(update={"password": password}) for name, entry in devices.items()}
        path.write_text(Access(devices=by_secret).model_dump_json(exclude_none=True), encoding="utf-8")  # JSON is YAML
        return path, (self.folder / "password").read_text(encoding="utf-8").strip()

    def type_by_hand(self, switch: str, *lines: str) -> None:
        """Type configuration at a switch's console."""
        refused = client.edit(self.folder, switch, lines)
        assert refused == ()


@contextmanager
def site_with_lab(site: str, folder: Path) -> Iterator[SiteWithLab]:
    """Start the lab of a site of the inventory, under another name so that nobody else deploys it meanwhile."""
    name = f"{site}-{os.getpid()}"
    file = folder / "site.yaml"
    file.write_text(find_site(site).read_text(encoding="utf-8").replace(f"site: {site}", f"site: {name}", 1))
    planned = plan_site(file)
    assert planned.plan.site == name
    lab = folder / "lab"
    state = client.up(lab_site(planned.plan, planned.catalogue), lab)
    try:
        yield SiteWithLab(planned, file, lab, state.access_file)
    finally:
        client.down(lab)
        shutil.rmtree(build_folder(name), ignore_errors=True)
