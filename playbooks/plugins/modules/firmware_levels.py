"""Compares the firmware of a host's adapters and GPUs with the expected versions; changes nothing."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ansible.module_utils.basic import AnsibleModule

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCUMENTATION = r"""
module: firmware_levels
short_description: Comparison of firmware with expected levels
description:
  - A level with C(vendor_id) and C(device_id) is read from every network adapter of that kind with C(ethtool -i).
  - C(gpu-vbios) is read with C(nvidia-smi). Others are looked up in O(inventory).
  - Fails with all levels that differ. Changes nothing.
options:
  levels:
    description: C(component), C(expected) (or its prefix), C(source), C(vendor_id), C(device_id).
    type: list
    elements: dict
    required: true
  inventory:
    description: Members of Redfish's FirmwareInventory (DSP0268, SoftwareInventory), with C(Name) and C(Version).
    type: list
    elements: dict
    default: []
author: Rackproof (@rackproof)
"""

EXAMPLES = r"""
- name: Compare firmware levels
  firmware_levels:
    levels: [{component: bluefield-firmware, expected: 32.44.1036, vendor_id: "15b3", device_id: a2dc}]
"""

RETURN = r"""
checked:
  description: Components that have the expected version.
  type: list
  returned: always
not_checked:
  description: Components that the host does not have, or that cannot be read.
  type: list
  returned: always
"""

NET = Path("/sys/class/net")
GPU = "gpu-vbios"


def command_output(*command: str) -> str:
    """Return the output of a command; empty if it is missing or fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout  # noqa: S603 no shell
    except FileNotFoundError:
        return ""


def adapters(vendor_id: str, device_id: str) -> Iterator[str]:
    """Yield the network devices with these PCI IDs."""
    for device in sorted(NET.iterdir()):
        identity = [device / "device" / name for name in ("vendor", "device")]
        if all(path.is_file() for path in identity):
            found = [path.read_text(encoding="ascii").strip().lower() for path in identity]
            if found == [f"0x{vendor_id.lower()}", f"0x{device_id.lower()}"]:
                yield device.name


def firmware_version(device: str) -> str:
    """Return the firmware version that the driver of a network device reports (ethtool(8): -i)."""
    lines = (line.partition(": ") for line in command_output("ethtool", "-i", device).splitlines())
    return next((value.strip() for key, _, value in lines if key == "firmware-version"), "")


def gpus() -> Iterator[tuple[str, str]]:
    """Yield every GPU with its VBIOS version."""
    text = command_output("nvidia-smi", "--query-gpu=index,vbios_version", "--format=csv,noheader")
    for line in text.splitlines():
        index, _, version = line.partition(",")
        yield f"GPU {index.strip()}", version.strip()


def actual(level: dict[str, Any], inventory: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Yield the components of this host that a level applies to, with their version."""
    if level.get("vendor_id") and level.get("device_id"):
        yield from ((name, firmware_version(name)) for name in adapters(level["vendor_id"], level["device_id"]))
    elif level["component"] == GPU:
        yield from gpus()
    else:
        wanted = level["component"].lower()
        found = [each for each in inventory if str(each.get("Name", "")).lower().startswith(wanted)]
        # Dell lists the installed version, and the previous one for a rollback.
        current = [each for each in found if not str(each.get("Id", "")).startswith("Previous")]
        yield from ((str(each["Name"]), str(each.get("Version", ""))) for each in current)


def is_as_expected(version: str, expected: str) -> bool:
    """Whether a version is the expected one; drivers add text, such as the package version in brackets."""
    return any(word.strip("(),").split("/pkg")[-1].strip().startswith(expected) for word in version.split())


def main() -> None:
    """Compare all levels and report each."""
    module = AnsibleModule(
        argument_spec={
            "levels": {"type": "list", "elements": "dict", "required": True},
            "inventory": {"type": "list", "elements": "dict", "default": []},
        },
        supports_check_mode=True,
    )
    checked, wrong, missing = [], [], []
    for level in module.params["levels"]:
        found = list(actual(level, module.params["inventory"]))
        if not found:
            missing.append(level["component"])
        for name, version in found:
            about = f"{level['component']} of {name}"
            if is_as_expected(version, level["expected"]):
                checked.append(f"{about}: {version}")
            else:
                source = f" ({level['source']})" if level.get("source") else ""
                wrong.append(f"{about}: expected {level['expected']}{source}, actual {version or 'not reported'}")
    if missing:
        module.warn(f"firmware not checked, because this host does not report it: {', '.join(missing)}")
    if wrong:
        module.fail_json(msg="firmware differs: " + "; ".join(wrong), checked=checked, not_checked=missing)
    module.exit_json(changed=False, checked=checked, not_checked=missing)


if __name__ == "__main__":
    main()
