"""A site of many switches for the benchmarks: pods of one server, each with a switch for every fabric."""

from __future__ import annotations

from itertools import chain
from typing import Final

SWITCHES_PER_POD: Final = 3
SITE_NAME: Final = "benchmark"
FIRST_VLANS: Final = {"backend": 100, "frontend": 2000, "oob": 3000}
FABRICS: Final = {"backend": "be", "frontend": "fe", "oob": "oob"}
"""Role to the beginning of a fabric's name: bonds of servers are named after it, and Linux allows 15 characters."""
FIRST_ASN: Final = 4_200_000_000
HEAD: Final = f"""\
site: {SITE_NAME}
release: metrum-2025
"""
RACK: Final = "  - {{name: r{pod}, model: apc-ar3350, pdus: {{model: apc-apdu10450sw, count: 4}}}}"
SERVERS: Final = """\
  - group: pod{pod}
    model: dell-xe9680-h200
    nics: {{be-{pod}: broadcom-bcm57608-2x200g, fe-{pod}: broadcom-bcm57414-2x25g}}
    count: 1
    rack: r{pod}"""
FABRIC: Final = """\
  {name}-{pod}:
    {{role: {role}, topology: single-switch, switch: {switch}, nos: enterprise-sonic, rack: r{pod}{roce},
     prefix: {prefix}, first_vlan: {vlan}, first_asn: {asn}}}"""


def site_text(pods: int) -> str:
    """Return a site file with three switches a pod: one for each fabric."""
    numbers = range(1, pods + 1)
    sections = {
        "racks": [RACK.format(pod=pod) for pod in numbers],
        "servers": [SERVERS.format(pod=pod) for pod in numbers],
        "fabrics": list(chain.from_iterable(map(pod_fabrics, numbers))),
    }
    return HEAD + "".join(f"{name}:\n" + "\n".join(lines) + "\n" for name, lines in sections.items())


def pod_fabrics(pod: int) -> tuple[str, ...]:
    """Return the three fabrics of a pod; no VLAN, ASN or prefix is used twice."""
    return (
        fabric(pod, "backend", "dell-z9864f-on", f"10.{pod}.0.0/16", vlans=16),
        fabric(pod, "frontend", "dell-s5232f-on", f"172.16.{pod}.0/24"),
        fabric(pod, "oob", "dell-s3248t-on", f"172.17.{pod}.0/24"),
    )


def fabric(pod: int, role: str, switch: str, prefix: str, vlans: int = 1) -> str:
    """Return one fabric; a backend carries RoCE."""
    return FABRIC.format(
        name=FABRICS[role],
        pod=pod,
        role=role,
        switch=switch,
        prefix=prefix,
        roce=", roce: {}" if role == "backend" else "",
        vlan=FIRST_VLANS[role] + vlans * (pod - 1),
        asn=FIRST_ASN + SWITCHES_PER_POD * pod + tuple(FIRST_VLANS).index(role),
    )
