"""Writes access.yaml for the switches of a running lab."""

import yaml12

from lab.folder import LabFolder
from lab.messages import LabStatus
from lab.ssh import LOOPBACK
from rackproof.site.access import Access, CredentialReference, DeviceAccess


def write_access(folder: LabFolder, status: LabStatus) -> None:
    """Write how the switches of a lab are reached: loopback port, host key and where the password lies."""
    password = CredentialReference(file=folder.password.name)
    devices = {
        switch.name: DeviceAccess(
            host=LOOPBACK, port=switch.port, user=switch.user, host_key=switch.host_key, password=password
        )
        for switch in status.switches
    }
    document = Access(devices=devices).model_dump(mode="json", exclude_none=True)
    folder.access.write_text(yaml12.format_yaml(document), "utf-8")
