"""Writes access.yaml for the switches and hosts of a running lab, and the hosts' keys for ssh."""

import yaml12

from lab.daemon.messages import LabStatus
from lab.folder import LabFolder
from lab.switches.ssh_server import LOOPBACK
from rackproof.site.access import Access, CredentialReference, DeviceAccess


def write_access(folder: LabFolder, status: LabStatus) -> None:
    """Write how the devices of a lab are reached: loopback port, host key and the file of password or private key.

    Nodes of storage clusters are included: they are not deployed to, but the resilience checks restart them.
    """
    folder.known_hosts.write_text("".join(f"[{LOOPBACK}]:{host.port} {host.host_key}\n" for host in status.hosts))
    document = Access(devices=_devices(folder, status)).model_dump(mode="json", exclude_none=True)
    folder.access.write_text(yaml12.format_yaml(document), "utf-8")


def _devices(folder: LabFolder, status: LabStatus) -> dict[str, DeviceAccess]:
    password = CredentialReference(file=folder.password.name)
    devices = {
        switch.name: DeviceAccess(
            host=LOOPBACK, port=switch.port, user=switch.user, host_key=switch.host_key, password=password
        )
        for switch in status.switches
    }
    key = CredentialReference(file=folder.user_key.name)
    devices |= {
        host.name: DeviceAccess(host=LOOPBACK, port=host.port, user=host.user, host_key=host.host_key, private_key=key)
        for host in status.hosts
    }
    devices |= {
        one.name: DeviceAccess(
            host=LOOPBACK,
            port=one.port,
            user=one.user,
            password=password,
            certificates=one.certificate,
        )
        for one in status.controllers
    }
    return devices
