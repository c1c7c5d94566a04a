"""The files of a running lab, all in one folder: build/<site>/lab."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class LabFolder:
    """Where a lab keeps its files; what is in the folder belongs to the lab and goes with it."""

    path: Path

    @property
    def site_description(self) -> Path:
        """What the daemon builds, as JSON."""
        return self.path / "lab.json"

    @property
    def password(self) -> Path:
        """The password of the switches' admin; readable by its owner only."""
        return self.path / "password"

    @property
    def access(self) -> Path:
        """How the switches are reached, in the format of access.yaml."""
        return self.path / "access.yaml"

    @property
    def site_file(self) -> Path:
        """The site as the lab has it, scaled down where it must be."""
        return self.path / "site.yaml"

    @property
    def process_id(self) -> Path:
        """Number of the daemon's process."""
        return self.path / "daemon.pid"

    @property
    def log(self) -> Path:
        """What the daemon had to say."""
        return self.path / "daemon.log"

    @property
    def control(self) -> Path:
        """The daemon's socket."""
        return self.path / "control.sock"
