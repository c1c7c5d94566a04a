"""Accelerators: identity, memory errors, clocks, links between them.

Sources: ``nvidia_smi.py``; NVML API reference (clock event reasons); ROCm documentation, ROCm SMI CLI tool; Linux,
Documentation/gpu/amdgpu/ras.rst (error counters).
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

from msgspec import Struct

from rackproof.facts.fact import Answers, Fact, FactError, command_output
from rackproof.facts.hosts import nvidia_smi
from rackproof.facts.hosts.nvidia_smi import pci_address, table, whole
from rackproof.facts.hosts.shell_text import file_lines, files

T = TypeVar("T")

MANAGER: Final = "nv-fabricmanager --version"
ROCM: Final = "rocm-smi -i --showserial --showbus -v --showproductname --showmeminfo=vram --json"
ROCM_VERSION: Final = "cat /opt/rocm/.info/version"
RAS: Final = files("/sys/class/drm/card*/device/ras/*_err_count")
CARD: Final = re.compile(r"/(card\d+)/device/ras/(\w+)_err_count")
SLOWED: Final = {
    0x08: "hardware slowdown",
    0x20: "too hot (driver)",
    0x40: "too hot (hardware)",
    0x80: "power brake",
}
"""Reasons for a lower clock that are faults (nvml.h, nvmlClocksEventReason); idle and power limit are none."""


class RemappedRows(Struct, frozen=True, gc=False):
    """Rows of memory that spare ones took the place of."""

    uncorrectable: int
    pending: bool
    """A row waits for the next reset."""
    failed: bool
    """There was no spare row left."""


class Gpu(Struct, frozen=True, gc=False):
    """An accelerator as its vendor's tool describes it; None: the tool does not say."""

    index: int
    address: str
    uuid: str
    serial: str
    name: str
    memory_mib: int
    vbios: str
    persistent: bool | None = None
    max_clock_mhz: int | None = None
    power_limit_w: int | None = None
    default_power_limit_w: int | None = None
    slowed: tuple[str, ...] = ()
    """Why it runs slower than it could right now, as far as that is a fault."""
    ecc: bool | None = None
    uncorrected: int | None = None
    """Memory errors that could not be corrected since its driver was loaded; of AMD's since the start."""
    uncorrected_sram: int | None = None
    """Of its caches, over its life."""
    rows: RemappedRows | None = None
    fabric: str = ""
    """State of its registration with the NVSwitches, ``Completed Success``; empty: not reported."""
    nvlinks: tuple[float | None, ...] = ()
    """Speed of each in GB/s; None: it is not up."""
    nvlink_errors: int = 0


class Gpus(Struct, frozen=True, gc=False):
    """The accelerators of a server."""

    vendor: str
    driver: str
    """Version of NVIDIA's driver, or of ROCm."""
    fabric_manager: str
    """Version; empty: there is none."""
    gpus: tuple[Gpu, ...]
    unreported: Mapping[str, str]
    """Parts that were not reported, and why: ``clocks``, ``ecc``, ``fabric``, ``rows``, ``nvlinks``."""

    def with_part(self, part: str) -> tuple[Gpu, ...]:
        """Return the accelerators, whose values of a part are known.

        Raises
        ------
        FactError
            The part was not reported.
        """
        if part in self.unreported:
            raise FactError(self.unreported[part])
        return self.gpus


def parse_gpus(answers: Answers) -> Gpus:
    """Return the accelerators.

    Raises
    ------
    FactError
        No vendor's tool reports any.
    """
    try:
        identity = table(answers, nvidia_smi.IDENTITY)
    except FactError as nvidia:
        try:
            return _amd(answers)
        except FactError as amd:
            raise FactError(f"{nvidia.message}; {amd.message}", "no tool reports accelerators") from amd
    return _nvidia(answers, identity)


def _nvidia(answers: Answers, identity: Mapping[str, Mapping[str, str]]) -> Gpus:
    unreported: dict[str, str] = {}

    def part(name: str, read: Callable[[], Mapping[Any, T]]) -> Mapping[Any, T]:
        try:
            return read()
        except FactError as error:
            unreported[name] = error.message
            return {}

    ecc = part("ecc", lambda: table(answers, nvidia_smi.ECC))
    clocks = part("clocks", lambda: _clocks(answers))
    fabric = part("fabric", lambda: table(answers, nvidia_smi.FABRIC))
    rows = part("rows", lambda: table(answers, nvidia_smi.REMAPPED))
    links = part("nvlinks", lambda: nvidia_smi.parse_nvlinks(command_output(answers, nvidia_smi.NVLINKS)))
    errors = part("nvlinks", lambda: nvidia_smi.parse_nvlink_errors(command_output(answers, nvidia_smi.NVLINK_ERRORS)))
    gpus = []
    for address, row in identity.items():
        index = whole(row["index"]) or 0
        own = {
            **clocks.get(address, {}),
            **ecc.get(address, {}),
            **fabric.get(address, {}),
            **rows.get(address, {}),
            **row,
        }
        gpus.append(_nvidia_gpu(address, own, links.get(index, ()), errors.get(index, 0)))
    driver = next((row["driver_version"] for row in identity.values()), "")
    return Gpus("nvidia", driver, _version(answers, MANAGER), tuple(gpus), unreported)


def _clocks(answers: Answers) -> Mapping[str, Mapping[str, str]]:
    """Return what slows each GPU, whichever words its driver knows.

    Raises
    ------
    FactError
        It knows neither.
    """
    try:
        return table(answers, nvidia_smi.CLOCKS)
    except FactError as newer:
        try:
            return table(answers, nvidia_smi.OLDER_CLOCKS)
        except FactError:
            raise newer from None


def _nvidia_gpu(address: str, row: Mapping[str, str], nvlinks: tuple[float | None, ...], errors: int) -> Gpu:
    active = row.get("clocks_event_reasons.active") or row.get("clocks_throttle_reasons.active", "")
    reasons = whole(active) or 0
    return Gpu(
        index=whole(row["index"]) or 0,
        address=address,
        uuid=row["uuid"],
        serial=row["serial"],
        name=row["name"],
        memory_mib=whole(row["memory.total"]) or 0,
        vbios=row["vbios_version"],
        persistent=row["persistence_mode"] == "Enabled",
        max_clock_mhz=whole(row["clocks.max.sm"]),
        power_limit_w=whole(row["power.limit"]),
        default_power_limit_w=whole(row.get("power.default_limit", "")),
        slowed=tuple(why for bit, why in SLOWED.items() if reasons & bit),
        ecc={"Enabled": True, "Disabled": False}.get(row.get("ecc.mode.current", "")),
        uncorrected=whole(row.get("ecc.errors.uncorrected.volatile.total", "")),
        uncorrected_sram=whole(row.get("ecc.errors.uncorrected.aggregate.sram", "")),
        rows=_rows(row),
        fabric=f"{row.get('fabric.state', '')} {row.get('fabric.status', '')}".strip(),
        nvlinks=nvlinks,
        nvlink_errors=errors,
    )


def _rows(row: Mapping[str, str]) -> RemappedRows | None:
    uncorrectable = whole(row.get("remapped_rows.uncorrectable", ""))
    if uncorrectable is None:
        return None
    # Some releases of the driver say Yes and No, others 1 and 0.
    yes = {"yes", "1"}
    pending, failed = (row[f"remapped_rows.{word}"].lower() in yes for word in ("pending", "failure"))
    return RemappedRows(uncorrectable, pending, failed)


def _amd(answers: Answers) -> Gpus:
    """Return AMD's accelerators.

    Raises
    ------
    FactError
        ``rocm-smi`` does not tell of any.
    """
    try:
        cards: dict[str, dict[str, str]] = json.loads(command_output(answers, ROCM))
    except ValueError as error:
        raise FactError(f"`{ROCM}` printed no JSON: {error}") from error
    counted = uncorrected_errors(command_output(answers, RAS))
    ordered = sorted((name for name in cards if name.startswith("card")), key=lambda name: int(name[4:]))
    gpus = tuple(_amd_gpu(index, cards[name], counted.get(index)) for index, name in enumerate(ordered))
    unreported = (
        {} if counted else {"ecc": "the amdgpu driver shows no error counters in /sys/class/drm/card*/device/ras"}
    )
    return Gpus("amd", _version(answers, ROCM_VERSION), "", gpus, unreported)


def _amd_gpu(index: int, card: Mapping[str, str], uncorrected: int | None) -> Gpu:
    return Gpu(
        index=index,
        address=pci_address(card.get("PCI Bus", "0:0")),
        uuid=card.get("GUID", ""),
        serial=card.get("Serial Number", ""),
        name=card.get("Card Series", ""),
        memory_mib=int(card.get("VRAM Total Memory (B)", "0")) // 2**20,
        vbios=card.get("VBIOS version", ""),
        uncorrected=uncorrected,
    )


def uncorrected_errors(text: str) -> Mapping[int, int]:
    """Return accelerator, in the order of the kernel's cards, to its uncorrected errors (lines ``ue: 0``)."""
    cards: dict[str, int] = {}
    for path, line in file_lines(text):
        found = CARD.search(path)
        if found and line.startswith("ue:"):
            cards[found[1]] = cards.get(found[1], 0) + int(line.partition(":")[2])
    return {place: cards[card] for place, card in enumerate(sorted(cards, key=lambda card: int(card[4:])))}


def _version(answers: Answers, command: str) -> str:
    """Return the version that a command prints; empty where there is no such command."""
    answer = answers.get(command)
    found = re.search(r"\d+(?:\.\d+)+", answer.output) if answer is not None and answer.status == 0 else None
    return found[0] if found else ""


FACT: Final = Fact("gpus", (*nvidia_smi.COMMANDS, MANAGER, ROCM, ROCM_VERSION, RAS), parse_gpus)
