"""The PCI bus: links of adapters and accelerators, access control, relaxed ordering, and what lies between two devices.

Sources: lspci(8), and pciutils' ls-caps.c for its words (``LnkCap``, ``LnkSta``, ``RlxdOrd``, ``ACSCtl``); PCI Express
Base Specification 6.0, 7.5.3 (link capabilities and status), 7.7.11 (ACS); ethtool(8), ``-i`` and ``-P``.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct

from rackproof.facts.fact import Answers, Fact, command_output
from rackproof.facts.hosts.shell_text import each_port_command, sections

FUNCTIONS: Final = "lspci -D -nn -vv | grep -E '^[0-9a-f]{4,8}:|LnkCap:|LnkSta:|ACSCtl:|RlxdOrd'"
PORTS: Final = each_port_command(
    'ethtool -i "$port"; ethtool -P "$port"; readlink -f "$path"; cat "${path%/device}/address" "$path/numa_node"'
)
GPU_PATHS: Final = "readlink -f /sys/bus/pci/drivers/nvidia/*:*:*.* /sys/bus/pci/drivers/amdgpu/*:*:*.*; true"
HEAD: Final = re.compile(
    r"^(?P<address>[0-9a-f:]+\.[0-7]) (?P<kind>.*) \[(?P<class>[0-9a-f]{4})\]: .*\[(?P<id>[0-9a-f]{4}:[0-9a-f]{4})\]"
)
LINK: Final = re.compile(r"Speed (?P<speed>[\d.]+)GT/s.*?Width x(?P<width>\d+)")
ADDRESS: Final = re.compile(r"[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]\Z")
MAC: Final = re.compile(r"([0-9a-f]{2}:){5}[0-9a-f]{2}")
NO_MAC: Final = "00:00:00:00:00:00"
"""Printed by ethtool where the driver does not know the permanent address."""
BRIDGE: Final = "0604"
KEPT: Final = ("02", "03", "12", "0108")
"""Classes that are read: network, display, accelerator, NVMe (pci.ids)."""
Distance = Literal["one PCIe switch", "one host bridge", "several host bridges"]
"""What data between two devices passes at the highest place, nearest first."""
NEAREST_FIRST: Final[tuple[Distance, ...]] = ("one PCIe switch", "one host bridge", "several host bridges")


class PciLink(Struct, frozen=True, gc=False):
    """A PCIe link as it was trained, or could be."""

    speed_gts: float
    """Of one lane, in GT/s."""
    width: int

    @property
    def gbps(self) -> float:
        """What it carries one way: 128b/130b from 8 GT/s on, 8b/10b below (PCI Express 6.0, 4.2)."""
        coded = 128 / 130 if self.speed_gts >= 8 else 0.8
        return self.speed_gts * self.width * coded

    def __str__(self) -> str:
        return f"{self.speed_gts:g} GT/s x{self.width}"


class Function(Struct, frozen=True, gc=False):
    """An adapter, accelerator or drive on the bus."""

    address: str
    kind: str
    device_id: str
    """PCI vendor and device: ``14e4:1760``."""
    able: PciLink | None
    """None: it has no PCIe link."""
    trained: PciLink | None
    relaxed_ordering: bool | None
    """None: it does not say."""


class Port(Struct, frozen=True, gc=False):
    """A network port with an adapter behind it."""

    name: str
    mac_address: str
    """Its own: a member of a bond answers to the bond's. Empty: it has none, as InfiniBand."""
    driver: str
    firmware: str
    """As its driver prints it; empty: it does not."""
    chain: tuple[str, ...]
    """PCI functions on the way to it: bridges first, its own last."""
    root: str
    """Host bridge: ``pci0000:15``."""
    numa_node: int | None

    @property
    def address(self) -> str:
        """Its PCI function; empty: it is on no PCI bus."""
        return self.chain[-1] if self.chain else ""


class Pci(Struct, frozen=True, gc=False):
    """A server's PCI bus."""

    functions: Mapping[str, Function]
    """By address."""
    ports: Mapping[str, Port]
    """By name."""
    gpus: Mapping[str, tuple[str, tuple[str, ...]]]
    """Address of an accelerator that has a driver to its host bridge and the functions on the way."""
    bridges: int
    """Bridges that have access control services."""
    controlled: tuple[str, ...]
    """Those of them that send requests between devices up to the processor."""

    def distance(self, port: Port, gpu: str) -> Distance | None:
        """Return what lies between a port and an accelerator; None: one of them is not on the bus."""
        found = self.gpus.get(gpu)
        if found is None or not port.chain:
            return None
        root, chain = found
        if root != port.root:
            return "several host bridges"
        # The first bridge below a host bridge is the processor's own port; a second one in common is a switch's.
        return "one PCIe switch" if len(_common(chain, port.chain)) > 1 else "one host bridge"


def parse_pci(answers: Answers) -> Pci:
    """Return the PCI bus.

    Raises
    ------
    FactError
        ``lspci`` did not answer.
    """
    bridges, functions, controlled = 0, {}, []
    for head, lines in _functions(command_output(answers, FUNCTIONS)):
        acs = next((line for line in lines if "ACSCtl:" in line), None)
        if head["class"] == BRIDGE and acs is not None:
            bridges += 1
            if re.search(r"(SrcValid|ReqRedir|CmpltRedir|UpstreamFwd)\+", acs):
                controlled.append(head["address"])
        if head["class"].startswith(KEPT):
            functions[head["address"]] = _function(head, lines)
    # The last port's status is that of the whole command, so it does not cover the others.
    ports = answers.get(PORTS)
    said = sections(ports.output if ports is not None else "")
    paths = [_path(line) for line in command_output(answers, GPU_PATHS).splitlines()]
    return Pci(
        functions=functions,
        ports={name: _port(name, text) for name, text in said.items()},
        gpus={chain[-1]: (root, chain) for root, chain in paths if chain},
        bridges=bridges,
        controlled=tuple(controlled),
    )


def _functions(text: str) -> Iterator[tuple[Mapping[str, str], Sequence[str]]]:
    """Yield the head of each function with the lines under it."""
    head: Mapping[str, str] | None = None
    lines: list[str] = []
    for line in text.splitlines():
        if line[:1].isspace():
            lines.append(line)
            continue
        if head is not None:
            yield head, lines
        found = HEAD.match(line)
        head, lines = (found.groupdict() if found else None), []
    if head is not None:
        yield head, lines


def _function(head: Mapping[str, str], lines: Sequence[str]) -> Function:
    text = "\n".join(lines)
    ordering = re.search(r"RlxdOrd([+-])", text)
    return Function(
        address=head["address"],
        kind=head["kind"],
        device_id=head["id"],
        able=_link(lines, "LnkCap:"),
        trained=_link(lines, "LnkSta:"),
        relaxed_ordering=None if ordering is None else ordering[1] == "+",
    )


def _link(lines: Sequence[str], word: str) -> PciLink | None:
    found = next((LINK.search(line) for line in lines if word in line), None)
    return None if found is None else PciLink(float(found["speed"]), int(found["width"]))


def _port(name: str, text: str) -> Port:
    words = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
    lines = [line.strip() for line in text.splitlines()]
    root, chain = next((_path(line) for line in lines if line.startswith("/sys/devices/")), ("", ()))
    node = next((int(line) for line in lines if re.fullmatch(r"-?\d+", line)), -1)
    own = [line for line in (words.get("Permanent address", ""), *lines) if MAC.fullmatch(line) and line != NO_MAC]
    return Port(
        name=name,
        mac_address=next(iter(own), ""),
        driver=words.get("driver", ""),
        firmware=words.get("firmware-version", "").strip(),
        chain=chain,
        root=root,
        numa_node=None if node < 0 else node,
    )


def _path(line: str) -> tuple[str, tuple[str, ...]]:
    """Return host bridge and PCI functions of a device's path in sysfs."""
    parts = line.split("/")
    root = next((part for part in parts if part.startswith("pci")), "")
    return root, tuple(part for part in parts if ADDRESS.match(part))


def _common(one: Sequence[str], other: Sequence[str]) -> list[str]:
    """Return what two ways begin with."""
    shared = []
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        shared.append(left)
    return shared


FACT: Final = Fact("pci", (FUNCTIONS, PORTS, GPU_PATHS), parse_pci)
