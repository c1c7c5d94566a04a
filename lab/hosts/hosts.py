"""All hosts of a running lab, and the file that describes them to the daemon."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

import asyncssh
from pydantic import TypeAdapter

from lab.errors import LabError
from lab.folder import LabFolder
from lab.hosts.image import Image, Report
from lab.hosts.machine import HostSpec
from lab.hosts.virtual_machine import VirtualMachine, Wires


@dataclass(frozen=True, slots=True)
class LabHosts:
    """The hosts of a lab and the disk that they start from."""

    image: Path
    """Folder of the disk image in the cache."""
    hosts: tuple[HostSpec, ...]


def write_hosts(folder: LabFolder, image: Image, hosts: tuple[HostSpec, ...]) -> None:
    """Write the description of the hosts for the daemon, and the key that logs in to them."""
    key = asyncssh.generate_private_key("ssh-ed25519")
    folder.user_key.touch(mode=0o600)
    key.write_private_key(folder.user_key)
    folder.hosts_description.write_bytes(TypeAdapter(LabHosts).dump_json(LabHosts(image.folder, hosts)))


def read_hosts(folder: LabFolder) -> LabHosts | None:
    """Return the hosts of a lab, or None for a lab without virtual machines."""
    try:
        return TypeAdapter(LabHosts).validate_json(folder.hosts_description.read_bytes())
    except FileNotFoundError:
        return None


def virtual_machines(hosts: LabHosts, folder: LabFolder, wires: Wires) -> dict[str, VirtualMachine]:
    """Return the virtual machines of a lab by name, powered off."""
    image = Image(hosts.image)
    return {
        spec.name: VirtualMachine(spec, folder.host(spec.name), image, wires, folder.user_key.resolve())
        for spec in hosts.hosts
    }


async def start_all(machines: dict[str, VirtualMachine], report: Report) -> None:
    """Start hosts at the same time.

    Raises
    ------
    LabError
        One did not start; the others are powered off.
    """
    found = await asyncio.gather(*(machine.start(report) for machine in machines.values()), return_exceptions=True)
    failed = [one for one in found if isinstance(one, BaseException)]
    if failed:
        await stop_all(machines)
        raise failed[0] if len(failed) == 1 else LabError("; ".join(str(one) for one in failed))


async def stop_all(machines: dict[str, VirtualMachine]) -> None:
    """Cut the power of all hosts."""
    await asyncio.gather(*(machine.off() for machine in machines.values()))
