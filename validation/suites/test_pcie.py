"""PCIe: link width and speed, bandwidth, topology and access control of adapters and GPUs."""

from typing import Final

from rackproof.facts.hosts import gpus, kernel_log, pci
from rackproof.facts.hosts.pci import NEAREST_FIRST, Distance, Port
from rackproof.results import Threshold
from validation.expected.fixtures import Judge, Server, applies_to
from validation.expected.host_adapters import has_ports, located_ports, port_at, port_functions, skipped_as_virtual
from validation.expected.server_ports import port_rail, port_subject

ONE_SWITCH: Final = "one PCIe switch"
RESEAT: Final = "reseat the adapter and its riser; then try another slot, then another adapter"


@applies_to(has_ports)
def test_links_run_at_full_width_and_speed(server: Server, judge: Judge) -> None:
    """The PCIe link of every adapter runs at the adapter's full width and speed."""
    if skipped_as_virtual(server, judge, "PCIe links"):
        return
    for name, function in port_functions(server, judge):
        if function.able is None or function.trained is None:
            judge.error(port_subject(server, name), f"{function.address} reports no PCIe link")
            continue
        judge.expect_equal(
            port_subject(server, name),
            expected=str(function.able),
            actual=str(function.trained),
            remedy=RESEAT,
            rail=port_rail(server, name),
        )


@applies_to(lambda server: server.model.gpus.count > 0)
def test_gpu_links_have_full_width(server: Server, judge: Judge) -> None:
    """The PCIe link of every GPU has its full width.

    Its speed is not compared: a GPU lowers it while it idles.
    """
    if skipped_as_virtual(server, judge, "PCIe links"):
        return
    functions = server.fact(pci.FACT).functions
    for gpu in server.fact(gpus.FACT).gpus:
        function, subject = functions.get(gpu.address), f"{server.name}:gpu{gpu.index}"
        if function is None or function.able is None or function.trained is None:
            judge.error(subject, f"{gpu.address} reports no PCIe link")
            continue
        actual = f"x{function.trained.width}"
        judge.expect_equal(
            subject, expected=f"x{function.able.width}", actual=actual, remedy="reseat the GPU base board"
        )


@applies_to(has_ports)
def test_bus_carries_the_ports(server: Server, judge: Judge) -> None:
    """The PCIe link of every adapter has the bandwidth of all its ports together."""
    if skipped_as_virtual(server, judge, "PCIe links"):
        return
    planned: dict[str, int] = {}
    for name, address in located_ports(server, judge):
        card = address.rpartition(".")[0]
        planned[card] = planned.get(card, 0) + server.plan.ports[name].speed_gbps
    seen = set()
    for name, function in port_functions(server, judge):
        card = function.address.rpartition(".")[0]
        if card in seen or function.trained is None or function.able is None:
            continue
        seen.add(card)
        need = ports_need(planned[card], function.able.gbps)
        values = {"link": str(function.trained)}
        judge.expect_within(
            port_subject(server, name),
            round(function.trained.gbps, 1),
            need,
            remedy=RESEAT,
            rail=port_rail(server, name),
            values=values,
        )


def ports_need(gbps: int, ceiling_gbps: float) -> Threshold:
    """Return what the bus of an adapter must carry."""
    return Threshold(
        float(gbps),
        "Gb/s",
        "at least",
        "plan: speed of the adapter's ports; PCI Express Base Specification 6.0, 4.2",
        formula="sum of the ports, against GT/s x lanes x 128/130",
        ceiling=round(ceiling_gbps, 1),
        ceiling_source="what the adapter's link can do",
    )


@applies_to(lambda server: server.intent.system.acs == "disabled")
def test_access_control_is_off(server: Server, judge: Judge) -> None:
    """PCIe access control services (ACS) are off, so that devices exchange data directly."""
    if skipped_as_virtual(server, judge, "PCIe bridges"):
        return
    judge.expect_equal(
        server.name,
        expected=(),
        actual=server.fact(pci.FACT).controlled,
        remedy="`systemctl restart rackproof-acs` turns access control services off; the BIOS may turn them on again",
    )


@applies_to(lambda server: server.intent.roce is not None)
def test_adapters_may_order_freely(server: Server, judge: Judge) -> None:
    """PCIe relaxed ordering is on for every adapter that carries RDMA."""
    if skipped_as_virtual(server, judge, "PCIe adapters"):
        return
    rdma = {port.name for port in server.intent.ports if port.rdma_device is not None}
    for name, function in port_functions(server, judge):
        if name in rdma:
            said = {True: "on", False: "off", None: "not reported"}[function.relaxed_ordering]
            remedy = "turn PCIe relaxed ordering on in the BIOS and in the adapter (mlxconfig: PCI_WR_ORDERING)"
            judge.expect_equal(
                port_subject(server, name), expected="on", actual=said, remedy=remedy, rail=port_rail(server, name)
            )


@applies_to(lambda server: any(slot.gpus for slot in server.model.slots) and not server.model.hosted)
def test_adapters_are_next_to_their_gpus(server: Server, judge: Judge) -> None:
    """The GPU nearest to the adapter of a rail, by PCIe, is the planned one.

    Where the model has one PCIe switch for both, they must be behind it.
    """
    if skipped_as_virtual(server, judge, "PCIe switches"):
        return
    found = server.fact(pci.FACT)
    addresses = {gpu.index: gpu.address for gpu in server.fact(gpus.FACT).gpus}
    for name, address in located_ports(server, judge):
        planned, port = server.plan.ports[name], port_at(server, address)
        if planned.rail is None or not planned.gpus or port is None:
            continue
        ways = {gpu: found.distance(port, address) for gpu, address in addresses.items()}
        own = [ways.get(gpu) for gpu in planned.gpus]
        judge.expect(
            port_subject(server, name),
            is_nearest(own, list(ways.values())) and fits_model(server, own),
            expected=f"GPU {', '.join(map(str, planned.gpus))} nearest{switch_words(server)}",
            actual=", ".join(f"GPU {gpu}: {way or 'not on the bus'}" for gpu, way in ways.items()),
            remedy="is the adapter in the planned slot, and are the GPUs numbered as planned?",
            rail=planned.rail,
        )


def is_nearest(own: list[Distance | None], all_of_them: list[Distance | None]) -> bool:
    """Whether no way of all is shorter than the longest of an adapter's own."""
    if not own or None in own:
        return False
    best = min((NEAREST_FIRST.index(way) for way in all_of_them if way is not None), default=0)
    return all(NEAREST_FIRST.index(way) <= best for way in own if way is not None)


def fits_model(server: Server, own: list[Distance | None]) -> bool:
    """Whether the ways are what the model's board makes them."""
    return server.model.features.get("gpu_adapters") != ONE_SWITCH or set(own) == {ONE_SWITCH}


def switch_words(server: Server) -> str:
    """Return what the model adds to the expectation."""
    return ", behind one PCIe switch" if server.model.features.get("gpu_adapters") == ONE_SWITCH else ""


@applies_to(lambda server: has_ports(server) and not server.model.hosted)
def test_adapters_are_on_their_processor(server: Server, judge: Judge) -> None:
    """Every adapter is on the NUMA node of its planned slot."""
    if skipped_as_virtual(server, judge, "second processor"):
        return
    nodes = {slot.slot: slot.numa_node for slot in server.model.slots}
    for name, address in located_ports(server, judge):
        slot, port = server.plan.ports[name].slot, port_at(server, address)
        if slot in nodes and port is not None:
            node = numa(port)
            remedy = "is the adapter in the planned slot, and NUMA on in the BIOS (one node a socket)?"
            judge.expect_equal(
                port_subject(server, name), expected=f"NUMA node {nodes[slot]}", actual=node, remedy=remedy
            )


def numa(port: Port) -> str:
    """Return the NUMA node of a port in words."""
    return "no NUMA node" if port.numa_node is None else f"NUMA node {port.numa_node}"


def test_kernel_saw_no_slow_or_broken_link(server: Server, judge: Judge) -> None:
    """The kernel has logged no limited PCIe link and no uncorrected PCIe error since the server started."""
    found = server.fact(kernel_log.FACT)
    planned = {port.pci_address for port in server.intent.ports}
    limited = [line for address, line in found.limited if address in planned]
    judge.expect_equal(f"{server.name}:limited", expected=(), actual=tuple(limited), remedy=RESEAT)
    broken = tuple(line for _, line in found.uncorrected)
    judge.expect_equal(f"{server.name}:uncorrected", expected=(), actual=broken, remedy=RESEAT)
