"""Inventory of servers: model, serial number, components and firmware are the planned and recorded ones."""

import re
from collections import Counter
from typing import Final

from rackproof.errors import RackproofError
from rackproof.facts.hosts import disks, gpus, pci, system
from rackproof.facts.hosts.system import System
from rackproof.results import Threshold
from validation.expected.fixtures import Judge, Server, SiteUnderTest, applies_to, requirements
from validation.expected.host_adapters import DISCOVER, has_ports, located_ports, port_at, skipped_as_virtual
from validation.expected.server_ports import port_rail, port_subject

PROCESSORS: Final = re.compile(r"(?P<count>\d+)x (?P<name>.+)")
MODEL_WORD: Final = re.compile(r"\b(?:MI\d+X?|[A-Z]\d+S?)\b")
"""The word of an accelerator's name that every tool agrees on: H200, MI300X, L40S."""

MANAGED: Final = Threshold(
    97.0,
    "%",
    "at least",
    "Linux, Documentation/mm/physical_memory.rst",
    formula="100 % less 64 bytes for each page of 4096 (1.6 %), less 1.4 % for firmware and crash kernel",
    ceiling=100.0,
    ceiling_source="memory modules",
)
FREE: Final = Threshold(
    10.0,
    "%",
    "at least",
    "Kubernetes documentation, node-pressure eviction: pods are evicted below nodefs.available 10 %",
    ceiling=100.0,
    ceiling_source="size of the file system",
)
FREE_INODES: Final = Threshold(
    5.0,
    "%",
    "at least",
    "Kubernetes documentation, node-pressure eviction: pods are evicted below nodefs.inodesFree 5 %",
    ceiling=100.0,
    ceiling_source="inodes of the file system",
)


def is_racked(server: Server) -> bool:
    """Whether the hardware is ours; of a hosted machine the provider shows what he likes."""
    return not server.model.hosted


def has_gpus(server: Server) -> bool:
    """Whether accelerators are planned in it."""
    return server.model.gpus.count > 0


@requirements("BFX03", "CNP08", "HWING01")
def test_server_is_the_one_recorded(server: Server, judge: Judge) -> None:
    """The serial number of every server is the one that discovery recorded."""
    recorded = server.site.as_built.servers.get(server.name)
    if recorded is None:
        judge.error(server.name, "no serial number is recorded", DISCOVER)
        return
    remedy = "another server, or swapped addresses? after a replacement: `rackproof discover <site> --accept <server>`"
    judge.expect_equal(
        server.name, expected=recorded.serial, actual=server.fact(system.FACT).serial or None, remedy=remedy
    )


@applies_to(is_racked)
@requirements("HWING01")
def test_server_is_the_planned_model(server: Server, judge: Judge) -> None:
    """Every server is the planned model, as its firmware reports it."""
    found = server.fact(system.FACT)
    model = server.model
    right = found.maker.startswith(model.vendor) and bool(found.product) and model.name.startswith(found.product)
    judge.expect(
        server.name,
        right,
        expected=f"{model.vendor} {model.name}",
        actual=f"{found.maker} {found.product}".strip() or "nothing",
        remedy="put the planned model there, or change `model` of the group in the site file",
        values=system_versions(found),
    )


def system_versions(found: System) -> dict[str, str]:
    """Return what else firmware and system say, for the record."""
    return {"BIOS": f"{found.bios_version} of {found.bios_date}", "kernel": found.kernel, "system": found.os}


@applies_to(lambda server: PROCESSORS.fullmatch(server.model.cpus) is not None)
@requirements("HWING01")
def test_processors_are_the_planned_ones(server: Server, judge: Judge) -> None:
    """Number and model of the processors are the planned ones."""
    planned = PROCESSORS.fullmatch(server.model.cpus)
    if planned is None or skipped_as_virtual(server, judge, "processors"):
        return
    found = server.fact(system.FACT)
    name = re.sub(r"\((?:R|TM)\)|CPU", "", found.processor)
    words = set(name.casefold().split())
    judge.expect(
        server.name,
        found.sockets == int(planned["count"]) and set(planned["name"].casefold().split()) <= words,
        expected=server.model.cpus,
        actual=f"{found.sockets}x {' '.join(name.split())}",
        remedy="is every processor seated and enabled in the BIOS?",
    )


@applies_to(is_racked)
@requirements("HWING01")
def test_memory_is_all_there(server: Server, judge: Judge) -> None:
    """The memory modules have the planned total size and one speed, and the kernel manages all of it."""
    if skipped_as_virtual(server, judge, "memory modules"):
        return
    found = server.fact(system.FACT)
    modules = found.memory_modules
    installed_mib = sum(module.size_mib for module in modules)
    remedy = "reseat or replace modules; the management controller names those that failed"
    sizes = Counter(f"{module.size_mib // 1024} GiB at {module.speed_mts} MT/s" for module in modules)
    values = {"modules": ", ".join(f"{count}x {kind}" for kind, count in sorted(sizes.items()))}
    judge.expect_equal(
        server.name,
        expected=server.model.memory_gb,
        actual=installed_mib // 1024,
        unit="GiB",
        remedy=remedy,
        values=values,
    )
    judge.expect(
        f"{server.name}:speed",
        len({module.speed_mts for module in modules}) == 1,
        expected="one speed",
        actual=values["modules"] or "no modules",
        remedy="one module slows its channel down: replace it by one like the others",
    )
    judge.expect_within(
        f"{server.name}:managed", 100.0 * found.memory_mib / max(installed_mib, 1), MANAGED, remedy=remedy
    )


@applies_to(has_ports)
@requirements("CNP08", "HWING01")
def test_adapters_are_those_recorded(server: Server, judge: Judge) -> None:
    """Every network port has the PCI address and the MAC address that discovery recorded."""
    for name, address in located_ports(server, judge):
        recorded = server.site.as_built.port(server.name, name)
        port = port_at(server, address)
        judge.expect_equal(
            port_subject(server, name),
            expected=f"{address}, {recorded.mac_address if recorded and recorded.mac_address else 'no MAC address'}",
            actual="no adapter" if port is None else f"{address}, {port.mac_address or 'no MAC address'}",
            remedy="seat the adapter; after a replacement: `rackproof discover <site> --accept <server:port>`",
            rail=port_rail(server, name),
            values={"firmware": port.firmware, "driver": port.driver} if port else {},
        )


@applies_to(has_ports)
@requirements("HWING01")
def test_adapters_are_the_planned_model(server: Server, judge: Judge) -> None:
    """Every network port belongs to an adapter of the planned model."""
    catalogue = server.site.planned.catalogue
    functions = server.fact(pci.FACT).functions
    if skipped_as_virtual(server, judge, "adapters"):
        return
    for name, address in located_ports(server, judge):
        nic = catalogue.nic(server.plan.ports[name].nic)
        expected = f"{nic.vendor_id}:{nic.device_id}" if nic.device_id else nic.vendor_id
        found = functions.get(address)
        judge.expect(
            port_subject(server, name),
            found is not None and found.device_id.startswith(expected),
            expected=f"{nic.name} ({expected})",
            actual=f"{found.kind} {found.device_id}" if found else "no adapter",
            remedy="put the planned adapter into this slot, or change the site file",
            rail=port_rail(server, name),
        )


@applies_to(lambda server: bool(server.intent.firmware))
def test_adapters_have_the_firmware_of_the_release(server: Server, judge: Judge) -> None:
    """Every adapter runs the firmware version of the release."""
    if skipped_as_virtual(server, judge, "firmware"):
        return
    found = server.fact(pci.FACT)
    for level in server.intent.firmware:
        identity = f"{level.vendor_id}:{level.device_id}"
        for port in found.ports.values():
            function = found.functions.get(port.address)
            if function is not None and function.device_id == identity:
                judge.expect(
                    port_subject(server, port.name),
                    has_version(port.firmware, level.expected),
                    expected=f"{level.expected} ({level.source})",
                    actual=port.firmware or "not reported",
                    remedy=f"update {level.component} with the vendor's tool, then boot",
                )


def has_version(said: str, expected: str) -> bool:
    """Whether a driver names a version; it puts words of its own around it, such as a package's in brackets."""
    return any(word.strip("(),").split("/pkg")[-1].startswith(expected) for word in said.split())


@applies_to(has_gpus)
@requirements("HWING01", "RESDB01")
def test_gpus_are_all_there(server: Server, judge: Judge) -> None:
    """Number, model and memory of the GPUs are the planned ones."""
    planned = server.model.gpus
    found = server.fact(gpus.FACT).gpus
    remedy = "a missing GPU has left the PCIe bus: read the kernel log, power off for a minute, reseat"
    judge.expect_equal(f"{server.name}:gpus", expected=planned.count, actual=len(found), remedy=remedy)
    word = MODEL_WORD.findall(planned.name)[-1]
    memory = gpu_memory(planned.memory_gb)
    for gpu in found:
        subject = f"{server.name}:gpu{gpu.index}"
        values = {"serial": gpu.serial, "firmware": gpu.vbios, "address": gpu.address}
        judge.expect(
            subject,
            word in gpu.name.split(),
            expected=planned.name,
            actual=gpu.name,
            remedy="another model",
            values=values,
        )
        judge.expect_within(
            f"{subject}:memory", gpu.memory_mib / 1024, memory, remedy="memory is retired: ask for another GPU"
        )


def gpu_memory(memory_gb: int) -> Threshold:
    """Return how much memory the tools must show of a GPU of the catalogue."""
    return Threshold(
        round(memory_gb * 0.93, 1),
        "GiB",
        "at least",
        f"data sheet: {memory_gb} GB",
        formula="data sheet in GiB less 7 %: error correction takes 1/16 of GDDR memory, the driver some more",
        ceiling=float(memory_gb),
        ceiling_source="data sheet",
    )


@applies_to(lambda server: has_gpus(server) and server.intent.gpus.version is not None)
def test_gpu_driver_is_of_the_release(server: Server, judge: Judge) -> None:
    """The GPU driver and the fabric manager have the version of the release."""
    found, wanted = server.fact(gpus.FACT), server.intent.gpus
    version = wanted.version or ""
    remedy = "`rackproof up <site> --only <server>` installs it"
    judge.expect(
        f"{server.name}:driver",
        found.driver.startswith(version),
        expected=version,
        actual=found.driver or "none",
        remedy=remedy,
    )
    if wanted.fabric_manager:
        actual = found.fabric_manager or None
        judge.expect_equal(f"{server.name}:fabric-manager", expected=found.driver, actual=actual, remedy=remedy)


@requirements("ATTEST01")
def test_system_is_the_planned_one(server: Server, judge: Judge) -> None:
    """The operating system and the kernel arguments are the planned ones."""
    found, intent = server.fact(system.FACT), server.intent
    judge.expect(
        f"{server.name}:os",
        found.os.replace(" ", "-").startswith(str(intent.os).replace(" ", "-").lower()),
        expected=str(intent.os),
        actual=found.os,
        remedy="install the planned system, or change `os` in the site file",
        values={"kernel": found.kernel},
    )
    missing = tuple(one for one in intent.system.kernel_arguments if one not in found.kernel_arguments)
    remedy = "`rackproof up <site> --only <server>` sets them; they count after the next boot"
    judge.expect_equal(f"{server.name}:kernel-arguments-missing", expected=(), actual=missing, remedy=remedy)


def test_disks_have_room(server: Server, judge: Judge) -> None:
    """Every local file system is writable and has free space and free inodes."""
    remedy = "`du -xh --max-depth=2 <path>` shows what fills it: remove that, or add room"
    for one in server.fact(disks.FACT).file_systems:
        subject = f"{server.name}:{one.path}"
        judge.expect_within(f"{subject}:room", round(one.available_percent, 1), FREE, remedy=remedy)
        judge.expect_within(f"{subject}:inodes", round(one.available_inodes_percent, 1), FREE_INODES, remedy=remedy)
        actual = "read-only" if one.read_only and one.path != "/boot/efi" else "writable"
        judge.expect_equal(
            subject, expected="writable", actual=actual, remedy="the kernel's log says why it went read-only"
        )


@applies_to(is_racked)
@requirements("BMAAS02", "BOOT04")
def test_drives_work(server: Server, judge: Judge) -> None:
    """Every NVMe drive is live."""
    found = server.fact(disks.FACT).drives
    lost = tuple(f"{drive.name} {drive.state}" for drive in found if drive.state != "live")
    values = {drive.name: f"{drive.model}, serial {drive.serial}, firmware {drive.firmware}" for drive in found}
    judge.expect_equal(
        f"{server.name}:lost", expected=(), actual=lost, remedy="reseat or replace the drive", values=values
    )


@requirements("ATTEST02")
def test_servers_of_a_model_have_one_bios(site: SiteUnderTest, judge: Judge) -> None:
    """All servers of a model run the same BIOS version.

    The most common version of a model is the expected one.
    """
    versions: dict[str, dict[str, str]] = {}
    for name, server in site.plan.servers.items():
        if name in site.evidence.absent:
            judge.skip(name, f"this lab does not run {name}")
            continue
        try:
            judge.add_evidence(site.evidence.kind(name, system.FACT.name), site.run.log_name(name))
            versions.setdefault(server.model, {})[name] = site.run.fact(name, system.FACT).bios_version
        except RackproofError as error:
            judge.error_from(name, error)
    for found in versions.values():
        common = Counter(found.values()).most_common(1)[0][0]
        for name, version in found.items():
            remedy = "update the BIOS of this server, or of the others"
            judge.expect_equal(name, expected=common or "not reported", actual=version or "not reported", remedy=remedy)
