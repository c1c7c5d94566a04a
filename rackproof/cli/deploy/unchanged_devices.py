"""The fast path of `rackproof diff`: live configurations compared with the hashes of those verified before."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from rackproof.cli.output import Output
from rackproof.connect.access import access_file, load_access, site_in_use
from rackproof.connect.errors import DeviceError
from rackproof.connect.ssh import Target
from rackproof.deploy.switch.driver import find_driver
from rackproof.deploy.switch.read import read_switch
from rackproof.deploy.switch.unchanged_cache import Verified, VerifiedDevice, digest, recall


def unchanged_devices(
    site: str, access: Path | None, only: Sequence[str], output: Output
) -> Mapping[str, Sequence[str]]:
    """Return the chosen devices, with what is left alone on them, if each runs its verified configuration.

    Otherwise nothing is returned, and a full comparison follows.

    Raises
    ------
    BadInputError
        There is no such site, or access.yaml is missing or wrong.
    """
    verified = recall(site_in_use(site, access))
    chosen = {} if verified is None else chosen_devices(verified, only)
    if verified is None or not chosen:
        return {}
    loaded = load_access(access_file(verified.site, access))
    if not only and loaded.access.devices.keys() - verified.devices.keys():
        return {}  # hosts are compared with the plan
    targets = [(loaded.target(name), device) for name, device in chosen.items()]
    with output.progress(f"reading {len(targets)} devices"):
        same = asyncio.run(all_unchanged(targets))
    if not same:
        return {}
    output.problems(verified.warnings)
    return {name: device.left_alone for name, device in chosen.items()}


def chosen_devices(verified: Verified, only: Sequence[str]) -> dict[str, VerifiedDevice]:
    """Return the chosen devices with their verified configuration; nothing if one of them was not verified."""
    known = {*verified.devices, *(device.fabric for device in verified.devices.values())}
    if not verified.complete or not set(only) <= known:
        return {}
    return {
        name: device for name, device in verified.devices.items() if not only or name in only or device.fabric in only
    }


async def all_unchanged(targets: Sequence[tuple[Target, VerifiedDevice]]) -> bool:
    """Return whether every device answers with its verified configuration, and nothing on it is unfinished."""

    async def one(target: Target, device: VerifiedDevice) -> bool:
        try:
            state = await read_switch(target, find_driver(device.nos), lambda _running: True)
        except DeviceError:
            return False
        return not state.unfinished and digest(state.running) == device.running_sha256

    return all(await asyncio.gather(*(one(target, device) for target, device in targets)))
