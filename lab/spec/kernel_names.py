"""Names in the kernel: interfaces of at most 15 characters without a slash, namespaces with the lab's ID."""

from hashlib import sha256

PREFIX = "rp-"
"""Prefix of every namespace of a lab, which Kubernetes and others do not use."""
LONGEST = 15
"""IFNAMSIZ less its final zero byte (linux/if.h)."""


def namespace_name(lab_id: str, switch: str) -> str:
    """Return the name of a switch's network namespace."""
    return f"{PREFIX}{lab_id}-{switch}"


def kernel_name(port: str) -> str:
    """Return the kernel's name of a port: Eth1/1/1 is Eth1-1-1, swp1s0 stays; a longer one is cut and numbered."""
    name = port.replace("/", "-").replace(" ", "")
    if len(name) <= LONGEST:
        return name
    return f"{name[: LONGEST - 5]}-{sha256(port.encode()).hexdigest()[:4]}"


def bridge_name(vlan: int) -> str:
    """Return the name of the bridge for a VLAN of a switch."""
    return f"vlan{vlan}"


def tunnel_name(vni: int) -> str:
    """Return the name of a VNI's VXLAN interface; the longest, vxlan16777215, has 13 characters."""
    return f"vxlan{vni}"
