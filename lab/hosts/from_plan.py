"""From the plan to the hosts of the lab: its servers, with the ports that lead to a switch of the lab."""

from collections.abc import Iterator
from typing import Final

from lab.hosts.machine import HostNic, HostSpec
from lab.spec.models import LabEnd, LabSite, port_mac
from rackproof.hardware.load import Catalogue
from rackproof.hardware.models import ServerModel
from rackproof.plan.hosts.ports import rdma_device
from rackproof.plan.model.plan import HostPort, Plan, ServerPlan

MOST: Final = 4
"""Most hosts of a lab: each takes 512 MB, and all boot on the same processors."""
_FIRST_CHOSEN_BUS: Final = 0x40
"""The lab's own figure; slots add their numbers."""
_OUT_OF_BAND: Final = ("bmc", "nicbmc")
"""Ports of management controllers, which the operating system of the host does not see."""


def lab_hosts(plan: Plan, site: LabSite, catalogue: Catalogue) -> tuple[HostSpec, ...]:
    """Return the hosts of a plan that are virtual machines in its lab, in the plan's order.

    Parameters
    ----------
    plan
        The plan of the site as the lab has it: already scaled.
    site
        The lab of the plan.
    catalogue
        Catalogue with the servers' models.
    """
    servers = [server for server in plan.servers.values() if any(_nics(server, plan, site, catalogue))]
    return tuple(_host(server, plan, site, catalogue) for server in servers[:MOST])


def _host(server: ServerPlan, plan: Plan, site: LabSite, catalogue: Catalogue) -> HostSpec:
    model = catalogue.server(server.model)
    gpus = f"{model.gpus.count}x {model.gpus.name}" if model.gpus.count else None
    product = model.name.partition(" with ")[0]
    return HostSpec(server.name, model.vendor, product, tuple(_nics(server, plan, site, catalogue)), gpus, model.bmc)


def _nics(server: ServerPlan, plan: Plan, site: LabSite, catalogue: Catalogue) -> Iterator[HostNic]:
    model = catalogue.server(server.model)
    for port in server.ports.values():
        if port.switch in site.switches and not port.name.startswith(_OUT_OF_BAND) and port.slot is not None:
            end = LabEnd(server.name, port.name)
            yield HostNic(
                end,
                port_mac(end),
                port.slot,
                port.port,
                _bus(model, port),
                rdma=rdma_device(plan, port, catalogue) is not None,
                speed_mbps=1000 * port.speed_gbps,
            )


def _bus(model: ServerModel, port: HostPort) -> int | None:
    """The bus of a slot, as the catalogue expects it: ``0000:1a:00.0`` is on bus 1a.

    Where the catalogue expects no address, the lab chooses a bus: the firmware reports the slot of the adapter anyway.
    """
    if port.slot is None:
        return None
    address = next((slot.pci_address for slot in model.slots if slot.slot == port.slot), "")
    return int(address.split(":")[1], 16) if address else _FIRST_CHOSEN_BUS + port.slot
