"""Wires: a pair of virtual Ethernet ports between two switches, a tap or any other port towards a host."""

from collections.abc import Iterable, Iterator

from lab.fabric.command import run
from lab.spec.kernel_names import kernel_name, namespace_name
from lab.spec.models import LabEnd, LabLink, port_mac

Move = tuple[LabEnd, LabEnd]
"""Present and new switch port of a host's wire."""


async def plug(lab_id: str, links: Iterable[LabLink]) -> None:
    """Create wires between switches.

    Raises
    ------
    FabricError
        A namespace does not exist, or already has a port of that name.
    """
    await _batch(
        f"link add {kernel_name(link.a.port)} address {port_mac(link.a)} netns {namespace_name(lab_id, link.a.device)} "
        f"type veth peer name {kernel_name(link.b.port)} address {port_mac(link.b)} "
        f"netns {namespace_name(lab_id, link.b.device)}"
        for link in links
    )


async def unplug(lab_id: str, links: Iterable[LabLink]) -> None:
    """Take wires between switches away.

    Raises
    ------
    FabricError
        A wire does not exist.
    """
    for link in links:
        await run("ip", "-n", namespace_name(lab_id, link.a.device), "link", "delete", kernel_name(link.a.port))


async def move(lab_id: str, moves: Iterable[Move]) -> None:
    """Plug hosts' wires into other ports; several can change places.

    Raises
    ------
    FabricError
        The kernel did not move one.
    """
    for number, (old, new) in enumerate(tuple(moves)):
        for phase in _away(lab_id, old, new, number):
            await run(*phase)
    for number, (_, new) in enumerate(tuple(moves)):
        await run(
            "ip",
            "-n",
            namespace_name(lab_id, new.device),
            "link",
            "set",
            _between(number),
            "name",
            kernel_name(new.port),
        )


def _away(lab_id: str, old: LabEnd, new: LabEnd, number: int) -> Iterator[tuple[str, ...]]:
    """Yield what takes a wire out of its port and lays it, under a name of its own, where it goes."""
    inside = ("ip", "-n", namespace_name(lab_id, old.device))
    port = kernel_name(old.port)
    yield (*inside, "link", "set", port, "down")
    yield (*inside, "link", "set", port, "nomaster")
    yield (*inside, "address", "flush", "dev", port)
    yield (*inside, "link", "set", port, "name", _between(number))
    if old.device != new.device:
        yield (*inside, "link", "set", _between(number), "netns", namespace_name(lab_id, new.device))


def _between(number: int) -> str:
    return f"rp-moving{number}"


async def _batch(lines: Iterable[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    if text:
        await run("ip", "-force", "-batch", "-", text=text)
