"""Pins: what is pinned exists, and nothing is pinned to two things."""

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches

from rackproof.errors import SiteError, ValuePath
from rackproof.hardware.load import Catalogue
from rackproof.site.derived import fabric_role, floor, node_names, node_ports, server_names, server_ports
from rackproof.site.document import KEY
from rackproof.site.models import Site


def pinned_ports_exist(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A server port that is pinned to a switch port is one that a server has."""
    servers = _ports_by_server(site, catalogue)
    for owner in site.pin.ports:
        yield from _unknown(("pin", "ports", owner, KEY), owner, servers)


def pinned_ports_are_on_their_fabric(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """A server port is pinned to a port of a switch of its own fabric."""
    servers = _ports_by_server(site, catalogue)
    for owner, where in site.pin.ports.items():
        switch, _, switch_port = where.partition("/")
        server, _, port = owner.partition(":")
        fabric, wanted = _fabric_of_switch(site, switch), servers.get(server, {}).get(port)
        if fabric is None or not switch_port:
            message = f"{where} is not a port of a switch of this site"
            yield SiteError(("pin", "ports", owner), message, "write it as backend-leaf-01/Eth1/1/1")
        elif wanted is not None and not _serves(site, fabric, wanted):
            message = f"{owner} is on the fabric {wanted or 'out of band'}, and {switch} is a switch of {fabric}"
            yield SiteError(("pin", "ports", owner), message, "pin it to a switch of its own fabric")


def pinned_ports_do_not_collide(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """No two server ports are pinned to one switch port."""
    del catalogue
    yield from _collisions(("pin", "ports"), site.pin.ports)


def pinned_addresses_are_of_devices(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """An address is pinned for a port that exists: of a server, a switch or a PDU."""
    devices = _ports_by_server(site, catalogue)
    for rack in floor(site):
        devices |= {f"{rack.name}-pdu-{number + 1}": {"mgmt": ""} for number in range(rack.asked.pdus.count)}
    for owner in site.pin.addresses:
        device, _, port = owner.partition(":")
        if not (port == "mgmt" and _fabric_of_switch(site, device)):
            yield from _unknown(("pin", "addresses", owner, KEY), owner, devices)


def pinned_addresses_do_not_collide(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """No two ports are pinned to one address."""
    del catalogue
    yield from _collisions(("pin", "addresses"), {owner: str(value) for owner, value in site.pin.addresses.items()})


def pinned_asns_are_of_switches(site: Site, catalogue: Catalogue) -> Iterator[SiteError]:
    """An ASN is pinned for a switch of this site, and for one only."""
    del catalogue
    for switch in site.pin.asns:
        if _fabric_of_switch(site, switch) is None:
            hint = f"names of switches look like {next(iter(site.fabrics), 'backend')}-leaf-01"
            yield SiteError(("pin", "asns", switch, KEY), f"there is no switch {switch}", hint)
    yield from _collisions(("pin", "asns"), {switch: f"ASN {asn}" for switch, asn in site.pin.asns.items()})


def _ports_by_server(site: Site, catalogue: Catalogue) -> dict[str, dict[str, str]]:
    """Return server, or node of a storage cluster, to port to the fabric it is on."""
    devices: dict[str, dict[str, str]] = {}
    for group in site.servers:
        devices |= dict.fromkeys(server_names(group), server_ports(site, group, catalogue))
    for storage in site.storage:
        devices |= dict.fromkeys(node_names(storage), node_ports(site, storage, catalogue))
    return devices


def _fabric_of_switch(site: Site, switch: str) -> str | None:
    """Return the fabric that a switch belongs to by its name."""
    fabric, _, rest = switch.rpartition("-leaf-") if "-leaf-" in switch else switch.rpartition("-spine-")
    return fabric if fabric in site.fabrics and rest.isdigit() and len(rest) == 2 else None


def _serves(site: Site, fabric: str, wanted: str) -> bool:
    """Return whether a fabric is the one a port is on; '' stands for whichever is out of band."""
    return fabric == wanted if wanted else fabric_role(fabric, site.fabrics[fabric]) == "oob"


def _unknown(path: ValuePath, owner: str, devices: Mapping[str, Mapping[str, str]]) -> Iterator[SiteError]:
    device, _, port = owner.partition(":")
    if device not in devices:
        near = get_close_matches(device, devices, n=1)
        hint = f"did you mean {near[0]}?" if near else f"names of devices look like {next(iter(devices))}"
        yield SiteError(path, f"there is no device {device}", hint)
    elif port not in devices[device]:
        hint = f"its ports: {_in_short(devices[device])}"
        yield SiteError(
            path, f"{device} has no port {port}" if port else f"the name of a port of {device} is missing", hint
        )


def _in_short(ports: Iterable[str]) -> str:
    """Return port names with runs of numbers as their ends: rail0 to rail15."""
    runs: dict[str, list[str]] = {}
    for port in ports:
        runs.setdefault(port.rstrip("0123456789"), []).append(port)
    return ", ".join(run[0] if len(run) == 1 else f"{run[0]} to {run[-1]}" for run in runs.values())


def _collisions(path: ValuePath, pinned: Mapping[str, str]) -> Iterator[SiteError]:
    """Yield an error for each value that two things are pinned to."""
    first: dict[str, str] = {}
    for owner, value in pinned.items():
        other = first.setdefault(value, owner)
        if other != owner:
            yield SiteError(
                (*path, owner), f"{value} is pinned for {other} and for {owner}", "pin another value for one of them"
            )
