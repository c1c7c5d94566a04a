"""The machine and its QoS."""

from typing import Any

from lab.switches.nos.cumulus.system import Cumulus
from lab.switches.nos.cumulus.tree import at, value


def system_(system: Cumulus) -> dict[str, Any]:
    """Name, build, how long it has been up."""
    seconds = int(system.switch.clock.now() - system.switch.booted_at)
    return {
        "hostname": system.host_name,
        "build": f"Cumulus Linux {system.version}",
        "product-name": "Cumulus Linux",
        "product-release": system.spec.software or system.version,
        "platform": system.spec.product,
        "timezone": value(system.applied, "system", "timezone") or "Etc/UTC",
        "uptime": f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}",
    }


def version(system: Cumulus) -> dict[str, Any]:
    """Release."""
    return {
        "product-release": system.spec.software or system.version,
        "kernel": "6.1.0-cl-1-amd64",
        "base-os": "Debian GNU/Linux 12",
    }


def platform(system: Cumulus) -> dict[str, Any]:
    """Hardware."""
    spec = system.spec
    return {
        "system-mac": spec.management_mac,
        "manufacturer": "NVIDIA",
        "product-name": spec.product,
        "asic-model": spec.asic,
        "serial-number": spec.serial_number,
    }


def roce(system: Cumulus) -> dict[str, Any]:
    """RoCE: what ``qos roce`` sets up (RDMA-over-Converged-Ethernet-RoCE, Verify RoCE Configuration)."""
    block = at(system.applied, "qos", "roce")
    if not block:
        return {"enable": "off"}
    lossless = value(block, "mode") != "lossy"
    found: dict[str, Any] = {
        "enable": "on",
        "mode": value(block, "mode") or "lossless",
        "congestion-control": {
            "congestion-mode": "ECN",
            "enabled-tc": "0,3",
            "max-threshold": "1.43 MB",
            "min-threshold": "146.48 KB",
            "probability": 100,
        },
        "lldp-app-tlv": {"priority": 3, "protocol-id": 4791, "selector": "UDP"},
        "trust": {"trust-mode": "pcp,dscp"},
    }
    if lossless:
        found["pfc"] = {"pfc-priority": 3, "rx-enabled": "enabled", "tx-enabled": "enabled", "cable-length": 100}
    return found


SHOWS = (
    ("system", system_, None),
    ("system version", version, None),
    ("platform", platform, None),
    ("qos roce", roce, None),
)
