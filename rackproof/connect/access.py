"""Access: finds and reads the access.yaml of a site, and records host keys in it."""

from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from rackproof import paths
from rackproof.connect.credentials import Credential, resolve_credential
from rackproof.connect.ssh import Target
from rackproof.errors import BadInputError
from rackproof.files import write_whole
from rackproof.site.access import CONTROLLER, SCHEMA, Access, DeviceAccess
from rackproof.site.load import find_site, load_site
from rackproof.site.model_file import GENERATED_MAX, load_generated
from rackproof.site.text_file import AbsentFileError, read_text

FILE_NAME = "access.yaml"


@dataclass(frozen=True, slots=True)
class LoadedAccess:
    """An access.yaml and its path."""

    access: Access
    path: Path

    def target(self, device: str, secrets: Mapping[str, str] | None = None) -> Target:
        """Return the target of a device; its credential is resolved when a connection is opened.

        Parameters
        ----------
        device
            Its name.
        secrets
            Pulumi secrets by key; None outside Pulumi.

        Raises
        ------
        BadInputError
            The file does not name the device.
        """
        if device not in self.access.devices:
            hint = f"add it under devices: in {self.path}"
            raise BadInputError(f"{self.path} does not say how to reach {device}", hint)
        return self._reached(device, self.access.devices[device], secrets)

    def controller(self, server: str, secrets: Mapping[str, str] | None = None) -> Target | None:
        """Return the target of a server's management controller; None: access.yaml has none. See `target`."""
        entry = self.access.controller(server)
        if entry is None:
            return None
        if entry.certificates is not None:
            file = self.path.parent.absolute() / Path(entry.certificates).expanduser()
            entry = entry.model_copy(update={"certificates": str(file)})
        return self._reached(f"{server}{CONTROLLER}", entry, secrets)

    def _reached(self, device: str, entry: DeviceAccess, secrets: Mapping[str, str] | None) -> Target:
        def credential() -> Credential:
            return resolve_credential(device, entry, self.path.parent, secrets)

        return Target(device, entry, credential)


def access_file(site: str, given: Path | None = None) -> Path:
    """Return the access.yaml to use: the given one, else that of a running lab, else the inventory's."""
    lab = paths.lab_folder(site) / FILE_NAME
    if given is not None:
        return given
    return lab if lab.is_file() else paths.INVENTORY / site / FILE_NAME


def site_in_use(site: str, given: Path | None = None) -> Path:
    """Return the site file of the devices in use: that of a scaled-down lab, else the one asked for.

    Parameters
    ----------
    site
        Name of a site in ``inventory/``, or the path of a site file.
    given
        The access.yaml that was asked for.

    Raises
    ------
    BadInputError
        There is no such site.
    SiteErrors
        The file cannot be read.
    """
    path = find_site(site)
    name = site if path == paths.site_file(site) else load_site(path).site.site
    scaled = paths.lab_site_file(name)
    of_lab = access_file(name, given).resolve() == (paths.lab_folder(name) / FILE_NAME).resolve()
    return scaled if of_lab and scaled.is_file() else path


def load_access(path: Path) -> LoadedAccess:
    """Read an access.yaml; messages repeat no value of it, because a secret may have been typed instead of a reference.

    Raises
    ------
    BadInputError
        There is none, or it is no text.
    SiteErrors
        Everything that is wrong with it, with places.
    """
    try:
        return LoadedAccess(load_generated(path, SCHEMA, Access), path)
    except AbsentFileError as error:
        hint = "`rackproof lab up <site>` writes one for a lab; for a real site, see docs/how-to/deploy.md"
        raise BadInputError(f"there is no {path}, which says how devices are reached", hint) from error


def record_host_key(loaded: LoadedAccess, device: str, host_key: str) -> LoadedAccess:
    """Write a device's host key into access.yaml; comments and order stay, and the file changes as a whole or not.

    Returns
    -------
    LoadedAccess
        The file as it is now.
    """
    from ruamel.yaml import YAML  # noqa: PLC0415 slow to import, and only `trust` writes

    editor = YAML()
    editor.preserve_quotes = True
    document = editor.load(read_text(loaded.path, GENERATED_MAX.size_max_bytes))
    devices = document["devices"]
    if any(entry is devices[device] for name, entry in devices.items() if name != device):
        devices[device] = devices[device].copy()  # an alias: the others keep their own key
    devices[device]["host_key"] = host_key
    text = BytesIO()
    editor.dump(document, text)
    write_whole(loaded.path, [text.getvalue()])
    entry = loaded.access.devices[device].model_copy(update={"host_key": host_key})
    return LoadedAccess(replaced(loaded.access, device, entry), loaded.path)


def replaced(access: Access, device: str, entry: DeviceAccess) -> Access:
    """Return ``access`` with another entry for one device."""
    return Access(devices={**access.devices, device: entry})
