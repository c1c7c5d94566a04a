"""What ``nvidia-smi`` is asked, and how its tables are read.

Sources: nvidia-smi(1) and its ``--help-query-gpu``, ``--help-query-remapped-rows`` and ``nvlink --help``.
"""

import re
from collections.abc import Mapping
from typing import Final

from rackproof.facts.fact import Answers, FactError, command_output

GPU: Final = re.compile(r"^GPU (\d+):")
SPEED: Final = re.compile(r"Link (\d+): (?:([\d.]+) GB/s|<?inactive>?)")
ERRORS: Final = re.compile(r"Link \d+: .*Errors?: (\d+)")


def query(*fields: str, of: str = "gpu") -> str:
    """Return the command that asks for fields of every GPU: one line each, values without their units."""
    return f"nvidia-smi --query-{of}={','.join(fields)} --format=csv,noheader,nounits"


IDENTITY: Final = query(
    *("index", "pci.bus_id", "uuid", "serial", "name", "memory.total", "vbios_version", "driver_version"),
    *("persistence_mode", "power.limit", "clocks.max.sm"),
)
ECC: Final = query(
    *("pci.bus_id", "ecc.mode.current", "ecc.errors.uncorrected.volatile.total"),
    "ecc.errors.uncorrected.aggregate.sram",
)
CLOCKS: Final = query("pci.bus_id", "clocks_event_reasons.active", "power.default_limit")
OLDER_CLOCKS: Final = query("pci.bus_id", "clocks_throttle_reasons.active", "power.default_limit")
"""What `CLOCKS` asks, in the words of drivers before 535."""
FABRIC: Final = query("pci.bus_id", "fabric.state", "fabric.status")
REMAPPED: Final = query(
    *("gpu_bus_id", "remapped_rows.correctable", "remapped_rows.uncorrectable"),
    *("remapped_rows.pending", "remapped_rows.failure"),
    of="remapped-rows",
)
NVLINKS: Final = "nvidia-smi nvlink --status"
NVLINK_ERRORS: Final = "nvidia-smi nvlink --errorcounters"
COMMANDS: Final = (IDENTITY, ECC, CLOCKS, OLDER_CLOCKS, FABRIC, REMAPPED, NVLINKS, NVLINK_ERRORS)


def table(answers: Answers, command: str) -> dict[str, dict[str, str]]:
    """Return GPU, by its PCI address, to the fields that a command of `query` asked for.

    Raises
    ------
    FactError
        It failed, or answered something else.
    """
    fields = command.partition("=")[2].partition(" ")[0].split(",")
    rows = [
        [cell.strip() for cell in line.split(",")]
        for line in command_output(answers, command).splitlines()
        if line.strip()
    ]
    if any(len(row) != len(fields) for row in rows):
        raise FactError(f"`{command}` answered something else than {len(fields)} fields a GPU")
    found = [dict(zip(fields, row, strict=True)) for row in rows]
    return {pci_address(row.get("pci.bus_id") or row["gpu_bus_id"]): row for row in found}


def pci_address(text: str) -> str:
    """Return a PCI address as Linux writes it: NVIDIA's domains have eight digits, and its letters are capitals."""
    domain, _, rest = text.lower().partition(":")
    return f"{int(domain, 16):04x}:{rest}"


def whole(text: str) -> int | None:
    """Return a number, decimal or as 0x…; None where it says [N/A] or the like."""
    try:
        return int(text, 16 if text.startswith("0x") else 10)
    except ValueError:
        return int(float(text)) if re.fullmatch(r"\d+\.\d+", text) else None


def parse_nvlinks(text: str) -> Mapping[int, tuple[float | None, ...]]:
    """Return GPU number to the speed of each of its NVLinks in GB/s; None: it is not up."""
    return {
        gpu: tuple(float(speed) if speed else None for _, speed in SPEED.findall(said)) for gpu, said in _by_gpu(text)
    }


def parse_nvlink_errors(text: str) -> Mapping[int, int]:
    """Return GPU number to the errors of all its NVLinks since its driver was loaded."""
    return {gpu: sum(map(int, ERRORS.findall(said))) for gpu, said in _by_gpu(text)}


def _by_gpu(text: str) -> list[tuple[int, str]]:
    parts = re.split(r"^(?=GPU \d+:)", text, flags=re.MULTILINE)
    return [(int(found[1]), part) for part in parts if (found := GPU.match(part))]
