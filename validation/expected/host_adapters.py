"""What the suites about hardware share: what a lab's virtual machine cannot show, and where a port sits."""

from collections.abc import Iterator

from rackproof.facts.hosts import pci, system
from rackproof.facts.hosts.pci import Function, Port
from validation.expected.server_ports import port_subject
from validation.expected.subjects import Server
from validation.verdict.judge import Judge

DISCOVER = "`rackproof discover <site>` records the PCI address of each port"


def skipped_as_virtual(server: Server, judge: Judge, what: str) -> bool:
    """Return whether a virtual machine of a lab is in the server's place, which has not the server's hardware.

    A result that says so is kept: it is skipped, and never counts as passed.
    """
    if server.fact(system.FACT).stands_in:
        judge.skip(server.name, f"the lab runs a virtual machine instead of the server, without its {what}")
        return True
    return False


def has_ports(server: Server) -> bool:
    """Whether the plan names ports of it; a hosted machine whose adapters are not named has none."""
    return bool(server.intent.ports)


def located_ports(server: Server, judge: Judge) -> Iterator[tuple[str, str]]:
    """Yield the ports of a server with their PCI address; one that was not discovered becomes an error."""
    for port in server.intent.ports:
        if port.pci_address is None:
            judge.error(port_subject(server, port.name), "no PCI address is recorded", DISCOVER)
        else:
            yield port.name, port.pci_address


def port_at(server: Server, address: str) -> Port | None:
    """Return the network port of a PCI function; None: there is none."""
    return next((port for port in server.fact(pci.FACT).ports.values() if port.address == address), None)


def port_functions(server: Server, judge: Judge) -> Iterator[tuple[str, Function]]:
    """Yield the ports of a server with their PCI function; one that is not there becomes an error."""
    functions = server.fact(pci.FACT).functions
    for name, address in located_ports(server, judge):
        if address in functions:
            yield name, functions[address]
        else:
            judge.error(port_subject(server, name), f"no adapter at {address}", "is the adapter seated and powered?")
