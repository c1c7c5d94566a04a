"""A plan as documents read it: with the catalogue, and indexed once."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rackproof.hardware.load import Catalogue
    from rackproof.plan.model.plan import Link, LinkEnd, LoadRow, PduPlan, Plan, Position, UplinkPlan

DeviceKind = Literal["server", "storage", "switch", "PDU"]


class File(NamedTuple):
    """A document: where it lies in the folder of documents, and what is in it."""

    path: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Device:
    """A device, whatever it is."""

    name: str
    kind: DeviceKind
    group: str
    """Group of a server, cluster of a storage node, fabric of a switch, feed of a PDU."""
    model: str
    """Catalogue model."""
    title: str
    """What the maker calls the model."""
    rack: str
    position: Position | None
    """None: it hangs beside the units (a vertical PDU)."""
    address: str | None
    """Where it is managed, with prefix length; None: nowhere."""

    @property
    def place(self) -> str:
        """Rack and lowest unit; the rack alone where it takes no unit."""
        return str(self.position) if self.position else self.rack


@dataclass(frozen=True)
class Record:
    """A plan, its catalogue, and what documents look up in them."""

    plan: Plan
    catalogue: Catalogue

    @cached_property
    def devices(self) -> Mapping[str, Device]:
        """Every device by name: switches, servers, storage nodes, PDUs."""
        found = (*self._switches(), *self._servers(), *self._storage(), *self._pdus())
        return {device.name: device for device in found}

    @cached_property
    def racked(self) -> Mapping[str, tuple[Device, ...]]:
        """Rack to the devices in its units, the highest first."""
        rows: dict[str, list[tuple[int, Device]]] = {rack: [] for rack in self.plan.racks}
        for device in self.devices.values():
            if device.position:
                rows[device.rack].append((device.position.unit, device))
        return {
            rack: tuple(device for _, device in sorted(row, key=lambda pair: -pair[0])) for rack, row in rows.items()
        }

    @cached_property
    def rack_pdus(self) -> Mapping[str, tuple[PduPlan, ...]]:
        """Rack to its PDUs, in order."""
        rows: dict[str, list[PduPlan]] = {rack: [] for rack in self.plan.racks}
        for pdu in self.plan.pdus.values():
            rows[pdu.rack].append(pdu)
        return {rack: tuple(sorted(row, key=lambda pdu: pdu.index)) for rack, row in rows.items()}

    @cached_property
    def outlets_used(self) -> Mapping[str, int]:
        """PDU to the number of cords in it; 0 where there is none."""
        return Counter(cord.pdu for cord in self.plan.cords)

    @cached_property
    def loads(self) -> Mapping[str, tuple[LoadRow, ...]]:
        """PDU to the rows of the power report."""
        rows: dict[str, list[LoadRow]] = {}
        for row in self.plan.power:
            rows.setdefault(row.pdu, []).append(row)
        return {pdu: tuple(found) for pdu, found in rows.items()}

    @cached_property
    def assembly_links(self) -> Mapping[str, tuple[Link, ...]]:
        """Assembly to its links, leg by leg."""
        rows: dict[str, list[Link]] = {}
        for link in self.plan.links:
            rows.setdefault(link.assembly, []).append(link)
        return {assembly: tuple(sorted(row, key=lambda link: link.leg)) for assembly, row in rows.items()}

    @cached_property
    def fabric_links(self) -> Mapping[str, tuple[Link, ...]]:
        """Fabric to its links."""
        rows: dict[str, list[Link]] = {name: [] for name in self.plan.fabrics}
        for link in self.plan.links:
            rows[link.fabric].append(link)
        return {fabric: tuple(row) for fabric, row in rows.items()}

    @cached_property
    def fabric_uplinks(self) -> Mapping[str, tuple[UplinkPlan, ...]]:
        """Fabric to the ports that networks outside are plugged into."""
        rows: dict[str, list[UplinkPlan]] = {name: [] for name in self.plan.fabrics}
        for uplink in self.plan.uplinks:
            rows[uplink.fabric].append(uplink)
        return {fabric: tuple(row) for fabric, row in rows.items()}

    @cached_property
    def rail_links(self) -> Mapping[str, Mapping[int, tuple[Link, ...]]]:
        """Fabric to rail to the links of its ports."""
        rows: dict[str, dict[int, list[Link]]] = {}
        for link in self.plan.links:
            server = self.plan.servers.get(link.b.device)
            port = server.ports.get(link.b.port) if server else None
            if port and port.rail is not None:
                rows.setdefault(link.fabric, {}).setdefault(port.rail, []).append(link)
        return {fabric: {rail: tuple(row) for rail, row in found.items()} for fabric, found in rows.items()}

    @cached_property
    def peers(self) -> Mapping[tuple[str, str], LinkEnd]:
        """(device, port) to the other end of what is plugged into it."""
        ends = {(link.a.device, link.a.port): link.b for link in self.plan.links}
        return ends | {(link.b.device, link.b.port): link.a for link in self.plan.links}

    @cached_property
    def cabled_fabrics(self) -> tuple[str, ...]:
        """Fabrics that have switches: a hosted site's have none of ours."""
        return tuple(name for name, fabric in self.plan.fabrics.items() if fabric.switches)

    def place(self, device: str) -> str:
        """Return where a device stands; empty where the plan does not say."""
        return self.devices[device].place if device in self.devices else ""

    def _switches(self) -> Iterator[Device]:
        for name, switch in self.plan.switches.items():
            title = self.catalogue.switch(switch.model).name
            address = switch.intent.management.address if switch.intent else None
            yield Device(
                name, "switch", switch.fabric, switch.model, title, switch.position.rack, switch.position, address
            )

    def _servers(self) -> Iterator[Device]:
        for name, server in self.plan.servers.items():
            title, bmc = self.catalogue.server(server.model).name, server.ports.get("bmc")
            address = bmc.address if bmc else None
            place = server.position
            rack = place.rack if place else ""
            yield Device(name, "server", server.group, server.model, title, rack, place, address)

    def _storage(self) -> Iterator[Device]:
        for cluster in self.plan.storage.values():
            title = self.catalogue.storage(cluster.model).name
            for name, node in cluster.nodes.items():
                bmc = node.ports.get("bmc")
                place = node.position
                address = bmc.address if bmc else None
                rack = place.rack if place else ""
                yield Device(name, "storage", node.group, node.model, title, rack, place, address)

    def _pdus(self) -> Iterator[Device]:
        for name, pdu in self.plan.pdus.items():
            yield Device(
                name, "PDU", pdu.feed, pdu.model, self.catalogue.pdu(pdu.model).name, pdu.rack, None, pdu.address
            )
