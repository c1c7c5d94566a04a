"""The files of a running lab, all in one folder: build/<site>/lab."""

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path


def lab_id(folder: Path) -> str:
    """Return what tells the lab of a folder from others of this machine: six hexadecimal digits, in every namespace."""
    return sha256(str(folder.resolve()).encode()).hexdigest()[:6]


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
    def hosts_description(self) -> Path:
        """The hosts that are machines, as JSON; missing where there are none."""
        return self.path / "hosts.json"

    @property
    def hosts(self) -> Path:
        """One folder a host: disk, console, control socket."""
        return self.path / "hosts"

    def host(self, name: str) -> Path:
        """Folder of a host."""
        return self.hosts.resolve() / name

    @property
    def controllers(self) -> Path:
        """Certificates of the servers' management controllers."""
        return self.path / "controllers"

    @property
    def user_key(self) -> Path:
        """Private key that opens the hosts; readable by its owner only."""
        return self.path / "id_ed25519"

    @property
    def known_hosts(self) -> Path:
        """Host keys of the hosts, for ssh."""
        return self.path / "known_hosts"

    @property
    def log(self) -> Path:
        """What the daemon had to say."""
        return self.path / "daemon.log"

    @property
    def control(self) -> Path:
        """The daemon's socket."""
        return self.path / "control.sock"
