"""The folders of a checkout; no other module names one."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HARDWARE = ROOT / "rackproof" / "hardware"
RELEASES = ROOT / "rackproof" / "releases"
TOPOLOGIES = ROOT / "rackproof" / "plan" / "fabric" / "topologies"
TEMPLATES = ROOT / "templates"
INVENTORY = ROOT / "inventory"
BUILD = ROOT / "build"
REQUIREMENTS = ROOT / "rackproof" / "report" / "content" / "requirements.yaml"
"""Requirements of others that a check may say it answers."""
ROLES = ROOT / "roles"
PLAYBOOKS = ROOT / "playbooks"
ANSIBLE_CONFIG = ROOT / "ansible.cfg"
VALIDATION = ROOT / "validation"
HOST_STATE = ROOT / "rackproof" / "facts" / "scripts" / "host_state.py"
"""The script that hosts run to report differences."""
LAB_HOST_FILES = ROOT / "lab" / "hosts" / "tree"
LAB_HOST_SCRIPT = ROOT / "lab" / "hosts" / "customize.sh"
LAB_CACHE = Path.home() / ".cache" / "rackproof" / "lab"
LAB_PACKAGES = ROOT / "lab" / "hosts" / "packages"


RUN_FILE = "run.json"
"""In the folder of a validation: its results."""
RUN_FACTS = "facts"
"""Likewise: the facts of each device, one file a device."""
RUN_LOGS = "logs"
"""Likewise: the output of live checks."""
RUN_INPUTS = "inputs"
"""Likewise, and in a dossier: the files that it was compared with."""
LATEST_RUN = "latest"
"""Beside these folders: the last one that was completed."""


def site_file(site: str) -> Path:
    """Return the site file of a site of the inventory."""
    return INVENTORY / site / "site.yaml"


def build_folder(site: str) -> Path:
    """Return the folder that holds everything generated for a site."""
    return BUILD / site


def lab_folder(site: str) -> Path:
    """Return the folder that holds a site's running lab."""
    return build_folder(site) / "lab"


def lab_site_file(site: str) -> Path:
    """Return the site file of a lab whose hosts are machines, scaled down to what they carry."""
    return lab_folder(site) / "site.yaml"


def validation_folder(site: str) -> Path:
    """Return the folder that holds a folder for each validation of a site."""
    return build_folder(site) / "validation"


def latest_validation(site: str) -> Path:
    """Return the folder of the last validation that was written to its end."""
    return validation_folder(site) / LATEST_RUN
