"""Plan and render a fabric with Arista's pyavd, timed; run by benchmarks/pyavd.py in an environment of its own.

usage: python -P benchmarks/pyavd_fabric.py FABRIC THRESHOLD THRESHOLD THRESHOLD

FABRIC is JSON: for each switch its tier and number, how many hosts it serves, and its links upwards, each with the own
interface, the peer and the peer's interface. The thresholds are those of the garbage collector (`gc.set_threshold`).
Prints one line of JSON. The design is l3ls-evpn: eBGP underlay, EVPN overlay, a VLAN for the hosts. A switch is given
its own node and its own hosts only, where an inventory gives every switch all of them: less to read for pyavd than in
use.
"""

from __future__ import annotations

import gc
import importlib
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any, Final

TIERS: Final = {"leaf": "l3leaf", "spine": "spine", "super-spine": "super-spine", "access": "l2leaf"}
FIRST_ASN: Final = {"leaf": 4_210_000_000, "spine": 4_220_000_000, "super-spine": 4_230_000_000}
NETWORK: Final = {"leaf": 1, "spine": 2, "super-spine": 3, "access": 4}
VLAN: Final = 100


def inputs(fabric: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the design's input for every switch."""
    widest = {tier: _widest(fabric, tier) for tier in TIERS}
    return {name: _device(name, switch, widest[switch["tier"]]) for name, switch in fabric.items()}


def _widest(fabric: dict[str, Any], tier: str) -> tuple[int, int]:
    """Return how many peers above a switch of a tier has at most, and how many links to one of them."""
    peers = [[link[1] for link in switch["up"]] for switch in fabric.values() if switch["tier"] == tier]
    links = [max(Counter(above).values(), default=0) for above in peers]
    return max((len(set(above)) for above in peers), default=0), max(links, default=0)


def _device(name: str, switch: dict[str, Any], widest: tuple[int, int]) -> dict[str, Any]:
    """Return the design's input for one switch."""
    kind = TIERS[switch["tier"]]
    node, defaults = _node(name, switch), _defaults(switch, widest)
    return {
        "fabric_name": "benchmark",
        "type": kind,
        kind.replace("-", "_"): {"defaults": defaults, "nodes": [node]},
        "tenants": [{"name": "hosts", "mac_vrf_vni_base": 10000, "l2vlans": [{"id": VLAN, "name": "hosts"}]}],
        "servers": [_server(name, number) for number in range(1, switch["hosts"] + 1)],
    }


def _node(name: str, switch: dict[str, Any]) -> dict[str, Any]:
    """Return a switch's own values."""
    tier, number = switch["tier"], switch["number"]
    node: dict[str, Any] = {"name": name, "id": number, "mgmt_ip": f"172.16.0.{number % 250 + 1}/12"}
    if tier in FIRST_ASN:
        node["bgp_as"] = str(FIRST_ASN[tier] + number)
    if switch["up"]:
        interfaces, peers, theirs = zip(*switch["up"], strict=True)
        node |= {"uplink_interfaces": interfaces, "uplink_switches": peers, "uplink_switch_interfaces": theirs}
    return node


def _defaults(switch: dict[str, Any], widest: tuple[int, int]) -> dict[str, Any]:
    """Return what all switches of a tier share."""
    tier, network = switch["tier"], NETWORK[switch["tier"]]
    defaults: dict[str, Any] = {"platform": "vEOS-lab", "spanning_tree_mode": "mstp"}
    if tier in FIRST_ASN:
        defaults["loopback_ipv4_pool"] = f"10.{network}.0.0/16"
    if tier == "leaf":
        defaults |= {"vtep_loopback_ipv4_pool": "10.5.0.0/16", "mlag": False}
    if switch["up"]:
        defaults |= {"max_uplink_switches": widest[0], "max_parallel_uplinks": widest[1]}
        defaults["uplink_ipv4_pool"] = f"10.{64 * network}.0.0/10"
    return defaults


def _server(switch: str, number: int) -> dict[str, Any]:
    """Return one host of a switch."""
    adapter = {"switches": [switch], "switch_ports": [f"Ethernet{number}"], "vlans": str(VLAN), "mode": "access"}
    return {"name": f"{switch}-host{number}", "adapters": [adapter | {"endpoint_ports": ["port"]}]}


def measure(designs: dict[str, dict[str, Any]]) -> dict[str, float]:
    """Return the processor time of each step for all switches, in seconds, and the size of the configurations."""
    pyavd, schemas = importlib.import_module("pyavd"), importlib.import_module("pyavd.api.schemas")
    laps = [time.process_time()]
    loaded = {name: schemas.AVDDesign._from_dict(design) for name, design in designs.items()}  # noqa: SLF001 once, not in each step
    facts = pyavd.get_avd_facts(loaded)
    laps.append(time.process_time())
    size = 0
    structured_s = 0.0
    for name, design in loaded.items():
        start = time.process_time()
        structured = pyavd.get_device_structured_config(name, design, facts)
        structured_s += time.process_time() - start
        size += len(pyavd.get_device_config(structured))
    laps.append(time.process_time())
    return {
        "facts_s": laps[1] - laps[0],
        "structured_s": structured_s,
        "config_s": laps[2] - laps[1] - structured_s,
        "total_s": laps[2] - laps[0],
        "config_bytes": size,
    }


def main() -> None:
    """Measure and print, after a fabric of one switch that imports everything."""
    gc.set_threshold(*map(int, sys.argv[2:5]))
    fabric = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    measure(inputs({"leaf": {"tier": "leaf", "number": 1, "hosts": 1, "up": []}}))
    print(json.dumps(measure(inputs(fabric))))


if __name__ == "__main__":
    main()
