"""Compares discovered servers with the plan and with the as-built record: contradictions, and what may be recorded."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rackproof.facts.hosts.ports import FoundPort, FoundServer
from rackproof.hardware.load import Catalogue
from rackproof.hardware.models import NicModel
from rackproof.plan.hosts.ports import data_ports
from rackproof.plan.model.plan import HostPort, Plan, ServerPlan
from rackproof.site.as_built import VIRTIO, AsBuiltPort, AsBuiltServer

COMPARED: Final = {
    "slot": "slot",
    "pci_address": "PCI address",
    "mac_address": "MAC address",
    "device_id": "PCI device",
}
"""Fields of a port that must stay as recorded, with their names in messages; the others follow from settings."""
REPLACED: Final = "put back what was there; after a replacement: `rackproof discover <site> --accept {name}`"


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A difference from the plan or from the record."""

    server: str
    port: str
    """Empty: it concerns the server as a whole."""
    text: str
    hint: str

    def __str__(self) -> str:
        return f"{self.server}:{self.port}: {self.text}" if self.port else f"{self.server}: {self.text}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """One server, compared with plan and record."""

    server: str
    contradictions: tuple[Contradiction, ...]
    record: AsBuiltServer
    """The new record, if there is no contradiction."""
    news: tuple[str, ...]
    """Differences from the record that may be recorded, in sentences."""


def compare_server(
    plan: Plan,
    name: str,
    found: FoundServer,
    recorded: AsBuiltServer | None,
    catalogue: Catalogue,
    accepted: Collection[str] = (),
) -> Comparison:
    """Compare what was found of a server with its plan and its record.

    Parameters
    ----------
    plan, name
        The site and the server.
    found
        What discovery found in it.
    recorded
        Its record; None: it was not discovered yet.
    catalogue
        The models of the planned adapters.
    accepted
        Servers (gpu-001) and ports (gpu-001:rail3) that may differ from the record.
    """
    server = plan.servers[name]
    matched = _matched(server, data_ports(plan, server), found, catalogue)
    wrong = list(_against_plan(server, data_ports(plan, server), matched, found, catalogue))
    ports = {
        port: _entry(one, _recorded(recorded, port), accept=_may(name, port, accepted)) for port, one in matched.items()
    }
    now = AsBuiltServer(serial=found.serial, ports=ports)
    if recorded is not None:
        wrong += _against_record(name, recorded, now, accepted)
    return Comparison(name, tuple(wrong), now, tuple(_news(name, recorded, now)))


def _may(server: str, port: str, accepted: Collection[str]) -> bool:
    return server in accepted or f"{server}:{port}" in accepted


def _recorded(recorded: AsBuiltServer | None, port: str) -> AsBuiltPort | None:
    return recorded.ports.get(port) if recorded else None


def _matched(
    server: ServerPlan, planned: Sequence[HostPort], found: FoundServer, catalogue: Catalogue
) -> dict[str, FoundPort]:
    """Return each planned port with the port found in its slot, or on a hosted machine at its PCI address."""
    places: dict[tuple[int | None, int], FoundPort] = {
        (port.slot, port.port): port for port in found.ports if port.slot
    }
    if server.position is None:
        model = catalogue.server(server.model)
        by_address = {port.pci_address: port for port in found.ports}
        slots = {slot.slot: slot.pci_address for slot in model.slots}
        places = {(slot, 0): by_address[address] for slot, address in slots.items() if address in by_address}
    return {port.name: places[port.slot, port.port] for port in planned if (port.slot, port.port) in places}


def _entry(found: FoundPort, recorded: AsBuiltPort | None, *, accept: bool) -> AsBuiltPort:
    """Return the record of a port; the first name of its RDMA device stays."""
    known = recorded if recorded and not accept else None
    return AsBuiltPort(
        slot=found.slot,
        pci_address=found.pci_address,
        mac_address=found.mac_address,
        numa_node=found.numa_node,
        rdma_device=(known.rdma_device if known else None) or found.rdma_device,
        device_id=found.device_id,
    )


def _against_plan(
    server: ServerPlan,
    planned: Sequence[HostPort],
    matched: dict[str, FoundPort],
    found: FoundServer,
    catalogue: Catalogue,
) -> Iterator[Contradiction]:
    """Yield planned ports that the server does not have, and adapters of another model."""
    slots = {port.slot for port in planned}
    spare = [port for port in found.ports if port.slot is not None and port.slot not in slots]
    for port in planned:
        nic = catalogue.nic(port.nic)
        one = matched.get(port.name)
        if server.position is None:
            yield from _against_provider(server, port, one, nic)
        elif one is None and port.slot is not None:
            text, hint = _missing(port, nic, found, spare)
            yield Contradiction(server.name, port.name, text, hint)
        elif one is not None and not _matches_model(one, nic):
            text = f"slot {port.slot} has PCI device {one.device_id}, and {nic.name} is {_ids(nic)}"
            yield Contradiction(
                server.name, port.name, text, "plug in the planned adapter, or correct nics in the site file"
            )


def _against_provider(
    server: ServerPlan, port: HostPort, found: FoundPort | None, nic: NicModel
) -> Iterator[Contradiction]:
    """Yield missing rails of a hosted machine; its provider may present a virtual function of an adapter."""
    hint = "is it the size of machine that the site file says?"
    if found is None and port.rail is not None:
        text = f"{nic.name} is not where this size of machine has it"
        yield Contradiction(server.name, port.name, text, hint)
    elif found is not None and not found.device_id.startswith((nic.vendor_id, VIRTIO)):
        text = f"its adapter is {found.device_id}, and {nic.name} is {_ids(nic)}"
        yield Contradiction(server.name, port.name, text, hint)


def _ids(nic: NicModel) -> str:
    return f"{nic.vendor_id}:{nic.device_id or '*'}"


def _matches_model(found: FoundPort, nic: NicModel) -> bool:
    """Return whether a port can be one of this model; virtual machines have virtio devices in its place."""
    vendor, _, device = found.device_id.partition(":")
    return vendor == VIRTIO or (vendor == nic.vendor_id and nic.device_id in {None, device})


def _missing(port: HostPort, nic: NicModel, found: FoundServer, spare: Sequence[FoundPort]) -> tuple[str, str]:
    """Return why a planned port was not found, and a hint."""
    here = [one for one in found.ports if one.slot == port.slot]
    if here:
        text = f"it is port {port.port} of the adapter in slot {port.slot}, which shows {len(here)}"
        return text, "check the adapter's port mode: `rackproof plan <site>` shows what is cabled"
    moved = [one for one in spare if one.port == port.port and _matches_model(one, nic)]
    if moved:
        text = f"planned in slot {port.slot}, which is empty; such an adapter is in slot {moved[0].slot}"
        return text, f"move it from slot {moved[0].slot} to slot {port.slot}: cables and rails are planned by slot"
    if all(one.slot is None for one in found.ports):
        text = f"planned in slot {port.slot}, and nothing says which slots this server has (SMBIOS type 9)"
        return text, "is the firmware current, and may the user read /sys/firmware/dmi/tables with sudo?"
    has = ", ".join(str(slot) for slot in sorted({one.slot for one in found.ports if one.slot is not None}))
    return (
        f"planned in slot {port.slot}, which has no adapter; there are some in slots {has}",
        "is it seated and enabled?",
    )


def _against_record(
    name: str, recorded: AsBuiltServer, now: AsBuiltServer, accepted: Collection[str]
) -> Iterator[Contradiction]:
    """Yield differences from the record."""
    if name not in accepted and recorded.serial and now.serial != recorded.serial:
        text = f"its serial number was {recorded.serial} and is now {now.serial or 'not shown'}"
        yield Contradiction(name, "", text, REPLACED.format(name=name))
    owners = {port.mac_address: word for word, port in recorded.ports.items() if port.mac_address}
    for word, before in recorded.ports.items():
        after = now.ports.get(word)
        changes = [] if after is None else list(_changes(before, after, owners))
        if changes and not _may(name, word, accepted):
            yield Contradiction(name, word, "; ".join(changes), REPLACED.format(name=f"{name}:{word}"))


def _changes(before: AsBuiltPort, after: AsBuiltPort, owners: dict[str, str]) -> Iterator[str]:
    """Yield the changes of a port, each with the old and the new value."""
    for field, words in COMPARED.items():
        was, now = getattr(before, field), getattr(after, field)
        if was != now:
            whose = f" (recorded as that of {owners[now]})" if field == "mac_address" and now in owners else ""
            yield f"its {words} was {_text(was)} and is now {_text(now)}{whose}"


def _text(value: object) -> str:
    return "none" if value is None else str(value)


def _news(name: str, recorded: AsBuiltServer | None, now: AsBuiltServer) -> Iterator[str]:
    """Yield values that are not recorded yet, in sentences."""
    if recorded is None or recorded.serial != now.serial:
        yield f"{name}: serial number {now.serial or 'not shown'}"
    for word, port in now.ports.items():
        if _recorded(recorded, word) != port:
            at = f"slot {port.slot}, {port.pci_address}" if port.slot is not None else port.pci_address
            yield f"{name}:{word}: {at}, {port.mac_address or 'no MAC address'}, {port.device_id}"
