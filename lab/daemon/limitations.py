"""What a lab simulates: listed in its status and marked in every report."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from lab.daemon.running_lab import RunningLab
from lab.switches.forwarding import Forwarding


@dataclass(frozen=True, slots=True)
class Limitation:
    """Something that the lab computes instead of carrying it out with packets, and the reason."""

    what: str
    why: str
    devices: tuple[str, ...] = ()
    """The devices concerned; empty: all."""
    facts: tuple[str, ...] = ()
    """The facts that rest on it, by their names in validation: subjects of switches, facts of hosts."""


_Reason = tuple[str, str, tuple[str, ...]]
"""What, why, and the facts that rest on it."""

_NO_FABRIC = Limitation(
    "links, neighbours, sessions, counters",
    "the lab runs without a fabric: no packet is sent",
    facts=("ports", "neighbours", "macs", "sessions", "vrf-sessions", "vnis", "segments", "routes", "traffic"),
)
_ALWAYS = (
    Limitation(
        "PFC, pause frames, buffers, headroom, PFC watchdog",
        "a kernel port has no priorities of its own",
        facts=("pauses", "buffers"),
    ),
    Limitation(
        "speed, lanes, FEC, transceivers",
        "a virtual wire has none; a link stays down where its ends differ",
        facts=("links", "optics"),
    ),
    Limitation(
        "version, platform and configuration of switches",
        "fake switches written from the manuals of their operating systems answer",
        facts=("identity", "running", "roce"),
    ),
)
_MACHINES = Limitation(
    "PCIe, slots, serial numbers and memory of hosts", "they are virtual machines", facts=("pci", "system")
)
_CONTROLLERS = Limitation(
    "BIOS settings and iDRACs of hosts",
    "fake iDRAC 9 controllers written from Dell's guide answer: their settings reach no BIOS",
    facts=("bios_settings", "controller"),
)
_STORAGE: Final = (
    "OneFS, SmartConnect, moving of addresses, the network between storage nodes",
    "a Linux NFS server answers instead: NFS 4.1 over RDMA and TCP is real, at the addresses that the plan has",
)


def limitations(lab: RunningLab) -> tuple[Limitation, ...]:
    """Return what a lab simulates with its present configuration."""
    controllers = (_CONTROLLERS,) if lab.controllers.by_server else ()
    if lab.fabric is None:
        return (_NO_FABRIC, *_ALWAYS, *controllers)
    nodes = tuple(name for name, host in lab.hosts.items() if host.spec.kind == "storage")
    hosts = (_MACHINES,) if lab.hosts else ()
    storage = (Limitation(*_STORAGE, nodes),) if nodes else ()
    reasons: dict[_Reason, list[str]] = {}
    for name in lab.switches:
        state = lab.fabric.forwarding(name)
        for reason in () if state is None else _not_carried(state):
            reasons.setdefault(reason, []).append(name)
    found = (Limitation(what, why, tuple(names), facts) for (what, why, facts), names in reasons.items())
    return (*_ALWAYS, *hosts, *controllers, *storage, *found)


def _not_carried(state: Forwarding) -> Iterator[_Reason]:
    """Yield what the kernel does not carry out of a switch's configuration, why, and the facts that rest on it."""
    if any(port.tagged_vlans for port in state.ports.values()):
        yield "tagged VLANs", "this kernel has no 802.1Q devices: packets without a tag are carried", ()
    if any(port.group for port in state.ports.values()):
        yield "LACP", "this kernel has no bonding: members of a port channel are single ports, one towards a switch", ()
    if state.other_vrfs:
        vrfs = ", ".join(sorted(state.other_vrfs))
        yield f"VRF {vrfs}", "this kernel has no VRF: its subnets have no gateway here", ("vrf-sessions",)
    networks = () if state.overlay is None else state.overlay.networks
    if any(network.vlan is None for network in networks):
        why = "this kernel has no VRF: VLANs are extended over VXLAN, and nothing is routed between them"
        yield "VNIs of VRFs", why, ("vnis",)
    if state.overlay is not None and state.overlay.segments:
        why = "this kernel has no bonding: a host uses one port of its bond, and another when that one is lost"
        yield "EVPN multihoming", why, ("segments",)
    if any(vlan.anycast for vlan in state.vlans):
        yield "anycast MAC addresses", "the gateway's address is real, its MAC is each switch's own", ()
    if state.bfd:
        yield "BFD", "sessions end with their link or after 9 s without a message", ()
